import asyncio

import pytest
from prefect.server.utilities.messaging import Message, StopConsumer, create_cache, create_consumer, create_publisher
from prefect.settings import PREFECT_MESSAGING_BROKER, temporary_settings

from flows.server.temporary import FOR_MANY_STAGES

EVENTS = ["prefect.task-run.Running", "prefect.artifact-collection.created", "prefect.flow-run.Failed"]


async def _received(group: str) -> list[str]:
    """What a service of that name receives of the events."""
    received: list[str] = []

    async def handle(message: Message) -> None:
        received.append(message.attributes["event"])
        if message.attributes["event"] == EVENTS[-1]:
            raise StopConsumer(ack=True)

    consumer = create_consumer("events", group=group, name="a name", read_batch_size=1)
    publisher = create_publisher("events", create_cache())
    for event in EVENTS:
        await publisher.publish_data(b"{}", {"event": event})
    try:
        await asyncio.wait_for(consumer.run(handle), 10)
    finally:
        await consumer.cleanup()
    return received


@pytest.mark.parametrize(
    ("group", "expected"),
    [("event-persister", EVENTS[-1:]), ("task-run-recorder", EVENTS), ("reactive-triggers", EVENTS)],
)
def test_only_the_history_lacks_the_events_of_stages(group: str, expected: list[str]) -> None:
    broker = FOR_MANY_STAGES["PREFECT_SERVER_EVENTS_MESSAGING_BROKER"]
    with temporary_settings(updates={PREFECT_MESSAGING_BROKER: broker}):
        assert asyncio.run(_received(group)) == expected

"""Prefect's own messages between the services of a server, without the events of stages and pages in its history.

Prefect keeps every state of a task run and every artifact twice: as it is, which the UI shows, and in an event, which
is several times as large and only in the event feed. `rostrum server` and temporary servers have this module as their
setting `PREFECT_SERVER_EVENTS_MESSAGING_BROKER`. Automations and subscribers get all events. Those of flow runs,
deployments and automations are kept.
"""

from typing import Any

from prefect.server.utilities.messaging import Message, MessageHandler, memory
from prefect.server.utilities.messaging.memory import Publisher, break_topic, ephemeral_subscription

# Prefect wants these four of such a module.
__all__ = ["Consumer", "Publisher", "break_topic", "ephemeral_subscription"]

NOT_KEPT = ("prefect.task-run.", "prefect.artifact-collection.")


class Consumer(memory.Consumer):
    """Hands the messages of a topic to one of the services."""

    def __init__(self, topic: str, *, group: str = "", **more: Any) -> None:
        super().__init__(topic, **more)
        self._keeps_events = group == "event-persister"

    async def run(self, handler: MessageHandler) -> None:
        await super().run(_of_runs(handler) if self._keeps_events else handler)


def _of_runs(handler: MessageHandler) -> MessageHandler:
    """The handler, without messages about events that are not kept."""

    async def handle(message: Message) -> None:
        if not message.attributes.get("event", "").startswith(NOT_KEPT):
            await handler(message)

    return handle

"""Prefect's own messages between the services of a server, without events of stages in its history.

Prefect keeps every state of a task run twice: as a state, which its UI shows, and as an event, which is seven times as
large and shown in the event feed only. This module is the setting `PREFECT_SERVER_EVENTS_MESSAGING_BROKER` of `rostrum
server` and of temporary servers. Automations and subscribers still get all events, and those of flow runs are kept.
"""

from typing import Any

from prefect.server.utilities.messaging import Message, MessageHandler, memory
from prefect.server.utilities.messaging.memory import Publisher, break_topic, ephemeral_subscription

# Prefect wants these four of such a module.
__all__ = ["Consumer", "Publisher", "break_topic", "ephemeral_subscription"]


class Consumer(memory.Consumer):
    """Hands the messages of a topic to one of the services."""

    def __init__(self, topic: str, *, group: str = "", **more: Any) -> None:
        super().__init__(topic, **more)
        self._keeps_events = group == "event-persister"

    async def run(self, handler: MessageHandler) -> None:
        await super().run(_without_stages(handler) if self._keeps_events else handler)


def _without_stages(handler: MessageHandler) -> MessageHandler:
    async def handle(message: Message) -> None:
        if not message.attributes.get("event", "").startswith("prefect.task-run."):
            await handler(message)

    return handle

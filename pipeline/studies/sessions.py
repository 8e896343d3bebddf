"""Where a worker is in a sheet, what comes next, and what is accepted. It is read back from the answers on disk.

Nothing here knows of HTTP. Times are given by a clock, in seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal

from pipeline.errors import RostrumError
from pipeline.studies.items import Answers, Item, right, what_is_wrong
from pipeline.studies.study import Event, Given, Sheet, StudyFolder, append, journal, read_journal

# A recording counts as heard after its length less so many seconds: players round, and clocks differ.
_TOLERANCE = 1.0
# Answers that come so many seconds after the limit still count: they were on their way.
_GRACE = 5.0


class NotYetError(RostrumError):
    """The worker has not heard the recording to its end."""


class RefusedError(RostrumError):
    """These answers cannot be accepted as they are."""


@dataclass
class Session:
    """One worker's way through a sheet."""

    folder: StudyFolder
    sheet: Sheet
    clock: Callable[[], float]
    given: dict[str, Given] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    # When each item was opened first, and from when its questions may be seen.
    opened: dict[str, float] = field(default_factory=dict)
    agreed: bool = False
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def resumed(cls, folder: StudyFolder, worker: str, clock: Callable[[], float]) -> "Session":
        """The session of a worker, as the answers on disk leave it."""
        session = cls(folder, folder.study.sheet_of[worker], clock)
        written = read_journal(journal(folder, worker))
        for given in written.given:
            session._remember(given)
        for event in written.events:
            if event.event == "opened":
                session.opened.setdefault(event.item, event.at)
        session.agreed = not folder.consent or any(event.event == "agreed" for event in written.events)
        return session

    @property
    def next_item(self) -> Item | None:
        """The first item without answers; None if the sheet is done."""
        for item in self.sheet.items:
            if item not in self.given:
                return self.folder.study.by_id[item]
        return None

    def state(self) -> dict[str, Any]:
        """What the worker's page shows now. Questions on a recording are left out until it was heard."""
        item = self.next_item if self.agreed else None
        done = len(self.given)
        state: dict[str, Any] = {
            "title": self.folder.study.title,
            "done": done,
            "total": len(self.sheet.items),
            "phase": "consent" if not self.agreed else "done" if item is None else "item",
            "first": done == 0,
            "training": done < self.sheet.training,
            "limit": self.folder.study.limit,
        }
        if item is not None:
            shown = item.for_worker(self.sheet.worker, self.folder.study.seed)
            if not self._may_see_questions(item):
                shown["questions"] = None
            state["item"] = shown
        return state

    def agree(self) -> dict[str, Any]:
        """The worker agrees to the consent text."""
        with self.lock:
            if not self.agreed:
                self._note("agreed")
                self.agreed = True
        return self.state()

    def open(self, item: str) -> dict[str, Any]:
        """The worker begins an item; time runs from here. Returns the seconds that have passed since the first time."""
        with self.lock:
            self._current(item)
            if item not in self.opened:
                self.opened[item] = self._note("opened", item)
        return {"seconds": self.clock() - self.opened[item]}

    def questions(self, item: str) -> dict[str, Any]:
        """The questions of an item, once its recordings were heard."""
        current = self._current(item)
        if not self._may_see_questions(current):
            raise NotYetError("Listen to the end first.")
        return {"questions": current.for_worker(self.sheet.worker, self.folder.study.seed)["questions"]}

    def answer(self, item: str, answers: Answers, number: str, *, late: bool = False) -> dict[str, Any]:
        """Store answers, then return the next state, with feedback if the item was for training."""
        with self.lock:
            if number in self.numbers:  # sent again, because the confirmation was lost
                return self.state()
            current = self._current(item)
            if not self._may_see_questions(current):
                raise NotYetError("Listen to the end first.")
            now = self.clock()
            seconds = max(now - self.opened.get(item, now), 0.0)
            limit = self.folder.study.limit
            is_late = limit is not None and seconds > limit + current.seconds + _GRACE
            if not (late and limit is not None) and (wrong := what_is_wrong(current, answers)):
                raise RefusedError(wrong)
            given = Given(
                worker=self.sheet.worker,
                item=item,
                number=number,
                answers={} if late else answers,
                seconds=seconds,
                at=now,
                late=late or is_late,
            )
            append(journal(self.folder, self.sheet.worker), given.model_dump_json(exclude_defaults=True))
            in_training = len(self.given) < self.sheet.training
            self._remember(given)
        state = self.state()
        if in_training:
            state["feedback"] = feedback(current, answers)
        return state

    def _note(self, what: Literal["agreed", "opened"], item: str = "") -> float:
        """Write down that something happened, and return when."""
        event = Event(worker=self.sheet.worker, event=what, item=item, at=self.clock())
        append(journal(self.folder, self.sheet.worker), event.model_dump_json(exclude_defaults=True))
        return event.at

    def _remember(self, given: Given) -> None:
        self.given[given.item] = given
        self.numbers.add(given.number)

    def _current(self, item: str) -> Item:
        current = self.next_item
        if not self.agreed or current is None or current.id != item:
            raise RefusedError("This is not the item that is next. Load the page again.")
        return current

    def _may_see_questions(self, item: Item) -> bool:
        if not item.seconds:
            return True
        opened = self.opened.get(item.id)
        return opened is not None and self.clock() - opened >= item.seconds - _TOLERANCE


def feedback(item: Item, answers: Answers) -> dict[str, Any]:
    """What was expected of an answer for training, and how many of its decisions are right."""
    return {"known": item.known, "right": sum(right(item, answers))}

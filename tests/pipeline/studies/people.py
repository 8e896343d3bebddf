"""Simulated workers: they know the truth, and are wrong as often as they are told, or careless in some way."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pipeline.studies.items import Answer, Answers, Item, Question, is_asked
from pipeline.studies.sessions import Session
from pipeline.studies.study import StudyFolder

Careless = Literal["guesses", "always first", "hasty", "copies"]
Truth = Callable[[Item], Answers]


@dataclass
class Clock:
    """A clock that stands still unless somebody takes time."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Person:
    """A worker who gives the true answer to a decision but for this share of them."""

    noise: float = 0.1
    careless: Careless | None = None
    seconds: float = 30.0


def answers_of(person: Person, item: Item, truth: Answers, random: np.random.Generator) -> Answers:
    """What somebody answers to an item. Questions without a known truth get an answer by chance."""
    given: Answers = {}
    for question in item.questions:
        if is_asked(question, given):
            given[question.id] = _answer(person, item, question, truth.get(question.id), random)
    return given


def _answer(
    person: Person, item: Item, question: Question, truth: Answer | None, random: np.random.Generator
) -> Answer:
    values = [option.value for option in question.options]
    if question.kind == "text":
        return _text(person, item, truth, random)
    if question.kind == "rows":
        known = truth if isinstance(truth, dict) else {}
        return {row.value: _value(person, values, known.get(row.value), random) for row in question.rows}
    if question.kind == "several":
        ticked = truth if isinstance(truth, list) else []
        decided = {value: _value(person, ["0", "1"], "1" if value in ticked else "0", random) for value in values}
        chosen = [value for value, decision in decided.items() if decision == "1"]
        return chosen if len(chosen) >= question.least else values[: question.least]
    return _value(person, values, truth if isinstance(truth, str) else None, random)


def _value(person: Person, values: list[str], truth: str | None, random: np.random.Generator) -> str:
    if person.careless == "always first":
        return values[0]
    if person.careless == "guesses" or truth is None or random.random() < person.noise:
        others = values if person.careless or truth is None else [value for value in values if value != truth]
        return str(random.choice(others))
    return truth


def _text(person: Person, item: Item, truth: Answer | None, random: np.random.Generator) -> str:
    if person.careless == "copies":
        return "this argument is simply better than the other one"
    if isinstance(truth, str):
        words = truth.split(" ")
        if len(words) > 1 and random.random() < person.noise:
            del words[int(random.integers(len(words)))]
        return " ".join(words)
    digest = hashlib.sha256(f"{item.id} {random.random()}".encode()).hexdigest()
    return f"it gives a reason that i can check, such as {digest[:20]}"


@dataclass
class Crowd:
    """The workers of a study, each with a person behind it, and the truth that they know."""

    folder: StudyFolder
    people: Mapping[str, Person]
    truth: Truth
    clock: Clock = field(default_factory=Clock)

    def answer_everything(self, seed: int = 0) -> None:
        """Everybody answers the whole sheet, one after the other, through sessions as the server has them."""
        for number, (worker, person) in enumerate(self.people.items()):
            session = Session.resumed(self.folder, worker, self.clock)
            if session.state()["phase"] == "consent":
                session.agree()
            random = np.random.default_rng([seed, number])
            while (item := session.next_item) is not None:
                self.take(session, item, person, random)

    def take(self, session: Session, item: Item, person: Person, random: np.random.Generator) -> dict[str, Any]:
        """One item: opened, heard, answered."""
        session.open(item.id)
        self.clock.now += item.seconds
        session.questions(item.id)
        seconds = 2.0 if person.careless == "hasty" else person.seconds * random.uniform(0.7, 1.4)
        self.clock.now += seconds
        given = answers_of(person, item, self.truth(item), random)
        return session.answer(item.id, given, f"{session.sheet.worker}-{item.id}")

"""What a worker is asked: an item shows something, and has questions. Answers are checked against them here.

What a worker sees has no ids of speeches or arguments: an item's own letters stand for them, and `about` says for what.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

# An answer to one question: an option, several options, an option for each row, or a text.
Answer = str | list[str] | dict[str, str]
Answers = dict[str, Answer]
Kind = Literal["choice", "several", "rows", "text"]
YES, NO = "1", "0"
Text = Annotated[str, Field(max_length=100_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_Part):
    """A value that can be chosen, and its text. With `stands_for`, the text is the label of what is shown there."""

    value: str
    text: str = ""
    stands_for: str | None = None


class Condition(_Part):
    """A question is asked only if another one has one of these values."""

    question: str
    values: tuple[str, ...]


class Question(_Part):
    """One question. In a question of `rows`, each row gets one of the options.

    `least` and `most` bound the characters of a text, or the number of options that are ticked. `ordinal` says that
    the options are in order, as the levels of a rubric are. `alike` names values that count as another one where
    answers are compared with known ones: who heard an argument outright has heard it. With `none_button`, a button says
    that nothing applies: of rows it gives all that are left the last option. `default` is the text to begin with.
    """

    id: str
    text: str
    kind: Kind
    options: tuple[Option, ...] = ()
    rows: tuple[Option, ...] = ()
    least: int = 0
    most: int | None = None
    asked_if: Condition | None = None
    ordinal: bool = False
    alike: dict[str, str] = {}
    none_button: str = ""
    default: str = ""


class Shown(_Part):
    """Something to hear or to read. A recording has a file in the folder `media`, and its length in seconds."""

    id: str
    label: str = ""
    text: str = ""
    media: str | None = None
    seconds: float = 0.0


class Item(_Part):
    """What is shown and asked together. No worker gets two items with the same `subject`.

    `mode` tells kinds of items apart, such as listening and reading. `seek` allows to wind a recording. If `shuffled`,
    what has no label is shown in random order, and labelled by its position. `about` has the ids that letters of
    this item stand for, and `known` the answers that are known beforehand, by letters: workers never see them. `group`
    is what belongs together in figures, a motion or a topic, and `side` a side of it.
    """

    id: str
    subject: str
    group: str = ""
    side: str = ""
    mode: str = ""
    title: str = ""
    lead: str = ""
    shown: tuple[Shown, ...] = ()
    questions: tuple[Question, ...]
    seek: bool = True
    shuffled: bool = False
    noun: str = ""
    about: dict[str, str] = {}
    known: Answers = {}

    @property
    def seconds(self) -> float:
        """How long all recordings of the item are."""
        return sum(part.seconds for part in self.shown)

    def name(self, letter: str) -> str:
        """What a letter of this item stands for; other values stand for themselves."""
        return self.about.get(letter, letter)

    def for_worker(self, worker: str, seed: int) -> dict[str, Any]:
        """What this worker sees, as JSON. What is shuffled has an order of its own for each worker, by the seed."""
        fixed = [part for part in self.shown if part.label or not self.shuffled]
        mixed = [part for part in self.shown if part not in fixed]
        order = np.random.default_rng([seed, *f"{worker} {self.id}".encode()]).permutation(len(mixed))
        shown = [*fixed, *(mixed[index] for index in order)]
        places = {part.id: index for index, part in enumerate(shown)}
        labels = {part.id: part.label for part in fixed}
        labels |= {mixed[index].id: f"{self.noun} {number}".strip() for number, index in enumerate(order, 1)}
        questions = [_for_worker(question, places, labels) for question in self.questions]
        return {
            "id": self.id,
            "title": self.title,
            "lead": self.lead,
            "seek": self.seek,
            "seconds": self.seconds,
            "shown": [{**part.model_dump(), "label": labels[part.id]} for part in shown],
            "questions": questions,
        }


def _for_worker(question: Question, places: Mapping[str, int], labels: Mapping[str, str]) -> dict[str, Any]:
    """The question with its options labelled, in the order in which what they stand for is shown."""
    options = sorted(question.options, key=lambda option: places.get(option.stands_for or "", len(places)))
    written = [
        {"value": option.value, "text": labels[option.stands_for] if option.stands_for else option.text}
        for option in options
    ]
    return {**question.model_dump(exclude={"options", "alike", "ordinal"}), "options": written}


def is_asked(question: Question, answers: Mapping[str, Answer]) -> bool:
    """Whether the question is asked, given the answers so far."""
    condition = question.asked_if
    if condition is None:
        return True
    answer = answers.get(condition.question)
    return any(value in condition.values for value in (answer if isinstance(answer, list) else [answer]))


def what_is_wrong(item: Item, answers: Mapping[str, Answer]) -> str | None:
    """Why these cannot be a worker's answers to the item, in words for the worker; None if they can."""
    if unknown := answers.keys() - {question.id for question in item.questions}:
        return f"there is no question {min(unknown)!r}"
    for question in item.questions:
        if not is_asked(question, answers):
            if question.id in answers:
                return f"not asked: {question.text}"
            continue
        if wrong := _wrong_with(question, answers.get(question.id)):
            return f"{question.text} {wrong}"
    return None


def _wrong_with(question: Question, answer: Answer | None) -> str | None:
    values = {option.value for option in question.options}
    if question.kind == "text":
        return _wrong_text(question, answer if isinstance(answer, str) else "")
    if question.kind == "choice":
        return None if isinstance(answer, str) and answer in values else "Choose one."
    if question.kind == "rows":
        rows = {row.value for row in question.rows}
        good = isinstance(answer, dict) and answer.keys() == rows and set(answer.values()) <= values
        return None if good else "Answer every line."
    if not isinstance(answer, list) or not set(answer) <= values or len(set(answer)) < len(answer):
        return "Choose, or say that none fits."
    most = question.most if question.most is not None else len(values)
    return None if question.least <= len(answer) <= most else f"Choose {question.least} to {most}."


def _wrong_text(question: Question, text: str) -> str | None:
    length, most = len(" ".join(text.split())), question.most or 100_000
    if length < question.least:
        return f"Write at least {question.least} characters; there are {length}."
    return None if length <= most else f"Write at most {most} characters; there are {length}."


class Vote(_Part):
    """One decision of a worker. `row` is empty unless there are several. Values and rows are the item's letters."""

    question: str
    row: str = ""
    value: str


def votes(item: Item, answers: Mapping[str, Answer]) -> Iterator[Vote]:
    """Every decision in some answers. Of several options, each is a decision of its own. Texts are none."""
    for question in item.questions:
        answer = answers.get(question.id)
        if isinstance(answer, dict):
            yield from (Vote(question=question.id, row=row, value=value) for row, value in answer.items())
        elif isinstance(answer, list):
            for option in question.options:
                value = YES if option.value in answer else NO
                yield Vote(question=question.id, row=option.value, value=value)
        elif answer is not None and question.kind == "choice":
            yield Vote(question=question.id, value=answer)


def right(item: Item, answers: Mapping[str, Answer]) -> list[bool]:
    """For each decision that is known, whether the answers have it. On a scale, the next level is right as well."""
    given = {(vote.question, vote.row): vote.value for vote in votes(item, answers)}
    questions = {question.id: question for question in item.questions}
    return [
        _is_right(questions[known.question], given.get((known.question, known.row)), known.value)
        for known in votes(item, item.known)
    ]


def _is_right(question: Question, given: str | None, known: str) -> bool:
    if given is None:
        return False
    if question.ordinal:
        levels = [option.value for option in question.options]
        return abs(levels.index(given) - levels.index(known)) <= 1
    return question.alike.get(given, given) == question.alike.get(known, known)


def letters(count: int) -> list[str]:
    """That many letters: a to z, then aa, ab and so on."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return [alphabet[n] if n < 26 else alphabet[n // 26 - 1] + alphabet[n % 26] for n in range(count)]


def options(pairs: Sequence[tuple[str, str]]) -> tuple[Option, ...]:
    """Options of (value, text)."""
    return tuple(Option(value=value, text=text) for value, text in pairs)

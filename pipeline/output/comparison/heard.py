"""What several runs recognised of one speech, word by word of its reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.engine.finished import FinishedRun
from pipeline.output.views.marks import word_owners
from pipeline.records import ErrorCounts, Speech, Transcript, Word, WordErrors

Kind = Literal["right", "other", "missed", "added", "nothing"]


@dataclass(frozen=True)
class Heard:
    """What a run recognised in one place: the right word, another one, none, or words that nobody said."""

    kind: Kind
    text: str = ""


@dataclass(frozen=True)
class Column:
    """One word of the reference, or a place between two words where a run added some, with each run's words there."""

    said: str
    heard: tuple[Heard, ...]
    start: float | None

    @property
    def is_right(self) -> bool:
        """Whether every run has the right word."""
        return all(each.kind == "right" for each in self.heard)


@dataclass(frozen=True)
class ComparedSpeech:
    """A speech that all runs have scored against the same reference."""

    speech: Speech
    errors: tuple[WordErrors, ...]
    columns: tuple[Column, ...]
    duration: float | None = None
    snr_db: float | None = None

    @property
    def counts(self) -> tuple[ErrorCounts, ...]:
        """The word errors of each run."""
        return tuple(each.words for each in self.errors)


def compared_columns(runs: Sequence[FinishedRun], speech: str, errors: Sequence[WordErrors]) -> tuple[Column, ...]:
    """The words of the speech's reference, and what each run recognised. The times are those of the first run."""
    replaced, added = zip(*(_by_place(each) for each in errors), strict=True)
    starts = _starts(runs[0], speech, errors[0])
    reference = errors[0].reference
    columns: list[Column] = []
    for place in range(len(reference) + 1):
        if any(place in own for own in added):
            extra = tuple(Heard("added", own[place]) if place in own else Heard("nothing") for own in added)
            columns.append(Column("", extra, starts.get(place)))
        if place < len(reference):
            word = reference[place]
            columns.append(
                Column(word, tuple(own.get(place, Heard("right", word)) for own in replaced), starts.get(place))
            )
    return tuple(columns)


def _by_place(errors: WordErrors) -> tuple[dict[int, Heard], dict[int, str]]:
    """Two mappings by place in the reference: what a wrong word was replaced with, and what was added before a word."""
    replaced: dict[int, Heard] = {}
    added: dict[int, str] = {}
    for chunk in errors.alignment:
        words = errors.hypothesis[slice(*chunk.hypothesis)]
        if chunk.type == "insert":
            added[chunk.reference[0]] = " ".join(words)
        elif chunk.type == "delete":
            replaced.update((place, Heard("missed")) for place in range(*chunk.reference))
        elif chunk.type == "substitute":
            replaced.update(
                (place, Heard("other", word)) for place, word in zip(range(*chunk.reference), words, strict=True)
            )
    return replaced, added


def _starts(run: FinishedRun, speech: str, errors: WordErrors) -> dict[int, float]:
    """When the run's word at each place of the reference begins. A missed word has the time of the one before."""
    transcript = run.of_speech(Transcript, speech)
    words: Sequence[Word] = (transcript.recognised or transcript.words) if transcript else ()
    if transcript is None or not words:
        return {}
    owners = word_owners(words, errors, transcript.language)
    found: dict[int, float] = {}
    last = 0.0
    for chunk in errors.alignment:
        first = chunk.hypothesis[0]
        for step, place in enumerate(range(*chunk.reference)):
            if chunk.type != "delete" and first + step < len(owners):
                last = words[owners[first + step]].start
            found[place] = last
    return found

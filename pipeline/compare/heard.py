"""What several runs recognised, word by word, and which words only one of them gets wrong."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pipeline.records import ErrorCounts, Speech, Word
from pipeline.run.summary import Row
from pipeline.score import WordErrors
from pipeline.transcribe import Transcript

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
        return all(heard.kind == "right" for heard in self.heard)


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
        return tuple(error.words for error in self.errors)


def compared_columns(transcript: Transcript | None, errors: Sequence[WordErrors]) -> tuple[Column, ...]:
    """The words of the speech's reference, and what each run recognised. `transcript` has the times."""
    replaced, added = zip(*(_by_place(error) for error in errors), strict=True)
    starts = _starts(transcript, errors[0])
    reference = errors[0].reference
    columns: list[Column] = []
    for index in range(len(reference) + 1):
        if any(index in own for own in added):
            extra = tuple(Heard("added", own[index]) if index in own else Heard("nothing") for own in added)
            columns.append(Column("", extra, starts.get(index)))
        if index < len(reference):
            word = reference[index]
            columns.append(
                Column(word, tuple(own.get(index, Heard("right", word)) for own in replaced), starts.get(index))
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
            replaced.update((index, Heard("missed")) for index in range(*chunk.reference))
        elif chunk.type == "substitute":
            replaced.update(
                (index, Heard("other", word)) for index, word in zip(range(*chunk.reference), words, strict=True)
            )
    return replaced, added


def _starts(transcript: Transcript | None, errors: WordErrors) -> dict[int, float]:
    """When the run's word at each place of the reference begins. A missed word has the time of the one before."""
    words: Sequence[Word] = (transcript.recognised or transcript.words) if transcript else ()
    if not words:
        return {}
    starts: dict[int, float] = {}
    last = 0.0
    for chunk in errors.alignment:
        first = chunk.hypothesis[0]
        for step, index in enumerate(range(*chunk.reference)):
            if chunk.type != "delete" and first + step < len(errors.sources):
                last = words[errors.sources[first + step][0]].start
            starts[index] = last
    return starts


# Which words and passages runs get wrong, and which words only one run gets right.

# A passage has so many words of the reference, and a table at most so many rows per run.
PASSAGE, MOST = 25, 20
Key = TypeVar("Key", bound=tuple[str, ...])


def only_one_is_right(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """Words of the reference that only one run has right. The most frequent ones come first."""
    counts: Counter[tuple[str, str]] = Counter()
    for column in _said(speeches):
        right = [name for name, heard in zip(names, column.heard, strict=True) if heard.kind == "right"]
        if len(right) == 1 < len(names):
            counts[right[0], column.said] += 1
    return [{"right": name, "word": word, "count": count} for (name, word), count in _most(counts)]


def worst_words(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """The words that each run gets wrong most often, and how often they were said."""
    said = Counter(column.said for column in _said(speeches))
    wrong = Counter(
        (name, column.said)
        for column in _said(speeches)
        for name, heard in zip(names, column.heard, strict=True)
        if heard.kind != "right"
    )
    return [
        {"run": name, "word": word, "wrong": count, "said": said[word], "share": count / said[word]}
        for (name, word), count in _most(wrong, of=names)
    ]


def confusions(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """Pairs of words that a run confuses. One of the two is empty for a missed or an added word."""
    counts = Counter(
        (name, column.said, heard.text)
        for speech in speeches
        for column in speech.columns
        for name, heard in zip(names, column.heard, strict=True)
        if heard.kind not in ("right", "nothing")
    )
    return [
        {"run": name, "said": said, "heard": heard, "count": count}
        for (name, said, heard), count in _most(counts, of=names)
    ]


def worst_passages(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """The passages of 25 words with the most errors of each run: what was said, and what was recognised."""
    rows: list[Row] = []
    for at, name in enumerate(names):
        own = [_passage(speech, columns, at, name) for speech in speeches for columns in _passages(speech.columns)]
        rows += sorted((row for row in own if row["errors"]), key=lambda row: -int(row["errors"] or 0))[:MOST]
    return rows


def _passage(speech: ComparedSpeech, columns: Sequence[Column], at: int, name: str) -> Row:
    heard = [column.heard[at] for column in columns]
    return {
        "run": name,
        "speech": speech.speech.id,
        "start": next((column.start for column in columns if column.start is not None), None),
        "errors": sum(
            len(each.text.split()) if each.kind == "added" else each.kind in ("other", "missed") for each in heard
        ),
        "said": " ".join(column.said for column in columns if column.said),
        "heard": " ".join(each.text for each in heard if each.text),
    }


def _passages(columns: Sequence[Column]) -> Iterator[Sequence[Column]]:
    return (columns[first : first + PASSAGE] for first in range(0, len(columns), PASSAGE))


def _said(speeches: Iterable[ComparedSpeech]) -> Iterator[Column]:
    return (column for speech in speeches for column in speech.columns if column.said)


def _most(counts: Counter[Key], of: Sequence[str] = ()) -> list[tuple[Key, int]]:
    """The most frequent keys, in alphabetical order if equally frequent. With the names of runs, those of each run."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if not of:
        return ordered[:MOST]
    return [item for name in of for item in [each for each in ordered if each[0][0] == name][:MOST]]

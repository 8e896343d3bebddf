"""Which words and passages runs get wrong, and which words only one run gets right."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from pipeline.engine.summary import Row
from pipeline.output.comparison.heard import Column, ComparedSpeech

# A passage has so many words of the reference, and a table at most so many rows per run.
PASSAGE, MOST = 25, 20
Key = TypeVar("Key", bound=tuple[str, ...])


def only_one_is_right(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """Words of the reference that only one run has right. The most frequent ones come first."""
    found: Counter[tuple[str, str]] = Counter()
    for column in _said(speeches):
        right = [name for name, heard in zip(names, column.heard, strict=True) if heard.kind == "right"]
        if len(right) == 1 < len(names):
            found[right[0], column.said] += 1
    return [{"right": name, "word": word, "count": count} for (name, word), count in _most(found)]


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
    found = Counter(
        (name, column.said, heard.text)
        for speech in speeches
        for column in speech.columns
        for name, heard in zip(names, column.heard, strict=True)
        if heard.kind not in ("right", "nothing")
    )
    return [
        {"run": name, "said": said, "heard": heard, "count": count}
        for (name, said, heard), count in _most(found, of=names)
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


def _most(found: Counter[Key], of: Sequence[str] = ()) -> list[tuple[Key, int]]:
    """The most frequent keys, in alphabetical order if equally frequent. With the names of runs, those of each run."""
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    if not of:
        return ordered[:MOST]
    return [item for name in of for item in [each for each in ordered if each[0][0] == name][:MOST]]

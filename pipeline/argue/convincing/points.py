"""The points of a debate: known arguments that speeches make, and key points, each with what was said around it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.records import KeyPoint, KeyPoints, Mentions, Passage, Prosody, Sentences, Stance

# What counts as a livelier delivery: emphasis, a wide pitch and pace speak for it, hesitation against it.
DELIVERY = {"emphasis": 1.0, "f0_range": 1.0, "speech_rate": 1.0, "pause_share": -1.0, "filled_pauses": -1.0}


@dataclass(frozen=True)
class _Made:
    """An argument, the known one or key point that it is an instance `of`, and the speech that makes it."""

    source: Literal["mention", "key point"]
    of: str
    title: str
    stance: Stance | None
    speech: str


@dataclass(frozen=True)
class Point(_Made):
    """An argument as a speech makes it: which, where, in which words, and how it was said."""

    speaker: str | None
    said: Passage
    delivery: float | None = None


@dataclass(frozen=True)
class _Found(_Made):
    """A point before it is known whether it is among the surest: sentences `first` up to, not including, `last`."""

    first: int
    last: int
    sureness: float


def points_of(
    sentences: Mapping[str, Sentences],
    mentions: Mapping[str, Mentions],
    keypoints: KeyPoints | None,
    prosody: Mapping[str, Prosody],
    *,
    most: int,
    context: int,
) -> list[Point]:
    """The surest `most` mentions and `most` key points of each side, with `context` sentences before and after.

    A key point whose sentence is part of what is judged already, as a mention or as another key point, is left out.
    """
    found = _surest([each for speech, record in sorted(mentions.items()) for each in _mentioned(speech, record)], most)
    judged = {place for each in found for place in _places(each, context)}
    others = []
    for each in sorted(map(_keypoint, keypoints.points if keypoints else ()), key=lambda each: -each.sureness):
        if (each.speech, each.first) not in judged:
            others.append(each)
            judged.update(_places(each, context))
    found += _surest(others, most)
    return [_point(each, sentences[each.speech], prosody.get(each.speech), context) for each in found]


def _places(found: _Found, context: int) -> set[tuple[str, int]]:
    """The sentences that are judged for this point, as if all were of its speaker."""
    return {(found.speech, sentence) for sentence in range(found.first - context, found.last + context)}


def _mentioned(speech: str, record: Mentions) -> Iterator[_Found]:
    for mention in record.mentions:
        if mention.mentioned and mention.carriers:
            carrier = mention.carriers[0]
            yield _Found(
                source="mention",
                of=mention.argument,
                title=mention.title,
                stance=mention.stance,
                speech=speech,
                first=carrier.first,
                last=carrier.last,
                sureness=mention.probability,
            )


def _keypoint(point: KeyPoint) -> _Found:
    return _Found(
        source="key point",
        of=point.id,
        title=point.text,
        stance=point.stance,
        speech=point.source,
        first=point.sentence,
        last=point.sentence + 1,
        sureness=float(len(point.matches)),
    )


def _surest(found: Sequence[_Found], most: int) -> list[_Found]:
    """The surest of each side, the surest first."""
    chosen: list[_Found] = []
    for stance in ("pro", "con", None):
        of_side = [each for each in found if each.stance == stance]
        chosen += sorted(of_side, key=lambda each: -each.sureness)[:most]
    return chosen


def _point(found: _Found, sentences: Sentences, prosody: Prosody | None, context: int) -> Point:
    said, chosen = passage(sentences, found.first, found.last, context)
    return Point(
        source=found.source,
        of=found.of,
        title=found.title,
        stance=found.stance,
        speech=found.speech,
        speaker=sentences.sentences[found.first].speaker,
        said=said,
        delivery=delivery(prosody, chosen),
    )


def passage(sentences: Sentences, first: int, last: int, context: int) -> tuple[Passage, range]:
    """These sentences with as many of the same speaker's before and after, and which sentences that makes."""
    items = sentences.sentences
    speaker = items[first].speaker
    start, end = first, last
    while start > max(first - context, 0) and items[start - 1].speaker == speaker:
        start -= 1
    while end < min(last + context, len(items)) and items[end].speaker == speaker:
        end += 1
    chosen = range(start, end)
    return Passage.of(*items[start:end]), chosen


def delivery(prosody: Prosody | None, chosen: range) -> float | None:
    """How lively these sentences were said for their speaker: the mean of DELIVERY's signed, standardised features."""
    if prosody is None:
        return None
    values = [
        sign * value
        for i in chosen
        for name, sign in DELIVERY.items()
        if (value := prosody.sentences[i].normalised.get(name)) is not None
    ]
    return float(np.mean(values)) if values else None

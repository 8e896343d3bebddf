"""The points of a debate, known arguments and key points that speeches make, and their order by convincingness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import expit

from pipeline.arrays import Integers, Matrix, Vector
from pipeline.convincing.model import ConvincingModel
from pipeline.convincing.stage import PointPair, RankedPoint, Ranking, SideStrength
from pipeline.keypoints import KeyPoint, KeyPoints
from pipeline.mentions import Mentions
from pipeline.prosody import Prosody
from pipeline.records import Passage, Stance
from pipeline.segment import Sentences

# What counts as a livelier delivery: emphasis, a wide pitch and pace speak for it, hesitation against it.
DELIVERY = {"emphasis": 1.0, "f0_range": 1.0, "speech_rate": 1.0, "pause_share": -1.0, "filled_pauses": -1.0}


@dataclass(frozen=True)
class _Argument:
    """An argument, the known one or key point that it is an instance `of`, and the speech that makes it."""

    source: Literal["mention", "key point"]
    of: str
    title: str
    stance: Stance | None
    speech: str


@dataclass(frozen=True)
class Point(_Argument):
    """An argument as a speech makes it: which, where, in which words, and how it was said."""

    speaker: str | None
    said: Passage
    delivery: float | None = None


@dataclass(frozen=True)
class _Candidate(_Argument):
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
    mentioned = [point for speech, record in sorted(mentions.items()) for point in _mentioned(speech, record)]
    surest = _surest(mentioned, most)
    judged = {sentence for point in surest for sentence in _sentences(point, context)}
    others = []
    candidates = [_keypoint(point) for point in (keypoints.points if keypoints else ()) if point.matches]
    for point in sorted(candidates, key=lambda point: -point.sureness):
        if (point.speech, point.first) not in judged:
            others.append(point)
            judged.update(_sentences(point, context))
    surest += _surest(others, most)
    return [_point(point, sentences[point.speech], prosody.get(point.speech), context) for point in surest]


def _sentences(point: _Candidate, context: int) -> set[tuple[str, int]]:
    """(speech, sentence) of all that is judged for this point, as if all were of its speaker."""
    return {(point.speech, sentence) for sentence in range(point.first - context, point.last + context)}


def _mentioned(speech: str, record: Mentions) -> Iterator[_Candidate]:
    for mention in record.mentions:
        if mention.mentioned and mention.carriers:
            carrier = mention.carriers[0]
            yield _Candidate(
                source="mention",
                of=mention.argument,
                title=mention.title,
                stance=mention.stance,
                speech=speech,
                first=carrier.first,
                last=carrier.last,
                sureness=mention.probability,
            )


def _keypoint(point: KeyPoint) -> _Candidate:
    return _Candidate(
        source="key point",
        of=point.id,
        title=point.text,
        stance=point.stance,
        speech=point.source,
        first=point.sentence,
        last=point.sentence + 1,
        sureness=float(len(point.matches)),
    )


def _surest(points: Sequence[_Candidate], most: int) -> list[_Candidate]:
    """The surest of each side, the surest first."""
    ordered = sorted(points, key=lambda point: -point.sureness)
    return [
        point
        for stance in ("pro", "con", None)
        for point in [point for point in ordered if point.stance == stance][:most]
    ]


def _point(candidate: _Candidate, sentences: Sentences, prosody: Prosody | None, context: int) -> Point:
    said, chosen = passage(sentences, candidate.first, candidate.last, context)
    return Point(
        source=candidate.source,
        of=candidate.of,
        title=candidate.title,
        stance=candidate.stance,
        speech=candidate.speech,
        speaker=sentences.sentences[candidate.first].speaker,
        said=said,
        delivery=delivery(prosody, chosen),
    )


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


def ranking(motion: str, points: Sequence[Point], model: ConvincingModel, delivery_weight: float) -> Ranking:
    """The ranking of the points: every point against every other, without and with delivery."""
    rows = model.rows([point.said.text for point in points])
    odds = model.log_odds(rows)
    order = np.argsort(-odds, kind="stable")
    points, rows, odds = [points[i] for i in order], rows[order], odds[order]
    wins = _wins(odds)
    wins_delivered = None
    if any(point.delivery is not None for point in points):
        wins_delivered = _wins(odds + delivery_weight * np.array([point.delivery or 0.0 for point in points]))
    facts = model.facts
    return Ranking(
        motion=motion,
        points=_ranked(points, wins, wins_delivered),
        pairs=_pairs(model, points, rows, wins, wins_delivered),
        sides=_sides(points, wins, wins_delivered),
        model=f"ranking model that learned from {facts.pairs:,} judged pairs of arguments ({facts.trained_on})",
        accuracy=facts.accuracy,
        accuracy_low=facts.accuracy_low,
        accuracy_high=facts.accuracy_high,
        elsewhere=facts.elsewhere,
        delivery_weight=delivery_weight,
    )


def _wins(odds: Vector) -> Matrix:
    """How probable it is that the row's point convinces more than the column's."""
    return np.asarray(expit(odds[:, None] - odds))


def _ranked(points: Sequence[Point], wins: Matrix, wins_delivered: Matrix | None) -> tuple[RankedPoint, ...]:
    strengths, ranks = _strengths(wins)
    delivered = None if wins_delivered is None else _strengths(wins_delivered)
    return tuple(
        RankedPoint(
            **vars(point),
            strength=float(strengths[i]),
            rank=int(ranks[i]),
            strength_with_delivery=None if delivered is None else float(delivered[0][i]),
            rank_with_delivery=None if delivered is None else int(delivered[1][i]),
        )
        for i, point in enumerate(points)
    )


def _strengths(wins: Matrix) -> tuple[Vector, Integers]:
    """(mean probability of winning over another point, rank by it); a point alone has a strength of one half."""
    others = max(len(wins) - 1, 1)
    strengths = (wins.sum(axis=1) - 0.5) / others if len(wins) > 1 else np.full(len(wins), 0.5)
    ranks = np.empty(len(wins), dtype=np.int64)
    ranks[np.argsort(-strengths, kind="stable")] = np.arange(1, len(wins) + 1)
    return strengths, ranks


def _pairs(
    model: ConvincingModel, points: Sequence[Point], rows: Matrix, wins: Matrix, wins_delivered: Matrix | None
) -> tuple[PointPair, ...]:
    """A record for every two points. The first is the more convincing one."""
    return tuple(
        PointPair(
            first=first,
            second=second,
            across_stances={points[first].stance, points[second].stance} == {"pro", "con"},
            probability=float(wins[first, second]),
            probability_with_delivery=None if wins_delivered is None else float(wins_delivered[first, second]),
            reasons=model.reasons(rows[first], rows[second]),
        )
        for first, second in combinations(range(len(rows)), 2)
    )


def _sides(points: Sequence[Point], wins: Matrix, wins_delivered: Matrix | None) -> tuple[SideStrength, ...]:
    """How strong each side is; nothing unless both sides have points."""
    stances = np.array([point.stance or "" for point in points])
    sides: tuple[tuple[Stance, Stance], ...] = (("pro", "con"), ("con", "pro"))
    if not all(np.any(stances == stance) for stance, _ in sides):
        return ()

    def against(matrix: Matrix, own: Stance, other: Stance) -> float:
        return float(matrix[np.ix_(stances == own, stances == other)].mean())

    return tuple(
        SideStrength(
            stance=own,
            points=int(np.sum(stances == own)),
            strength=against(wins, own, other),
            strength_with_delivery=None if wins_delivered is None else against(wins_delivered, own, other),
        )
        for own, other in sides
    )

"""Whether the side that takes up the other side's points, or drops its own, wins votes (Zhang et al., 2016).

The points of a side are the words that mark its opening speeches off from the other side's. In the discussion after
them, a side may say more or fewer of them. A side wins if its share of the votes grows more.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.result import Row
from pipeline.measures import with_interval
from pipeline.records import Stance
from pipeline.speakers.camps import OTHER
from pipeline.speakers.evaluate.data import KnownDebate
from pipeline.text.terms import stop_words, tokens

_OPENING_WORDS = 300
_POINTS = 20
_PRIOR = 0.5
_SIDES: tuple[Stance, Stance] = ("pro", "con")


@dataclass(frozen=True)
class Flow:
    """How often each side says its own points and the other side's, as shares of its words: in the openings (before)
    and in the discussion (after).
    """

    own_before: dict[Stance, float]
    own_after: dict[Stance, float]
    other_before: dict[Stance, float]
    other_after: dict[Stance, float]


def vote_rows(debates: Sequence[KnownDebate]) -> Iterator[Row]:
    """How often the winner is the side that does more of something than the other one."""
    voted = [(debate, flow) for debate in debates if debate.gain and (flow := flow_of(debate))]
    if not voted:
        return
    measures: dict[str, Callable[[Flow, Stance], float]] = {
        "adopts the other side's points": lambda flow, side: flow.other_after[side] - flow.other_before[side],
        "says the other side's points": lambda flow, side: flow.other_after[side],
        "drops its own points": lambda flow, side: flow.own_before[side] - flow.own_after[side],
    }
    for name, measure in measures.items():
        right = []
        for debate, flow in voted:
            assert debate.gain is not None
            difference = measure(flow, "pro") - measure(flow, "con")
            right.append(0.5 if difference == 0 else float((difference > 0) == (debate.gain > 0)))
        yield {"table": "votes", "method": name, **with_interval("accuracy", right), "debates": len(right)}
    yield {"table": "votes", "method": "chance", "accuracy": 0.5, "debates": len(voted)}


def flow_of(debate: KnownDebate) -> Flow | None:
    """The points of both sides in the openings and in the discussion; None without opening speeches of both."""
    opening: dict[Stance, Counter[str]] = {side: Counter() for side in _SIDES}
    discussion: dict[Stance, Counter[str]] = {side: Counter() for side in _SIDES}
    opened: set[str] = set()
    for utterance in debate.said:
        side = debate.sides.get(utterance.voice)
        if side is None:
            continue
        words = Counter(word for word in tokens(utterance.text) if word not in stop_words() and len(word) > 2)
        if utterance.voice not in opened and utterance.words >= _OPENING_WORDS:
            opened.add(utterance.voice)
            opening[side] += words
        elif utterance.voice in opened:
            discussion[side] += words
    if any(not opening[side] or not discussion[side] for side in _SIDES):
        return None
    points = {side: _points(opening[side], opening[OTHER[side]]) for side in _SIDES}
    return Flow(
        {side: _share(opening[side], points[side]) for side in _SIDES},
        {side: _share(discussion[side], points[side]) for side in _SIDES},
        {side: _share(opening[side], points[OTHER[side]]) for side in _SIDES},
        {side: _share(discussion[side], points[OTHER[side]]) for side in _SIDES},
    )


def _points(own: Counter[str], other: Counter[str]) -> frozenset[str]:
    """The words with the highest z-scored log-odds ratio against the other side."""
    words = sorted(own.keys() | other.keys())
    one = np.array([own[word] for word in words]) + _PRIOR
    two = np.array([other[word] for word in words]) + _PRIOR
    odds = np.log(one / (one.sum() - one)) - np.log(two / (two.sum() - two))
    scores = odds / np.sqrt(1 / one + 1 / two)
    return frozenset(words[index] for index in np.argsort(-scores, kind="stable")[:_POINTS])


def _share(said: Counter[str], points: frozenset[str]) -> float:
    return sum(said[word] for word in points) / sum(said.values())

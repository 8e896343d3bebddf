"""The two camps of a debate, found together: which sides of all debaters fit best to everything that tells of them.

Every clue adds to the log-odds of a side, or to those of two people being on one side. With few debaters all
assignments of sides are weighed; with many, each side is adapted to the others' until nothing changes (mean field).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Matrix
from pipeline.records import Stance
from pipeline.speakers.utterances import Utterance

OTHER: dict[Stance, Stance] = {"pro": "con", "con": "pro"}


@dataclass(frozen=True)
class Clue:
    """A sentence says that a voice is on a side; or that it is on the same side as another one, or on the other side.

    `kind` says how it tells, which decides how much it weighs.
    """

    kind: str
    voice: str
    sentence: int | None
    text: str
    side: Stance | None = None
    other: str | None = None
    together: bool = False


# Log-odds of one clue of each kind, chosen by hand; n agreeing clues weigh as the square root of n.
WEIGHTS = {
    "introduced": 3.5,
    "announced": 2.0,
    "addressed": 2.5,
    "listed": 1.2,
    "asked": 0.4,
    "spoken of": 1.0,
    "asks for votes": 2.5,
    "warns of votes": 1.0,
    "own side": 2.0,
    "opponents claim": 1.2,
    "denies the motion": 1.8,
    "claims the motion": 0.7,
    "judges the motion": 0.8,
    "named in the motion": 2.5,
    # Passages are evidence that is shown; their weight is in the log-odds of own words.
    "own words": 0.0,
    "speaks of the others": 1.2,
    "partner": 2.5,
    "opponent": 1.5,
    "other side asked": 1.0,
}
# Debaters reply to the other side more often than to their own.
_REPLY = 0.5
# Opening speeches alternate, and the side for the motion opens.
_ALTERNATES = 1.0
_OPENS = 0.7
_OPENING_WORDS = 150
# Sides have about as many debaters, and nobody debates alone.
_UNEVEN = 0.5
_ONE_SIDED = 2.0
_MOST_ENUMERATED = 14


def side_probabilities(
    debaters: Sequence[str], clues: Iterable[Clue], said: Sequence[Utterance], own_words: Mapping[str, float]
) -> dict[str, float]:
    """How probably each debater is for the motion. `own_words` are log-odds from what each says alone."""
    number = {voice: index for index, voice in enumerate(debaters)}
    single = np.array([own_words.get(voice, 0.0) for voice in debaters])
    pairs = np.zeros((len(debaters), len(debaters)))
    for (kind, voice, other), votes in _counted(clues).items():
        weight = WEIGHTS[kind] * votes
        if voice in number and other is None:
            single[number[voice]] += weight
        elif voice in number and other in number and voice != other:
            pairs[number[voice], number[other]] += weight / 2
    if len(debaters) > 1:
        _add_order(single, pairs, number, said)
        _add_replies(pairs, number, said)
    pairs = pairs + pairs.T
    solve = _enumerated if len(debaters) <= _MOST_ENUMERATED else _mean_field
    return dict(zip(debaters, solve(single, pairs).tolist(), strict=True))


def _counted(clues: Iterable[Clue]) -> dict[tuple[str, str, str | None], float]:
    """Votes of each kind of clue on a voice or pair: for minus against, divided by the root of their number."""
    sums: Counter[tuple[str, str, str | None]] = Counter()
    numbers: Counter[tuple[str, str, str | None]] = Counter()
    for clue in clues:
        key = (clue.kind, clue.voice, clue.other)
        agrees = clue.together if clue.side is None else clue.side == "pro"
        sums[key] += 1 if agrees else -1
        numbers[key] += 1
    return {key: sums[key] / math.sqrt(numbers[key]) for key in numbers}


def _add_order(single: Floats, pairs: Matrix, number: Mapping[str, int], said: Sequence[Utterance]) -> None:
    """What the order of the first long speeches tells."""
    opening: list[int] = []
    for utterance in said:
        index = number.get(utterance.voice)
        if index is not None and utterance.words >= _OPENING_WORDS and index not in opening:
            opening.append(index)
    if len(opening) < 2:
        return
    single[opening[0]] += _OPENS
    for one, other in zip(opening, opening[1:], strict=False):
        pairs[one, other] -= _ALTERNATES / 2


def _add_replies(pairs: Matrix, number: Mapping[str, int], said: Sequence[Utterance]) -> None:
    """What it tells that people speak right after one another."""
    after: Counter[tuple[int, int]] = Counter()
    total: Counter[int] = Counter()
    for one, other in zip(said, said[1:], strict=False):
        if one.voice in number and other.voice in number and one.voice != other.voice:
            first, second = sorted((number[one.voice], number[other.voice]))
            after[first, second] += 1
            total[first] += 1
            total[second] += 1
    for (first, second), count in after.items():
        pairs[first, second] -= _REPLY * math.log1p(count)


def _enumerated(single: Floats, pairs: Matrix) -> Floats:
    """Probabilities by the weights of all assignments."""
    count = len(single)
    if not count:
        return np.zeros(0)
    signs = np.asarray(1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1), dtype=np.float64)
    energy = signs @ single / 2 + np.einsum("si,ij,sj->s", signs, pairs, signs) / 4 - _prior(signs.sum(axis=1), count)
    weights = np.exp(energy - energy.max())
    return np.asarray(((signs > 0) * weights[:, None]).sum(axis=0) / weights.sum())


def _prior(balance: Floats, count: int) -> Floats:
    """What uneven sides cost."""
    if count < 2:
        return np.zeros(len(balance))
    return np.asarray(_UNEVEN * np.maximum(np.abs(balance) - 1, 0) + _ONE_SIDED * (np.abs(balance) == count))


def _mean_field(single: Floats, pairs: Matrix) -> Floats:
    """Probabilities by adapting each expected side to the others'."""
    expected = np.tanh(single / 2)
    for _ in range(200):
        updated = np.tanh((single + pairs @ expected) / 2)
        if np.abs(updated - expected).max() < 1e-6:
            break
        expected = 0.5 * (expected + updated)
    return np.asarray((1 + expected) / 2)

"""Which arguments convince."""

from typing import Literal

from pipeline.records.base import Record
from pipeline.records.corpus import Stance
from pipeline.records.counter import Reason
from pipeline.records.passages import Passage


class RankedPoint(Record):
    """An argument as somebody made it, and its place among the points of its motion, 1 being the most convincing.

    `of` is the id of the known argument or key point. `strength` is the mean probability that it convinces more than
    another point of the motion. `delivery` is how it was said, in standard deviations of its speaker's sentences; it is
    None, and so are the figures with delivery, where no prosody was measured.
    """

    source: Literal["mention", "key point"]
    of: str
    title: str
    stance: Stance | None
    speech: str
    speaker: str | None
    said: Passage
    strength: float
    place: int
    delivery: float | None
    strength_with_delivery: float | None
    place_with_delivery: int | None


class PointPair(Record):
    """How probable it is that one point convinces more than another, and what speaks for it most.

    `first` and `second` are indices of the ranking's points; `reasons` speak for the likelier one, by words alone.
    `across_stances` marks points of opposite sides.
    """

    first: int
    second: int
    across_stances: bool = False
    probability: float
    probability_with_delivery: float | None
    reasons: tuple[Reason, ...]


class SideStrength(Record):
    """The mean probability that a point of this side convinces more than one of the other side.

    These are judgements across stances: `Agreement.across_stances` says how often such ones were right.
    """

    stance: Stance
    points: int
    strength: float
    strength_with_delivery: float | None


class Agreement(Record):
    """How often a model chose as people did, between two arguments of a collection that it did not learn from.

    `across_stances` says whether the two were of opposite stances. The ends of the interval are those of 95 %, drawn by
    topic. `confidence` is the mean probability that the model gave to its choices, calibrated on other collections than
    this; None if there is no other one. Equal to `accuracy` it is honest, above it is too sure.
    """

    collection: str
    across_stances: bool
    pairs: int
    accuracy: float
    accuracy_low: float | None
    accuracy_high: float | None
    confidence: float | None


class Ranking(Record):
    """Which points of a debate convince, in a model's opinion.

    `elsewhere` says how often such opinions were right on other collections of arguments: that is what to expect.
    `accuracy`, with the ends of its 95 % interval, is on topics left out of the collection that the model learned from,
    and is higher. Both are known for the words alone: `delivery_weight`, the log odds of a standard deviation of
    delivery, was set by hand.
    """

    motion: str
    points: tuple[RankedPoint, ...]
    pairs: tuple[PointPair, ...]
    sides: tuple[SideStrength, ...]
    model: str
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    elsewhere: tuple[Agreement, ...] = ()
    delivery_weight: float

"""Which arguments convince."""

from typing import Literal

from pipeline.counter import Reason
from pipeline.records import Passage, Record, Stance


class RankedPoint(Record):
    """An argument as somebody made it, and its rank among the points of its motion. Rank 1 is the most convincing.

    `of` is the id of the known argument or key point. `strength` is the mean probability that it convinces more than
    another point of the motion. `delivery` says how lively it was said, in standard deviations of its speaker's
    sentences. It is None if no prosody was measured, and so are the figures with delivery.
    """

    source: Literal["mention", "key point"]
    of: str
    title: str
    stance: Stance | None
    speech: str
    speaker: str | None
    said: Passage
    strength: float
    rank: int
    delivery: float | None
    strength_with_delivery: float | None
    rank_with_delivery: int | None


class PointPair(Record):
    """The probability that one point convinces more than another, and the strongest reasons for it.

    `first` and `second` are indices of the ranking's points. `reasons` are those for the likelier one, by words alone.
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

    These are judgements across stances. An `Agreement` with `across_stances` says how often such judgements were right.
    """

    stance: Stance
    points: int
    strength: float
    strength_with_delivery: float | None


class Agreement(Record):
    """How often a model chose as people did between two arguments, in a collection that it did not learn from.

    `across_stances` says whether the two had opposite stances. `accuracy_low` and `accuracy_high` are the ends of the
    95 % interval, drawn by topic. `confidence` is the mean probability that the model gave to its choices, calibrated
    on other collections; None if there is no other one. A confidence above `accuracy` is too sure.
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

    `elsewhere` says how often such opinions were right on other collections of arguments, which is what to expect here.
    `accuracy`, with the ends of its 95 % interval, is higher: it is that on held-out topics of the collection that the
    model learned from. Both are measured for the words alone. `delivery_weight`, the log odds of a standard deviation
    of delivery, was set by hand.
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

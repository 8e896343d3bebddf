"""Which points of a debate convince."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import Field

from pipeline.counter import Reason
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mentions
from pipeline.prosody import Prosody
from pipeline.records import Motion, Passage, Record, Speech, Speeches, Stance
from pipeline.segment import Sentences, in_english
from pipeline.settings import StageSettings
from pipeline.speakers import Speakers, speeches_on
from pipeline.stage import Skip, stage


class ConvincingSettings(StageSettings):
    """How points are ranked by how convincing they are."""

    model: str = Field(
        "default",
        description="The model that judges. default: the one that comes with rostrum. trained: the one that `rostrum "
        "train convincing` saved in the model cache. Anything else is the path of such a file.",
    )
    points: int = Field(
        10,
        ge=1,
        le=1000,
        description="Compare at most this many mentions and this many key points of each side, the most certain first.",
    )
    context: int = Field(
        1,
        ge=0,
        le=1000,
        description="How many sentences of the same speaker, before and after a point, are judged together with it.",
    )
    delivery_weight: float = Field(
        0.25,
        ge=0,
        le=10,
        description="How much livelier delivery (emphasis, pitch range, pace, few hesitations) counts: what one "
        "standard deviation adds to the log odds of convincing more. The default was chosen by hand, not from data.",
    )


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


def _models(settings: ConvincingSettings) -> dict[str, str]:
    from pipeline import models
    from pipeline.convincing.model import digest, load

    encoder = load(settings.model).facts.encoder
    return {"convincing": digest(settings.model), encoder: models.find(encoder).digest}


@stage(
    version=5,  # 5: ranks are called ranks
    model=_models,
    reads={"speeches": ("id", "motion", "stance", "speakers")},
)
def convincing(
    motion: Motion,
    sentences: Mapping[str, Sentences],
    mentions: Mapping[str, Mentions],
    keypoints: KeyPoints | None,
    prosody: Mapping[str, Prosody],
    speeches: Speeches | None = None,
    people: Mapping[str, Speakers] = MappingProxyType({}),
    *,
    settings: ConvincingSettings,
) -> Ranking:
    """Order the arguments and key points of a debate by how convincing a model holds them, and compare the sides."""
    from pipeline.convincing.debate import points_of, ranking
    from pipeline.convincing.model import load

    recordings = speeches.items if speeches else [Speech(id=id) for id in sentences]
    sentences = in_english(sentences)
    spoken = speeches_on(recordings, sentences, people)
    recording = {one.id: one.speech.recording or one.id for one in spoken}
    points = points_of(
        {id: sentences[own] for id, own in recording.items()},
        {one.id: one.part_of(mentions[own]) for one in spoken if (own := recording[one.id]) in mentions},
        keypoints,
        {id: prosody[own] for id, own in recording.items() if own in prosody},
        most=settings.points,
        context=settings.context,
    )
    if len(points) < 2:
        raise Skip("fewer than two arguments or key points were found on this motion")
    return ranking(motion.id, points, load(settings.model), settings.delivery_weight)

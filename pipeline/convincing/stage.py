"""Which points of a debate convince."""

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import Field

from pipeline.convincing.record import Ranking
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mentions
from pipeline.prosody import Prosody
from pipeline.records import Motion, Speech, Speeches
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

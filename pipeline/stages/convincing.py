"""Which points of a debate convince."""

from collections.abc import Mapping

from pipeline.records import KeyPoints, Mentions, Motion, Prosody, Ranking, Sentences
from pipeline.settings.convincing import ConvincingSettings
from pipeline.stages import Skip, stage


def _models(settings: ConvincingSettings) -> dict[str, str]:
    from pipeline import models
    from pipeline.argue.convincing.model import digest, load

    encoder = load(settings.model).facts.encoder
    return {"convincing": digest(settings.model), encoder: models.find(encoder).digest}


@stage(version=2, model=_models)
def convincing(
    motion: Motion,
    sentences: Mapping[str, Sentences],
    mentions: Mapping[str, Mentions],
    keypoints: KeyPoints | None,
    prosody: Mapping[str, Prosody],
    *,
    settings: ConvincingSettings,
) -> Ranking:
    """Order the arguments and key points of a debate by how convincing a model holds them, and compare the sides."""
    from pipeline.argue.convincing.debate import ranking
    from pipeline.argue.convincing.model import load
    from pipeline.argue.convincing.points import points_of

    points = points_of(sentences, mentions, keypoints, prosody, most=settings.points, context=settings.context)
    if len(points) < 2:
        raise Skip("fewer than two arguments or key points were found on this motion")
    return ranking(motion.id, points, load(settings.model), settings.delivery_weight)

"""The speeches on a motion become KeyPoints."""

from collections.abc import Mapping

from pipeline.records import KeyPoints, Motion, Sentences, Speeches
from pipeline.settings.keypoints import KeypointsSettings
from pipeline.stages import Skip, stage


def _models(settings: KeypointsSettings) -> dict[str, str]:
    from pipeline.argue.keypoints.matcher import matcher_digests

    return matcher_digests(settings.matcher)


@stage(version=4, model=_models, pace=0.0025)
def keypoints(
    motion: Motion, speeches: Speeches, sentences: Mapping[str, Sentences], *, settings: KeypointsSettings
) -> KeyPoints:
    """Find the key points of each side, who makes them, for how long, and which of them the other side takes up."""
    if not any(each.sentences for each in sentences.values()):
        raise Skip("no speech on this motion has a sentence")
    from pipeline.argue.keypoints.debate import key_points
    from pipeline.argue.keypoints.matcher import load_matcher

    return key_points(
        motion,
        speeches.items,
        sentences,
        load_matcher(settings.matcher),
        **settings.model_dump(exclude={"matcher"}),
    )

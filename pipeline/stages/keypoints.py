"""The speeches on a motion become KeyPoints."""

from collections.abc import Mapping

from pipeline.records import KeyPoints, Motion, Sentences, Speeches
from pipeline.settings.keypoints import KeypointsSettings
from pipeline.settings.llm import LLM
from pipeline.stages import Skip, stage

# Chooses among hundreds of candidates if a large language model matches, which is too slow for so many.
_CHOOSER = "ensemble"


def _models(settings: KeypointsSettings) -> dict[str, str]:
    from pipeline.argue.keypoints.matcher import matcher_digests

    named = matcher_digests(_CHOOSER if settings.matcher == LLM != settings.writer else settings.matcher)
    if settings.asked_llm:
        from pipeline.argue.keypoints.llm_writer import WRITE
        from pipeline.argue.keypoints.matchers.llm import MATCH
        from pipeline.llm.large_model import model_digests

        named |= model_digests(settings.asked_llm, [MATCH, WRITE])
    return named


@stage(version=6, model=_models, pace=0.0025)
def keypoints(
    motion: Motion, speeches: Speeches, sentences: Mapping[str, Sentences], *, settings: KeypointsSettings
) -> KeyPoints:
    """Find the key points of each side, who makes them, for how long, and which of them the other side takes up."""
    if not any(each.sentences for each in sentences.values()):
        raise Skip("no speech on this motion has a sentence")
    from pipeline.argue.keypoints.debate import key_points
    from pipeline.argue.keypoints.generation import Writer, generate
    from pipeline.argue.keypoints.llm_writer import ChosenBy, LlmWriter
    from pipeline.argue.keypoints.matcher import load_matcher
    from pipeline.llm.large_model import LargeModel

    asked = LargeModel(settings.asked_llm) if settings.asked_llm else None
    write: Writer = generate
    if asked and settings.writer == LLM:
        write = LlmWriter(asked)
    elif settings.matcher == LLM:
        write = ChosenBy(load_matcher(_CHOOSER))
    found = key_points(
        motion,
        speeches.items,
        sentences,
        load_matcher(settings.matcher, asked),
        write=write,
        **settings.model_dump(exclude={"matcher", "writer"}),
    )
    return found.model_copy(update={"llm": asked.use()}) if asked else found

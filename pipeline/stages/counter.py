"""The speeches on a motion become CounterScores: who answers whom."""

from collections.abc import Mapping

from pipeline.records import CounterScores, Motion, Sentences, Speeches
from pipeline.settings.counter import CounterSettings
from pipeline.stages import Skip, stage


def _models(settings: CounterSettings) -> dict[str, str]:
    from pipeline.argue.counter.loading import models_used

    return models_used(settings)


@stage(version=3, model=_models, both_sides=True)
def counter(
    motion: Motion, speeches: Speeches, sentences: Mapping[str, Sentences], *, settings: CounterSettings
) -> CounterScores:
    """Find which opposing speech was recorded in answer to each supporting one, and why."""
    from pipeline.argue.counter.evidence import as_text
    from pipeline.argue.counter.loading import judge

    known = sorted((speech for speech in speeches.items if speech.id in sentences), key=lambda speech: speech.id)
    supporting, opposing = (
        [as_text(each.id, sentences[each.id], each.speakers) for each in known if each.stance == stance]
        for stance in ("pro", "con")
    )
    if not supporting or not opposing:
        raise Skip(f"no {'opposing' if supporting else 'supporting'} speech on this motion")
    return judge(settings, [*supporting, *opposing]).judged(motion.id, supporting, opposing, sentences)

"""A spoken answer becomes a Grade, by a model that was trained on answers that people have scored."""

from pydantic import Field

from pipeline.grade.record import Grade
from pipeline.prosody import Prosody
from pipeline.records import ExpectedTexts
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage


class GradeSettings(StageSettings):
    """How a spoken answer is scored."""

    model: str = Field(
        "trained",
        description="The scoring model. trained: the one that `rostrum train grade` saved in the model cache. Anything "
        "else is the path of such a file. Without a model, nothing is scored.",
    )


def _models(settings: GradeSettings) -> dict[str, str]:
    from pipeline.grade.model import find_model

    model = find_model(settings.model)
    if model is None:
        return {}
    encoder = {model.encoder: model.encoder_digest} if model.encoder and model.encoder_digest else {}
    return {"scoring model": model.digest, **encoder}


@stage(version=1, model=_models)
def grade(
    sentences: Sentences, references: ExpectedTexts | None, prosody: Prosody | None, *, settings: GradeSettings
) -> Grade:
    """Score a spoken answer with its interval, and say what the score rests on."""
    from pipeline.grade.model import find_model, graded, lacking

    model = find_model(settings.model)
    if model is None:
        raise Skip("no scoring model; train one on answers that people have scored: rostrum train grade")
    expected = references.texts if references else ()
    if reason := lacking(model, expected, prosody):
        raise Skip(reason)
    return graded(" ".join(sentence.text for sentence in sentences.in_english().sentences), expected, prosody, model)

"""A spoken answer becomes a Grade, by a model that was trained on answers that people have scored."""

from pipeline.records import ExpectedTexts, Grade, Prosody, Sentences
from pipeline.settings.grade import GradeSettings
from pipeline.stages import Skip, stage


def _models(settings: GradeSettings) -> dict[str, str]:
    from pipeline.argue.grading.model import TRAINED, ScoringModel, model_path

    path = model_path(settings.model)
    if settings.model == TRAINED and not path.exists():
        return {}
    model = ScoringModel.read(path)
    encoder = {model.encoder: model.encoder_digest} if model.encoder and model.encoder_digest else {}
    return {"scoring model": model.digest, **encoder}


@stage(version=1, model=_models)
def grade(
    sentences: Sentences, references: ExpectedTexts | None, prosody: Prosody | None, *, settings: GradeSettings
) -> Grade:
    """Score a spoken answer with its interval, and say what the score rests on."""
    from pipeline.argue.grading.grade import graded, lacking
    from pipeline.argue.grading.model import TRAINED, ScoringModel, model_path

    path = model_path(settings.model)
    if settings.model == TRAINED and not path.exists():
        raise Skip("no scoring model; train one on answers that people have scored: rostrum train score")
    model = ScoringModel.read(path)
    expected = references.texts if references else ()
    if reason := lacking(model, expected, prosody):
        raise Skip(reason)
    return graded(" ".join(each.text for each in sentences.sentences), expected, prosody, model)

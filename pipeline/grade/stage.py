"""A spoken answer becomes a Grade, by a model that was trained on answers that people have scored."""

from typing import Literal

from pydantic import Field

from pipeline.prosody import Prosody
from pipeline.records import ExpectedTexts, Record
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


class GradeReason(Record):
    """How many points one feature of an answer adds to the score of the average answer, or takes from it.

    `share` is its share in all points that features add and take.
    """

    name: str
    kind: Literal["content", "argument", "language", "delivery"]
    value: float
    points: float
    share: float


class Grade(Record):
    """The score that a model gives to a spoken answer. Nine of ten scores of people are between `low` and `high`.

    `lowest` and `highest` are the ends of the scale of the people, `average` is the score of the average answer.
    `kappa` is the quadratic weighted kappa between model and people, on prompts that the model had not seen.
    `second_person_kappa` is that between two people; None if only one person scored.
    """

    score: float
    low: float
    high: float
    lowest: float
    highest: float
    average: float
    reasons: tuple[GradeReason, ...]
    trained_on: str
    responses: int
    kappa: float | None
    second_person_kappa: float | None


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

"""The score of one speech by a scoring model, and what it rests on."""

from collections.abc import Sequence

from pipeline.argue.grading.features import (
    Features,
    content_features,
    delivery_features,
    kind_of,
    language_features,
)
from pipeline.argue.grading.model import ScoringModel
from pipeline.errors import RostrumError
from pipeline.records import Grade, GradeReason, Prosody
from pipeline.text.encoders.sentence_encoder import load_encoder


def lacking(model: ScoringModel, references: Sequence[str], prosody: Prosody | None) -> str | None:
    """Why the model cannot score the speech: an input that it needs is missing. None if all are there."""
    kinds = {kind_of(name) for name in model.weights}
    if "content" in kinds and not references:
        return "no references, which the scoring model compares with"
    if "delivery" in kinds and prosody is None:
        return "no prosody, which the scoring model was trained with"
    return None


def graded(text: str, references: Sequence[str], prosody: Prosody | None, model: ScoringModel) -> Grade:
    """The score with the range that holds nine of ten scores of people; what counts most comes first."""
    features = _features(text, references, prosody, model)
    contributions = model.contributions(features)
    score = model.score(contributions)
    total = sum(map(abs, contributions.values()))
    ordered = sorted(contributions.items(), key=lambda item: (-abs(item[1]), item[0]))
    return Grade(
        score=_rounded(score),
        low=_rounded(max(score - model.half_width, model.lowest)),
        high=_rounded(min(score + model.half_width, model.highest)),
        lowest=model.lowest,
        highest=model.highest,
        average=_rounded(model.bias),
        reasons=tuple(
            GradeReason(
                name=name,
                kind=kind_of(name),
                value=_rounded(features[name]),
                points=_rounded(points),
                share=_rounded(abs(points) / total) if total else 0.0,
            )
            for name, points in ordered
        ),
        trained_on=model.trained_on,
        responses=model.agreement.responses,
        kappa=model.agreement.kappa,
        second_person_kappa=model.agreement.second_person_kappa,
    )


def _features(text: str, references: Sequence[str], prosody: Prosody | None, model: ScoringModel) -> Features:
    """The features that the model weighs; one of delivery that is not defined counts as average."""
    encoder = load_encoder(model.encoder) if model.encoder else None
    if encoder and encoder.digest != model.encoder_digest:
        raise RostrumError(
            f"the scoring model was trained with other weights of {model.encoder}; train it again: rostrum train score"
        )
    found = language_features(text) | (delivery_features(prosody) if prosody else {})
    found |= content_features(text, references[: model.references], model.terms, model.idf, encoder)
    return {name: found.get(name, weight.mean) for name, weight in model.weights.items()}


def _rounded(value: float) -> float:
    return round(float(value), 4)

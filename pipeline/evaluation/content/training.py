"""Training of scoring models from scored responses, and how they agree with people on prompts left out."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.argue.coverage import Terms
from pipeline.argue.feature_weight import FeatureWeight
from pipeline.argue.grading.features import DELIVERY, LENGTH
from pipeline.argue.grading.model import HumanAgreement, ScoringModel
from pipeline.arrays import Floats, Matrix, Vector
from pipeline.errors import RostrumError
from pipeline.evaluation.content.data import ScoredResponses, read_responses
from pipeline.evaluation.content.study import (
    cases,
    content_measures,
    delivery_measures,
    documents,
    idf_of,
    language_measures,
    prompts_of,
    scores_of,
    stacked,
)
from pipeline.measures.prediction import pearson, quadratic_weighted_kappa, rounded
from pipeline.text.encoders.sentence_encoder import load_encoder

_FOLDS = 10
_PENALTIES = (1.0, 10.0, 100.0, 1000.0)
# The share of answers whose error stays within the interval.
_COVERED = 0.9
FEWEST_PROMPTS = 2


@dataclass(frozen=True)
class _Fit:
    """Ridge regression over standardised features."""

    means: Floats
    deviations: Floats
    weights: Floats
    bias: float

    @classmethod
    def of(cls, features: Matrix, scores: Vector, penalty: float) -> "_Fit":
        means, spread = features.mean(axis=0), features.std(axis=0)
        deviations = np.where(spread > 1e-9, spread, 1.0)
        standard = (features - means) / deviations
        gram = standard.T @ standard + penalty * np.eye(features.shape[1])
        weights = np.linalg.solve(gram, standard.T @ (scores - scores.mean()))
        return cls(means, deviations, weights, float(scores.mean()))

    def __call__(self, features: Matrix) -> Vector:
        return np.asarray(self.bias + ((features - self.means) / self.deviations) @ self.weights)


def train_scoring_model(folder: Path, *, encoder: str | None, references: int, terms: Terms) -> ScoringModel:
    """A model of all the responses, and what ten folds of prompts say of it.

    Recognised transcripts are learned from where there are any: those are what it will be asked to score.
    """
    table = read_responses(folder)
    found = cases(table, references)
    texts = [case.response.text if case.response.asr is None else case.response.asr for case in found]
    known = load_encoder(encoder) if encoder else None
    measures = content_measures(found, texts, terms, idf_of(table, terms), references, known)
    measures |= {LENGTH: np.array([float(len(text.split())) for text in texts]), **language_measures(texts)}
    measures |= {name: values for name, values in delivery_measures(found).items() if name in DELIVERY}
    scores, prompts = scores_of(found), prompts_of(found)
    if np.ptp(scores) == 0:
        raise RostrumError(f"{folder}: all responses have the same score: nothing to learn")
    features = stacked(measures, list(measures))
    penalty, predictions = _best_penalty(features, scores, prompts)
    fit = _Fit.of(features, scores, penalty)
    predictions = np.clip(predictions, scores.min(), scores.max())
    counts = Counter(term for text in documents(table) for term in set(terms.of(text)))
    assert terms.unit != "lemmas"
    return ScoringModel(
        trained_on=f"{folder.resolve().name}: {len(found)} responses to {len(set(prompts))} prompts",
        unit=terms.unit,
        stop_words=terms.stop_words,
        references=references,
        encoder=known.name if known else None,
        encoder_digest=known.digest if known else None,
        weights={
            name: FeatureWeight(mean=_digits(mean), deviation=_digits(deviation), weight=_digits(weight))
            for name, mean, deviation, weight in zip(measures, fit.means, fit.deviations, fit.weights, strict=True)
        },
        bias=_digits(fit.bias),
        lowest=float(scores.min()),
        highest=float(scores.max()),
        half_width=_digits(np.quantile(np.abs(predictions - scores), _COVERED)),
        agreement=_agreement(table, predictions, scores, prompts),
        documents=len(documents(table)),
        frequencies=dict(sorted(counts.items())),
    )


def _best_penalty(features: Matrix, scores: Vector, prompts: list[str]) -> tuple[float, Vector]:
    """(the penalty with the smallest error on prompts left out, the predictions with it)."""
    _, index = np.unique(np.asarray(prompts), return_inverse=True)
    if index.max() + 1 < FEWEST_PROMPTS:
        raise RostrumError("responses to one prompt only; give two prompts or more, to judge the model on new ones")
    folds = index % min(_FOLDS, index.max() + 1)
    tried = {penalty: _left_out(features, scores, folds, penalty) for penalty in _PENALTIES}
    best = min(tried, key=lambda penalty: float(np.mean((tried[penalty] - scores) ** 2)))
    return best, tried[best]


def _left_out(features: Matrix, scores: Vector, folds: Floats, penalty: float) -> Vector:
    """Each response's score by a model that has not seen its fold."""
    predictions = np.empty(len(scores))
    for fold in np.unique(folds):
        held = folds == fold
        predictions[held] = _Fit.of(features[~held], scores[~held], penalty)(features[held])
    return predictions


def _agreement(table: ScoredResponses, predictions: Vector, scores: Vector, prompts: list[str]) -> HumanAgreement:
    raters = np.array([response.raters for response in table.responses if response.raters]).reshape(-1, 2)
    return HumanAgreement(
        responses=len(scores),
        prompts=len(set(prompts)),
        kappa=_kappa(predictions, scores),
        pearson=pearson(predictions, scores),
        second_person_kappa=_kappa(raters[:, 1], raters[:, 0]) if len(raters) else None,
    )


def _kappa(predictions: Vector, scores: Vector) -> float | None:
    return quadratic_weighted_kappa(rounded(predictions, scores).tolist(), rounded(scores, scores).tolist())


def _digits(value: float) -> float:
    """Six digits: the same file from the same data on machines whose last digits differ."""
    return round(float(value), 6) + 0.0

"""The measured responses of a table in one kind of transcript, and the figures of each measure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Vector
from pipeline.evaluation.content.study import Measures, StudiedResponse, prompts_of, stacked
from pipeline.evaluation.result import Row
from pipeline.measures.intervals import bootstrap_interval
from pipeline.measures.prediction import (
    cross_validated,
    linear_fit,
    partial_correlation,
    pearson,
    prediction_kappa,
    undefined,
)


@dataclass(frozen=True)
class Sample:
    """Responses, their human scores, and what is measured of them."""

    found: Sequence[StudiedResponse]
    scores: Vector
    content: Measures
    language: Measures
    delivery: Measures
    others: Measures

    @property
    def measures(self) -> Measures:
        return self.content | self.language | self.delivery | self.others

    def grouped(self, values: Vector) -> list[tuple[Vector, Vector]]:
        """(values, scores), prompt by prompt."""
        _, index = np.unique(prompts_of(self.found), return_inverse=True)
        return [(values[index == each], self.scores[index == each]) for each in range(index.max() + 1)]

    def methods(self) -> dict[str, list[str]]:
        """The measures of each row."""
        content, language, delivery = list(self.content), list(self.language), list(self.delivery)
        rows = {name: [name] for name in ("random", "length", *content)}
        rows |= {"all content measures": content, "all content measures and length": [*content, "length"]}
        rows["language use"] = language
        if delivery:
            rows |= {"delivery": delivery, "delivery and language use": [*delivery, *language]}
            rows |= {f"{name} and delivery": [name, *delivery] for name in content}
            rows |= {f"{name}, delivery and language use": [name, *delivery, *language] for name in content}
        rows["all measures"] = [*content, *language, *delivery, "length"]
        return rows


def figures(sample: Sample, values: Vector | None, predictions: Vector | None, seed: int) -> Row:
    """The figures of a row: of a measure's values, and of predictions of the scores. A note says why one is missing."""
    row: Row = {"pearson": None, "pearson_low": None, "pearson_high": None, "partial": None, "kappa": None}
    row["responses"] = len(sample.scores)
    if values is None or predictions is None:
        row["note"] = "one prompt only: nothing to fit a prediction on"
    if values is not None:
        row["pearson"] = pearson(values, sample.scores)
        row["partial"] = partial_correlation(values, sample.scores, sample.others["length"])
        if reason := undefined(values, sample.scores):
            row["note"] = reason
        else:
            row["pearson_low"], row["pearson_high"] = bootstrap_interval(
                sample.grouped(values), _pooled_pearson, seed=seed
            )
    if predictions is not None:
        row["kappa"] = prediction_kappa(predictions, sample.scores)
    return row


def predicted(sample: Sample, train: Sample | None, names: Sequence[str]) -> Vector | None:
    """Scores predicted from these measures: fitted on `train`, else on the other prompts; None if there are none."""
    features = stacked(sample.measures, names)
    if train is None:
        return cross_validated(features, sample.scores, prompts_of(sample.found))
    return linear_fit(stacked(train.measures, names), train.scores)(features)


def _pooled_pearson(groups: Sequence[tuple[Vector, Vector]]) -> float:
    value = pearson(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    return float("nan") if value is None else value

"""Training of mention detectors: logistic regression over labelled lists, validated motion by motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.argue.mentions.detector import PRIOR, Detector, Weight
from pipeline.argue.mentions.features import LIKENESS, columns
from pipeline.argue.mentions.prior import Prior
from pipeline.arrays import Floats, Mask, Matrix, Probabilities
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import Encoder

# The simplest form within a standard error of the best in cross-validation; docs/mentions.md has all that were tried.
LISTENING_FEATURES = (LIKENESS, PRIOR)
INVERSE_REGULARISATION = 1.0


@dataclass(frozen=True)
class LabelledList:
    """A speech and its list of arguments: features, labels, and the share of people who heard each argument.

    Examples of one `group`, a motion, never stand on both sides of a validation.
    """

    group: str
    motion: str
    titles: tuple[str, ...]
    table: Matrix
    labels: Mask
    shares: Floats


def fit(
    examples: Sequence[LabelledList], encoder: Encoder, trained_on: str, features: Sequence[str] = LISTENING_FEATURES
) -> Detector:
    """A detector that weighs these features, made for this encoder."""
    from sklearn.linear_model import LogisticRegression

    labels = np.concatenate([example.labels for example in examples]) if examples else np.zeros(0)
    if len(set(labels.tolist())) < 2:
        raise RostrumError(f"{trained_on}: arguments that are mentioned and arguments that are not are needed to learn")
    values = _training_values(examples, features)
    means, deviations = values.mean(axis=0), np.where(values.std(axis=0) > 1e-9, values.std(axis=0), 1)
    model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000).fit((values - means) / deviations, labels)
    numbers = zip(features, means, deviations, model.coef_[0], strict=True)
    return Detector(
        trained_on=trained_on,
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        weights={
            name: Weight(mean=_rounded(mean), deviation=_rounded(deviation), weight=_rounded(weight))
            for name, mean, deviation, weight in numbers
        },
        bias=_rounded(model.intercept_[0]),
        threshold=0.5,
        prior=_prior(examples) if PRIOR in features else None,
    )


def cross_validate(
    examples: Sequence[LabelledList], encoder: Encoder, features: Sequence[str] = LISTENING_FEATURES
) -> list[Probabilities]:
    """For each example the probabilities by a detector that has seen nothing of its group."""
    by_group: dict[str, Detector] = {}
    for group in sorted({example.group for example in examples}):
        by_group[group] = fit(_without(examples, group), encoder, "", features)
    return [by_group[each.group].probabilities(each.motion, each.titles, each.table) for each in examples]


def _training_values(examples: Sequence[LabelledList], features: Sequence[str]) -> Floats:
    """The features of every argument; its prior is what the other groups say, as it will be for a new speech."""
    similarities = [name for name in features if name != PRIOR]
    values = np.vstack([example.table for example in examples])[:, columns(similarities)]
    if PRIOR not in features:
        return values
    priors = {group: _prior(_without(examples, group)) for group in {example.group for example in examples}}
    log_odds = [priors[each.group].log_odds(each.motion, each.titles) for each in examples]
    at = list(features).index(PRIOR)
    return np.insert(values, at, np.concatenate(log_odds), axis=1)


def _prior(examples: Sequence[LabelledList]) -> Prior:
    if not examples:
        raise RostrumError("the labels are all of one motion; at least two are needed to learn from")
    return Prior.of(
        (example.motion, title, float(share))
        for example in examples
        for title, share in zip(example.titles, example.shares, strict=True)
    )


def _without(examples: Sequence[LabelledList], group: str) -> list[LabelledList]:
    return [example for example in examples if example.group != group]


def _rounded(value: Any) -> float:
    """Six decimals: the same file from the same data on machines whose last digits differ."""
    return round(float(value), 6) + 0.0

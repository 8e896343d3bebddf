"""Training of mention detectors: logistic regression over labelled lists, validated motion by motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Mask, Matrix, Probabilities
from pipeline.errors import RostrumError
from pipeline.mentions.detector import GENERALITY, LIKENESS, PRIOR, Detector, Generality, Prior, columns
from pipeline.models.stored import feature_weights, six_decimals
from pipeline.text.encoders.sentence_encoder import Encoder

# Training of mention detectors: logistic regression over labelled lists, validated motion by motion.

# The simplest form within a standard error of the best in cross-validation; docs/mentions.md has all that were tried.
LISTENING_FEATURES = (LIKENESS, PRIOR)
INVERSE_REGULARISATION = 1.0
# A feature of the titles on a motion that is counted on other texts.
Counted = Callable[[str, Sequence[str]], Floats]


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
    examples: Sequence[LabelledList],
    encoder: Encoder,
    trained_on: str,
    features: Sequence[str] = LISTENING_FEATURES,
    *,
    arguments: Sequence[tuple[str, str]] = (),
    matcher: str | None = None,
) -> Detector:
    """A detector that weighs these features, made for this encoder and, where it weighs its scores, this matcher.

    What is general is counted on `arguments`: (topic, text).
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    labels = np.concatenate([example.labels for example in examples]) if examples else np.zeros(0)
    if len(set(labels.tolist())) < 2:
        raise RostrumError(f"{trained_on}: arguments that are mentioned and arguments that are not are needed to learn")
    scaler = StandardScaler()
    values = scaler.fit_transform(_training_values(examples, features, arguments))
    model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000).fit(values, labels)
    return Detector(
        trained_on=trained_on,
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        weights=feature_weights(features, scaler, model.coef_[0]),
        bias=six_decimals(model.intercept_[0]),
        threshold=0.5,
        prior=_prior(examples) if PRIOR in features else None,
        generality=Generality.of(arguments) if GENERALITY in features else None,
        matcher=matcher,
    )


def cross_validate(
    examples: Sequence[LabelledList],
    encoder: Encoder,
    features: Sequence[str] = LISTENING_FEATURES,
    *,
    arguments: Sequence[tuple[str, str]] = (),
) -> list[Probabilities]:
    """For each example the probabilities by a detector that has seen nothing of its group."""
    by_group: dict[str, Detector] = {}
    for group in sorted({example.group for example in examples}):
        rest = [each for each in arguments if each[0] != group]
        by_group[group] = fit(_without(examples, group), encoder, "", features, arguments=rest)
    return [by_group[each.group].probabilities(each.motion, each.titles, each.table) for each in examples]


def _training_values(
    examples: Sequence[LabelledList], features: Sequence[str], arguments: Sequence[tuple[str, str]]
) -> Floats:
    """The features of every argument. Those counted on texts are counted on the other groups' texts, as for a new
    speech.
    """
    counts: dict[str, Callable[[str], Counted]] = {
        PRIOR: lambda group: _prior(_without(examples, group)).log_odds,
        GENERALITY: lambda group: Generality.of(each for each in arguments if each[0] != group).standing,
    }
    groups = {example.group for example in examples}
    by_group = {name: {group: counts[name](group) for group in groups} for name in counts.keys() & set(features)}
    table = np.vstack([example.table for example in examples])
    found = []
    for name in features:
        if name in by_group:
            found.append(np.concatenate([by_group[name][each.group](each.motion, each.titles) for each in examples]))
        else:
            found.append(table[:, columns([name])[0]])
    return np.column_stack(found)


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


# Training of mention detectors from a folder, and how they do on motions that they have not seen.

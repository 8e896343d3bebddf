"""Labelled lists of arguments as features, and detectors that are fitted to them and validated motion by motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Mask, Matrix
from pipeline.errors import RostrumError
from pipeline.matching.matcher import Matcher
from pipeline.mentions.detector import GENERALITY, PRIOR, Detector, Generality, Prior
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, as_one_text
from pipeline.mentions.features import (
    LIKENESS,
    ArgumentVectors,
    SpeechVectors,
    argument_vectors,
    columns,
    feature_table,
    mean_of_sentences,
    point_scores,
    speech_vectors,
)
from pipeline.models.stored import FeatureWeight, feature_weights, six_decimals
from pipeline.text.encoders.sentence_encoder import Encoder

# The simplest form within a standard error of the best in cross-validation; docs/mentions.md has all that were tried.
LISTENING_FEATURES = (LIKENESS, PRIOR)
INVERSE_REGULARISATION = 1.0


@dataclass(frozen=True)
class LabelledList:
    """A speech and its list of arguments: features, labels, and the share of people who heard each argument.

    Examples of one `group`, a motion, never stand on both sides of a validation. `others` are the titles of the list
    without a label.
    """

    group: str
    motion: str
    titles: tuple[str, ...]
    table: Matrix
    labels: Mask
    shares: Floats
    others: tuple[str, ...] = ()

    def probabilities(self, detector: Detector) -> Floats:
        """The probability of each labelled argument, which is compared with the whole list."""
        return detector.probabilities(self.motion, self.titles, self.table, self.others)


def vectors(
    encoder: Encoder, pairs: Sequence[Pair], sentences: Sequence[str], others: Sequence[str] = ()
) -> tuple[ArgumentVectors, SpeechVectors]:
    """The vectors of a list's arguments, followed by those of the titles `others`, and the vectors of its speech."""
    passage = as_one_text if isinstance(encoder, WordMeanEncoder) else mean_of_sentences
    titles, texts = [pair.title for pair in pairs], [pair.text for pair in pairs]
    arguments = argument_vectors(encoder, [*titles, *others], [*texts, *(() for _ in others)], passage)
    return arguments, speech_vectors(encoder, sentences, passage)


def labelled_lists(
    data: Listening, transcript: str, encoder: Encoder, matcher: Matcher | None = None
) -> list[LabelledList]:
    """One list per speech. Without votes, the label stands for the share of people who heard the argument.

    With a `matcher`, the features by its scores are computed as well.
    """
    return [
        LabelledList(
            group=pairs[0].motion,
            motion=pairs[0].motion_text,
            titles=tuple(pair.title for pair in pairs),
            table=_features(data, pairs, transcript, encoder, matcher),
            labels=np.array([pair.mentioned for pair in pairs]),
            shares=np.array([float(pair.mentioned) if pair.share is None else pair.share for pair in pairs]),
            others=data.unlabelled.get(pairs[0].speech, ()),
        )
        for pairs in data.lists()
    ]


def _features(
    data: Listening, pairs: Sequence[Pair], transcript: str, encoder: Encoder, matcher: Matcher | None
) -> Matrix:
    """The features of the labelled arguments, compared with all that are known on the motion."""
    speech = pairs[0].speech
    sentences, others = data.transcripts[transcript][speech], data.unlabelled.get(speech, ())
    titles, texts = [*(pair.title for pair in pairs), *others], [*(pair.text for pair in pairs), *(() for _ in others)]
    points = point_scores(matcher, pairs[0].motion_text, sentences, titles, texts) if matcher else None
    return feature_table(*vectors(encoder, pairs, sentences, others), points)[: len(pairs)]


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


# How strongly a detector that learns from few labels is held to the shipped one: this many labels outweigh it.
_HOLD = 10.0


def adapt(shipped: Detector, examples: Sequence[LabelledList], trained_on: str) -> Detector:
    """The shipped detector, moved to where a few labels are: how sure it is, how often arguments are heard, and which.

    It has three numbers to learn: what its log odds are multiplied by, what is added, and the weight of the prior, the
    share of the labelled speeches in which an argument was heard. Each is held to what the shipped detector has.
    """
    from scipy.optimize import minimize

    labels = np.concatenate([example.labels for example in examples]).astype(float)
    logits = np.concatenate([_log_odds(shipped, example) for example in examples])
    priors = np.concatenate([_prior_without(examples, place) for place in range(len(examples))])
    values = np.column_stack([logits, np.ones_like(logits), priors])
    start = np.array([1.0, 0.0, 0.0])

    def loss(weights: Floats) -> float:
        odds = values @ weights
        return float(np.logaddexp(0, odds).sum() - labels @ odds + _HOLD / 2 * ((weights - start) ** 2).sum())

    scale, shift, weight = minimize(loss, start).x
    weights = {
        name: one.model_copy(update={"weight": six_decimals(scale * one.weight)})
        for name, one in shipped.weights.items()
    }
    weights[PRIOR] = FeatureWeight(mean=0.0, deviation=1.0, weight=six_decimals(weight))
    threshold = np.log(shipped.threshold / (1 - shipped.threshold))
    return shipped.model_copy(
        update={
            "trained_on": trained_on,
            "weights": weights,
            "bias": six_decimals(scale * (shipped.bias - threshold) + shift),
            "threshold": 0.5,
            "prior": _prior(examples),
        }
    )


def _log_odds(detector: Detector, example: LabelledList) -> Floats:
    """How far each argument's log odds are above the detector's threshold."""
    likely = example.probabilities(detector).clip(1e-6, 1 - 1e-6)
    return np.asarray(np.log(likely / (1 - likely)) - np.log(detector.threshold / (1 - detector.threshold)))


def _prior_without(examples: Sequence[LabelledList], place: int) -> Floats:
    """The prior of a list's arguments, counted on the other lists: as for a new speech."""
    others, own = [*examples[:place], *examples[place + 1 :]], examples[place]
    return _prior(others).log_odds(own.motion, own.titles) if others else np.zeros(len(own.titles))


def leave_one_out(shipped: Detector, examples: Sequence[LabelledList]) -> list[Floats]:
    """For each speech the probabilities by the detector that was adapted to all the others."""
    found = []
    for place, example in enumerate(examples):
        others = [*examples[:place], *examples[place + 1 :]]
        detector = adapt(shipped, others, "") if others else shipped
        found.append(example.probabilities(detector))
    return found


def cross_validate(
    examples: Sequence[LabelledList],
    encoder: Encoder,
    features: Sequence[str] = LISTENING_FEATURES,
    *,
    arguments: Sequence[tuple[str, str]] = (),
) -> list[Floats]:
    """For each example the probabilities by a detector that has seen nothing of its group."""
    detectors: dict[str, Detector] = {}
    for group in sorted({example.group for example in examples}):
        rest = [argument for argument in arguments if argument[0] != group]
        detectors[group] = fit(_without(examples, group), encoder, "", features, arguments=rest)
    return [one.probabilities(detectors[one.group]) for one in examples]


def _training_values(
    examples: Sequence[LabelledList], features: Sequence[str], arguments: Sequence[tuple[str, str]]
) -> Floats:
    """The features of every argument; those counted on texts are counted on other groups, as for a new speech."""
    counts: dict[str, Callable[[str], Callable[[str, Sequence[str]], Floats]]] = {
        PRIOR: lambda group: _prior(_without(examples, group)).log_odds,
        GENERALITY: lambda group: Generality.of(one for one in arguments if one[0] != group).standing,
    }
    groups = {example.group for example in examples}
    by_group = {name: {group: counts[name](group) for group in groups} for name in counts.keys() & set(features)}
    table = np.vstack([example.table for example in examples])
    values = []
    for name in features:
        if name in by_group:
            counted = [by_group[name][one.group](one.motion, one.titles) for one in examples]
            values.append(np.concatenate(counted))
        else:
            values.append(table[:, columns([name])[0]])
    return np.column_stack(values)


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

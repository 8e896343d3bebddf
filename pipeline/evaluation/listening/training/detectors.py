"""Training of mention detectors from a folder, and how they do on motions that they have not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.argue.keypoints.matcher import load_matcher
from pipeline.argue.mentions.detector import Detector
from pipeline.evaluation.keypoints.parts import training_parts
from pipeline.evaluation.listening.data import read_listening, refuse_too_few_motions
from pipeline.evaluation.listening.lists import labelled_lists
from pipeline.evaluation.listening.training.fitting import (
    LISTENING_FEATURES,
    LabelledList,
    cross_validate,
    fit,
)
from pipeline.evaluation.listening.training.synthetic import MATCHER, SYNTHETIC_FEATURES, synthetic_examples
from pipeline.measures.decisions import area_under_curve, calibration_error, macro_accuracy
from pipeline.text.encoders.sentence_encoder import Encoder


@dataclass(frozen=True)
class TrainedDetector:
    """A detector, and what cross-validation over motions (or topics) says of it."""

    detector: Detector
    pairs: int
    groups: int
    accuracy: float
    majority: float
    auc: float | None
    ece: float

    @property
    def summary(self) -> str:
        auc = "undefined" if self.auc is None else f"{self.auc:.3f}"
        return (
            f"{self.pairs} pairs on {self.groups} motions; on motions left out: accuracy {self.accuracy:.3f} "
            f"(always the more frequent answer: {self.majority:.3f}), AUC {auc}, calibration error {self.ece:.3f}"
        )


def trained_on(folder: Path, encoder: Encoder, seed: int = 0) -> TrainedDetector:
    """Train on a folder of labelled speeches, all kinds of transcript in it, or of ArgKP."""
    if list(folder.glob("key_points*.csv")):
        return _trained_on_argkp(folder, encoder, seed)
    data = read_listening(folder)
    refuse_too_few_motions(data, folder)
    lists = [each for transcript in data.transcripts for each in labelled_lists(data, transcript, encoder)]
    name = f"{folder.resolve().name}: {len(data.pairs)} labels on {len(data.motions)} motions"
    return _validated(fit(lists, encoder, name, LISTENING_FEATURES), lists, encoder)


def _trained_on_argkp(folder: Path, encoder: Encoder, seed: int) -> TrainedDetector:
    """Train on speeches put together from ArgKP.

    They are of its dev part if there is one, because the matcher learned from the training part. How general words are
    is counted on the training part.
    """
    training, dev = training_parts(folder)
    arguments = [(each.topic, each.text) for each in training.arguments]
    lists = list(synthetic_examples(dev or training, encoder, load_matcher(MATCHER), seed))
    name = f"speeches put together from ArgKP, {(dev or training).name or 'its only'} part, seed {seed}"
    detector = fit(lists, encoder, name, SYNTHETIC_FEATURES, arguments=arguments, matcher=MATCHER)
    return _validated(detector, lists, encoder, arguments)


def _validated(
    detector: Detector, lists: list[LabelledList], encoder: Encoder, arguments: Sequence[tuple[str, str]] = ()
) -> TrainedDetector:
    features = tuple(detector.weights)
    probabilities = np.concatenate(cross_validate(lists, encoder, features, arguments=arguments))
    labels = np.concatenate([each.labels for each in lists])
    speeches = np.repeat(np.arange(len(lists)), [len(each.titles) for each in lists])
    frequent = np.full(len(labels), labels.mean() > 0.5)
    return TrainedDetector(
        detector=detector,
        pairs=len(labels),
        groups=len({each.group for each in lists}),
        accuracy=macro_accuracy(probabilities >= detector.threshold, labels, speeches),
        majority=macro_accuracy(frequent, labels, speeches),
        auc=area_under_curve(probabilities, labels),
        ece=calibration_error(probabilities, labels),
    )

"""The mention detector."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.keypoints.evaluate.cross_validation import training_parts
from pipeline.matching.matcher import load_matcher
from pipeline.measures.decisions import area_under_curve, calibration_error, macro_accuracy
from pipeline.mentions.detector import Detector
from pipeline.mentions.evaluate.data import read_listening, refuse_too_few_motions
from pipeline.mentions.evaluate.fitting import LISTENING_FEATURES, LabelledList, cross_validate, fit
from pipeline.mentions.evaluate.lists import labelled_lists
from pipeline.mentions.evaluate.synthetic import MATCHER, SYNTHETIC_FEATURES, synthetic_examples
from pipeline.progress import Progress
from pipeline.text.encoders.sentence_encoder import Encoder


@click.command()
@result.out_file
@click.option("--encoder", help="The sentence encoder that the detector is for. Default: that of the stage.")
@click.option("--seed", default=0, show_default=True, help="For ArgKP: which speeches are put together.")
def command(data: Path, progress: Progress, out: Path | None, encoder: str | None, seed: int) -> Trained:
    """Train the mention detector on labelled speeches, and say how good it is on motions that it has not seen.

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or the folder of ArgKP (KPA 2021).
    """
    from pipeline.mentions.detector import trained_path
    from pipeline.mentions.stage import MentionsSettings
    from pipeline.text.encoders.sentence_encoder import load_encoder

    loaded = load_encoder(encoder or MentionsSettings().encoder)
    result = trained_on(data, loaded, seed)
    path = out or trained_path(loaded.digest)
    result.detector.write(path)
    return Trained(path, (result.summary,))


# Training of mention detectors: logistic regression over labelled lists, validated motion by motion.


# Training of mention detectors from a folder, and how they do on motions that they have not seen.


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

"""A mention detector: features in, calibrated probabilities out. A small JSON file that a person can read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from pipeline import models
from pipeline.argue.mentions.features import FEATURES, POINTS, columns
from pipeline.argue.mentions.generality import Generality
from pipeline.argue.mentions.prior import Prior
from pipeline.argue.stored_model import FeatureWeight, StoredModel
from pipeline.arrays import Floats, Matrix, Probabilities
from pipeline.errors import RostrumError

PRIOR = "prior"
GENERALITY = "generality"
SHIPPED = Path(__file__).with_name("detectors")


class Detector(StoredModel):
    """Logistic regression over some of FEATURES and, if it has them, the argument's prior and generality.

    `matcher` is the key point matcher whose scores it weighs, if it weighs any.
    """

    noun = "a mention detector"

    trained_on: str
    encoder: str
    encoder_digest: str
    weights: dict[str, FeatureWeight]
    bias: float
    threshold: float
    prior: Prior | None = None
    generality: Generality | None = None
    matcher: str | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """A detector from its file. It weighs only features that it has and that this version knows."""
        detector = super().read(path)
        known = {*FEATURES} if detector.matcher else {*FEATURES} - {*POINTS}
        if detector.prior:
            known.add(PRIOR)
        if detector.generality:
            known.add(GENERALITY)
        if unknown := sorted(detector.weights.keys() - known):
            raise RostrumError(
                f"{path}: weighs {unknown[0]!r}, which it lacks or this version does not know; train it again"
            )
        return detector

    def probabilities(self, motion: str, titles: Sequence[str], table: Matrix) -> Probabilities:
        """For each argument of a list, the probability that people would hear it, from the whole list's features."""
        logits = np.full(len(titles), self.bias)
        for name, weight in self.weights.items():
            logits += weight.contribution(self._values(name, motion, titles, table))
        return np.asarray(1 / (1 + np.exp(-logits)))

    def _values(self, name: str, motion: str, titles: Sequence[str], table: Matrix) -> Floats:
        if name == PRIOR and self.prior is not None:
            return self.prior.log_odds(motion, titles)
        if name == GENERALITY and self.generality is not None:
            return self.generality.standing(motion, titles)
        return np.asarray(table[:, columns([name])[0]])


def find_detector(name: str, encoder: str, encoder_digest: str) -> tuple[str, Detector]:
    """A detector for an encoder, and what to call it.

    `name` is a path; or 'shipped', the one in this package; or 'auto', the one trained on this machine if there is one,
    else the shipped one.
    """
    trained = trained_path(encoder_digest)
    if name == "auto" and trained.exists():
        label, detector = "trained", Detector.read(trained)
    elif name in ("auto", "shipped"):
        label, detector = "shipped", _shipped(encoder, encoder_digest)
    else:
        label, detector = Path(name).name, Detector.read(Path(name).expanduser())
    if detector.encoder_digest != encoder_digest:
        raise RostrumError(
            f"{name}: a detector for the encoder {detector.encoder}, not for this {encoder}; "
            f"train one for it: rostrum train mentions --encoder {encoder} --data DIR"
        )
    return label, detector


def _shipped(encoder: str, encoder_digest: str) -> Detector:
    for path in sorted(SHIPPED.glob("*.json")):
        detector = Detector.read(path)
        if detector.encoder_digest == encoder_digest:
            return detector
    raise RostrumError(
        f"no mention detector is shipped for the encoder {encoder}; "
        f"train one: rostrum train mentions --encoder {encoder} --data DIR"
    )


def trained_path(encoder_digest: str) -> Path:
    """Where training leaves a detector by default: one file for each encoder."""
    return models.cache_folder() / "mentions" / f"{encoder_digest[:16]}.json"

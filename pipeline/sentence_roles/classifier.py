"""How probably a sentence argues, by its vector: logistic regression over a sentence encoder."""

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.arrays import Probabilities
from pipeline.errors import RostrumError
from pipeline.models.stored import StoredModel
from pipeline.text.encoders.sentence_encoder import load_encoder

ENCODER = "bge-small-en-v1.5-int8"
PACKAGED_FILE = Path(__file__).with_name("argues.json")


class ArgumentClassifier(StoredModel):
    """One weight per number of a sentence's vector. `attribution` names the data and the licences."""

    noun = "a classifier of sentences"

    encoder: str
    encoder_digest: str
    weights: tuple[float, ...]
    bias: float
    trained_on: str
    attribution: str

    def probabilities(self, sentences: Sequence[str]) -> Probabilities:
        """For each sentence, how probably it is an argument or evidence."""
        vectors = load_encoder(self.encoder).encode(sentences).astype(np.float64)
        return np.asarray(1 / (1 + np.exp(-(vectors @ np.array(self.weights) + self.bias))))


@functools.cache
def load_classifier(file: Path = PACKAGED_FILE) -> ArgumentClassifier:
    """The classifier of a file of `rostrum train roles`; without a file, the one that comes with rostrum."""
    classifier = ArgumentClassifier.read(file)
    if models.find(classifier.encoder).digest != classifier.encoder_digest:
        raise RostrumError(
            f"{file}: trained on another {classifier.encoder} than the one on this machine; "
            "train it again: rostrum train roles --data DIR"
        )
    return classifier

"""The role of each sentence: what rules say for certain, else what logistic regression over its vector says."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.arrays import Probabilities
from pipeline.models.stored import StoredModel, check_encoder
from pipeline.sentence_roles import rules
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
    check_encoder(file, classifier.encoder, classifier.encoder_digest, "roles")
    return classifier


# `aside`: a sentence that says something, and argues nothing.
Kind = Literal["argument", "evidence", "question", "quoting", "conceding", "procedure", "aside"]
ARGUES_FROM = 0.5


@dataclass(frozen=True)
class SentenceRole:
    """What a sentence is for. `argues` is how probably it is an argument or evidence of the speaker's own side.

    `likely` is that probability by the sentence's meaning alone, whoever says it and however it is put.
    """

    kind: Kind
    argues: float
    likely: float

    @property
    def is_argued(self) -> bool:
        """Whether it may carry a mention, make a key point or convince."""
        return self.kind in ("argument", "evidence")

    @property
    def is_of_other_side(self) -> bool:
        """Whether what it says belongs to the other side: it is quoted from there, or granted to it."""
        return self.kind in ("quoting", "conceding")


def roles_of(sentences: Sequence[str], motion: str, classifier: ArgumentClassifier | None = None) -> list[SentenceRole]:
    """The role of each sentence of a speech on a motion, in the speech's order."""
    if not sentences:
        return []
    likely = (classifier or load_classifier()).probabilities(sentences).tolist()
    reported = rules.reports(sentences)
    return [_role(*each, motion) for each in zip(sentences, likely, reported, strict=True)]


def _role(sentence: str, likely: float, is_reported: bool, motion: str) -> SentenceRole:
    by_rule = _by_rule(sentence, is_reported, motion)
    if by_rule:
        return SentenceRole(by_rule, 0.0, likely)
    if likely < ARGUES_FROM:
        return SentenceRole("aside", likely, likely)
    return SentenceRole("evidence" if rules.gives_evidence(sentence) else "argument", likely, likely)


def _by_rule(sentence: str, is_reported: bool, motion: str) -> Kind | None:
    if rules.is_question(sentence):
        return "question"
    if rules.is_procedure(sentence, motion):
        return "procedure"
    if is_reported or rules.is_quoting(sentence):
        return "quoting"
    return "conceding" if rules.is_conceding(sentence) else None

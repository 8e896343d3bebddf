"""Which sentences contradict each other: by their words, or by a model of natural language inference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.texts.cues import is_negated, turns_against
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.text.encoders.classes import class_named, listed, probabilities
from pipeline.text.encoders.text_pairs import tokenised_pairs

_NEAREST = 3
_BATCH = 32


class Opposition(Protocol):
    """How probably each sentence of the candidate contradicts each of the supporting speech, from 0 to 1."""

    def __call__(self, supporting: SpeechText, candidate: SpeechText) -> Matrix: ...


def worded_opposition(supporting: SpeechText, candidate: SpeechText) -> Matrix:
    """1 where the candidate's sentence, or the next, turns against something, or where just one of two is negated."""
    turns = np.array([turns_against(text) for text in candidate.sentences], dtype=bool)
    turning = turns | np.concatenate([turns[1:], np.zeros(1, dtype=bool)])[: len(turns)]
    ours, theirs = (np.array([is_negated(text) for text in each.sentences], bool) for each in (supporting, candidate))
    return np.asarray((ours[:, None] != theirs[None, :]) | turning[None, :], dtype=np.float64)


@dataclass(frozen=True)
class Relations:
    """How the sentences of two speeches relate: how alike they are, and whether they contradict."""

    similarity: SentenceSimilarity
    opposition: Opposition = worded_opposition


class InferredOpposition:
    """The probability of contradiction by a cross-encoder, of each supporting sentence with those most like it."""

    def __init__(self, name: str, model: Any, tokenizer: Any, similarity: SentenceSimilarity) -> None:
        self.name = name
        self.model = model
        self.tokenizer = tokenizer
        self.similarity = similarity
        self.classes = len(model.config.id2label)
        self.contradiction = _contradiction(name, model.config.id2label)
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, supporting: SpeechText, candidate: SpeechText) -> Matrix:
        alike = self.similarity(supporting, candidate)
        found = np.zeros_like(alike)
        nearest = np.argsort(-alike, axis=1, kind="stable")[:, :_NEAREST]
        places = [(row, column) for row, columns in enumerate(nearest) for column in columns]
        pairs = [(supporting.sentences[row], candidate.sentences[column]) for row, column in places]
        self._infer([pair for pair in dict.fromkeys(pairs) if pair not in self._known])
        for (row, column), pair in zip(places, pairs, strict=True):
            found[row, column] = self._known[pair]
        return found

    def _infer(self, pairs: Sequence[tuple[str, str]]) -> None:
        import torch

        self.model.eval()
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            with torch.no_grad():
                outputs = self.model(**tokenised_pairs(self.tokenizer, batch)).logits.double().numpy()
            shares = probabilities(outputs, self.classes, self.name)[:, self.contradiction]
            self._known.update(zip(batch, map(float, shares), strict=True))


def _contradiction(name: str, names: Mapping[int, str]) -> int:
    """Which class says contradiction. Of two classes, the other one of entailment may be neutral as well."""
    found = class_named(names, "contradict")
    if found is None:
        raise RostrumError(
            f"{name}: none of its classes ({listed(names.values())}) is contradiction; give another model"
        )
    return found


def load_inference(path: Path, similarity: SentenceSimilarity) -> InferredOpposition:
    """A model of natural language inference from a folder: one of its classes is called contradiction."""
    from pipeline.system.torchaudio import import_torchaudio

    import_torchaudio()  # transformers imports it
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        model = AutoModelForSequenceClassification.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise RostrumError(f"{path}: not a classifier: {str(error).splitlines()[0]}") from error
    return InferredOpposition(str(path), model, tokenizer, similarity)

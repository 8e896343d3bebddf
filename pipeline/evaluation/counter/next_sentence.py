"""BERT's next sentence prediction: does the candidate's beginning follow on the supporting speech's end?"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector
from pipeline.errors import RostrumError
from pipeline.text.encoders.classes import probabilities
from pipeline.text.encoders.text_pairs import tokenised_pairs

WORDS = 100
_BATCH = 16


class NextSentence:
    """The probability that the candidate's first sentences come next after the supporting speech's last ones."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str = "BERT", has_head: bool = True) -> None:
        self.name = name
        self.has_head = has_head
        self.model = model
        self.tokenizer = tokenizer
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        pairs = [(ending(supporting), beginning(candidate)) for candidate in candidates]
        new = sorted({pair for pair in pairs if all(pair) and pair not in self._known})
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._known.update(zip(batch, self._probabilities(batch), strict=True))
        return np.array([self._known.get(pair, 0.0) for pair in pairs], dtype=np.float64)

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        self.model.eval()
        with torch.no_grad():
            outputs = self.model(**tokenised_pairs(self.tokenizer, pairs)).logits.double().numpy()
        # the head's first class is 'comes next'
        return [float(value) for value in probabilities(outputs, 2, self.name)[:, 0]]


def load_next_sentence(path: Path, *, to_be_trained: bool = False) -> NextSentence:
    """A BERT from a folder. Without its head for next sentences it is refused, unless it is to be trained."""
    from pipeline.system.torchaudio import import_torchaudio

    import_torchaudio()  # transformers imports it
    from transformers import AutoConfig, AutoTokenizer, BertForNextSentencePrediction

    try:
        kind = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False).model_type
        if kind != "bert":
            raise RostrumError(f"{path}: a model of the kind {kind}; predicting next sentences takes a BERT")
        model, info = BertForNextSentencePrediction.from_pretrained(
            path, output_loading_info=True, local_files_only=True, trust_remote_code=False
        )
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise RostrumError(f"{path}: not a BERT: {str(error).splitlines()[0]}") from error
    has_head = not any(key.startswith("cls.seq_relationship") for key in info["missing_keys"])
    if not has_head and not to_be_trained:
        raise RostrumError(
            f"{path}: has no head for next sentence prediction; take a BERT that has, or train one: "
            "rostrum train counter --data DIR --bert MODEL"
        )
    return NextSentence(model, tokenizer, name=str(path), has_head=has_head)


def ending(speech: SpeechText) -> str:
    """The last sentences, together at most 100 words; where the very last has more, its last 100."""
    sentences = _within(reversed(speech.sentences))
    if not sentences and speech.sentences:
        return " ".join(speech.sentences[-1].split()[-WORDS:])
    return " ".join(reversed(sentences))


def beginning(speech: SpeechText) -> str:
    """The first sentences, together at most 100 words; where the very first has more, its first 100."""
    sentences = _within(speech.sentences)
    if not sentences and speech.sentences:
        return " ".join(speech.sentences[0].split()[:WORDS])
    return " ".join(sentences)


def _within(sentences: Iterable[str]) -> list[str]:
    taken: list[str] = []
    words = 0
    for sentence in sentences:
        words += len(sentence.split())
        if words > WORDS:
            break
        taken.append(sentence)
    return taken

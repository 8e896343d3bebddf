"""The models that the evaluation uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import models
from pipeline.argue.counter.comparison.opposition import Relations
from pipeline.argue.counter.method import Given
from pipeline.argue.counter.ranker import Ranker
from pipeline.argue.counter.resources import sentence_relations, word_movers
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.argue.counter.word_movers.similarity import MoverSimilarity
from pipeline.evaluation.counter.next_sentence import NextSentence, load_next_sentence


@dataclass(frozen=True)
class Resources:
    """The models at hand: how sentences relate, word vectors, and a BERT that is fine-tuned for so many epochs."""

    relations: Relations
    movers: MoverSimilarity | None = None
    bert: NextSentence | None = None
    epochs: int = 0
    seed: int = 0

    def given(self, speeches: Sequence[SpeechText], ranker: Ranker) -> Given:
        """The inputs that the methods of a run are built from: the speeches at hand, and nothing learned."""
        return Given(self.relations, speeches=speeches, movers=self.movers, configuration=ranker.configuration)


def load_resources(
    *,
    encoder: str | None,
    vectors: str | None,
    inference: str | None = None,
    bert: str | None = None,
    epochs: int = 3,
    allow_hub: bool = False,
    seed: int = 0,
) -> tuple[Resources, dict[str, str | None]]:
    """The models of these names or paths, and each one's name with its digest.

    Without an encoder sentences are compared by the words they share.
    """
    used = {"encoder": encoder, "inference": inference, "vectors": vectors, "bert": bert}
    digests = {
        use: f"{name}@{models.find(name, allow_hub=allow_hub).digest[:12]}" if name else None
        for use, name in used.items()
    }
    relations = sentence_relations(encoder, inference, allow_hub=allow_hub)
    base = _next_sentence(models.find(bert, allow_hub=allow_hub).path, epochs, seed) if bert else None
    return Resources(relations, word_movers(vectors), base, epochs, seed), digests


def _next_sentence(path: Path, epochs: int, seed: int) -> NextSentence:
    import torch

    torch.manual_seed(seed)  # a missing head gets random weights
    return load_next_sentence(path, to_be_trained=epochs > 0)

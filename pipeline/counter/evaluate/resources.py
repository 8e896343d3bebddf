"""The models that the evaluation uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline import models
from pipeline.counter.comparison import Relations
from pipeline.counter.evaluate.next_sentence import NextSentence, load_next_sentence
from pipeline.counter.judge import sentence_relations, word_movers
from pipeline.counter.method import METHODS, Given, Method, build, members
from pipeline.counter.texts import SpeechText
from pipeline.counter.word_movers import Configuration, MoverSimilarity


@dataclass(frozen=True)
class Resources:
    """The models at hand: how sentences relate, word vectors, and a BERT that is fine-tuned for so many epochs.

    `digests` names each model with its digest. `seed` is that of the fine-tuning, and of the split.
    """

    relations: Relations
    movers: MoverSimilarity | None = None
    bert: NextSentence | None = None
    epochs: int = 0
    seed: int = 0
    digests: Mapping[str, str | None] = field(default_factory=dict)

    def run_methods(self, speeches: Sequence[SpeechText], configuration: Configuration | None) -> dict[str, Method]:
        """The methods as a run has them: they know only the speeches at hand, and what was tuned of SD-e."""
        given = Given(self.relations, speeches=speeches, movers=self.movers, configuration=configuration)
        return build(members(METHODS), given)


def load_resources(
    *,
    encoder: str | None,
    vectors: str | None,
    inference: str | None = None,
    bert: str | None = None,
    epochs: int = 3,
    allow_hub: bool = False,
    seed: int = 0,
) -> Resources:
    """The models of these names or paths.

    Without an encoder sentences are compared by the words they share.
    """
    used = {"encoder": encoder, "inference": inference, "vectors": vectors, "bert": bert}
    digests = {
        use: f"{name}@{models.find(name, allow_hub=allow_hub).digest[:12]}" if name else None
        for use, name in used.items()
    }
    relations = sentence_relations(encoder, inference, allow_hub=allow_hub)
    base = _next_sentence(models.find(bert, allow_hub=allow_hub).path, epochs, seed) if bert else None
    return Resources(relations, word_movers(vectors), base, epochs, seed, digests)


def _next_sentence(path: Path, epochs: int, seed: int) -> NextSentence:
    import torch

    torch.manual_seed(seed)  # a missing head gets random weights
    return load_next_sentence(path, to_be_trained=epochs > 0)

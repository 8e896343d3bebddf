"""Loads the models that the evaluation uses."""

from pathlib import Path

from pipeline import models
from pipeline.argue.counter.resources import sentence_relations, word_movers
from pipeline.evaluation.counter.fitting import Resources
from pipeline.evaluation.counter.next_sentence import NextSentence, load_next_sentence


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

    torch.manual_seed(seed)  # a head that is missing begins at random
    return load_next_sentence(path, to_be_trained=epochs > 0)

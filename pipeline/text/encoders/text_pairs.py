"""Pairs of texts as a model of two texts reads them."""

from collections.abc import Sequence
from typing import Any


def tokenised_pairs(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """The model's inputs. What is too long for it is cut off the longer text of a pair."""
    return tokenizer(
        [one for one, _ in pairs],
        [other for _, other in pairs],
        padding=True,
        truncation=True,
        max_length=min(tokenizer.model_max_length, 512),
        return_tensors="pt",
    )

"""Which sentence of a speech covers which sentence of a reference: by its words, and by its meaning."""

from collections.abc import Callable, Sequence

import numpy as np

from pipeline.arrays import Scores
from pipeline.text.encoders.sentence_encoder import Encoder


def word_recalls(
    references: Sequence[Sequence[str]], sentences: Sequence[Sequence[str]], idf: Callable[[str], float]
) -> Scores:
    """The idf-weighted recall of each reference sentence's types (rows) in each sentence (columns)."""
    terms = sorted({term for words in (*references, *sentences) for term in words})
    column = {term: index for index, term in enumerate(terms)}
    wanted, said = (_types(texts, column) for texts in (references, sentences))
    wanted *= np.array([idf(term) for term in terms])
    totals = wanted.sum(axis=1, keepdims=True)
    recalls: Scores = np.divide(
        wanted @ said.T, totals, out=np.zeros((len(references), len(sentences))), where=totals > 0
    )
    return recalls


def _types(texts: Sequence[Sequence[str]], column: dict[str, int]) -> Scores:
    table = np.zeros((len(texts), len(column)))
    for row, words in enumerate(texts):
        table[row, [column[word] for word in words]] = 1.0
    return table


def similarities(references: Sequence[str], sentences: Sequence[str], encoder: Encoder) -> Scores:
    """The cosine of each reference sentence (rows) with each sentence (columns), by the encoder."""
    return np.asarray(encoder.encode(references) @ encoder.encode(sentences).T, dtype=np.float64)


def soft_recall(similarities: Scores) -> float | None:
    """The mean, over the reference's sentences, of the highest similarity; 0 if nothing is said."""
    if not similarities.shape[0]:
        return None
    return float(similarities.max(axis=1, initial=0.0).mean())

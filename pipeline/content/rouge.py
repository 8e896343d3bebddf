"""How much of the expected content a text covers: ROUGE, content vectors, and sentence by sentence.

`base_rouge` is ROUGE-N recall over tokens against one reference; `new_rouge` counts types against several references
at once, its sums running over all of them; `content_vector` is the cosine of tf-idf weighted types. Of base ROUGE over
several references `mean_rouge` takes the mean and `best_rouge` the best.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from pipeline.arrays import Matrix
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.language import language
from pipeline.text.terms import lemma, stem, tokens, without_disfluencies

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Terms:
    """What counts as a word: words as they are, their stems or lemmas; with or without stop words and disfluencies.

    >>> Terms("stems", stop_words=False).terms_in("We are uh banning phones")
    ['ban', 'phone']
    >>> Terms("stems", stop_words=False, language="de").terms_in("Wir verbieten die Handys")
    ['verbiet', 'handys']
    """

    unit: Literal["words", "stems", "lemmas"] = "words"
    stop_words: bool = True
    disfluencies: bool = True
    language: str = "en"

    def terms_in(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return list(_terms(self, text))


@functools.lru_cache(maxsize=50_000)
def _terms(terms: Terms, text: str) -> tuple[str, ...]:
    """Cached, because the same references are compared with many texts."""
    words = tokens(text if terms.disfluencies else without_disfluencies(text))
    if not terms.stop_words:
        unwanted = language(terms.language).stop_words
        words = [word for word in words if word not in unwanted]
    if terms.unit == "stems":
        return tuple(stem(word, terms.language) for word in words)
    return tuple(words if terms.unit == "words" else map(lemma, words))


class Overlap(NamedTuple):
    """Precision over the text's n-grams, recall over the reference's, and their F1; None where there are no n-grams."""

    precision: float | None
    recall: float | None
    f1: float | None


def grams(words: Sequence[str], n: int) -> list[Gram]:
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def overlap(text: Sequence[str], references: Sequence[Sequence[str]], n: int = 1, *, types: bool = False) -> Overlap:
    """ROUGE-N of words against one or more references: matches and totals are summed over the references.

    A gram matches as often as it is in both; with `types` every gram counts once.
    """
    said = _counted(text, n, types)
    hits = total = 0
    for reference in references:
        wanted = _counted(reference, n, types)
        hits += (said & wanted).total()
        total += wanted.total()
    recall = hits / total if total else None
    precision = hits / (said.total() * len(references)) if said and references else None
    return Overlap(precision, recall, _harmonic(precision, recall))


def _counted(words: Sequence[str], n: int, types: bool) -> "Counter[Gram]":
    counts = Counter(grams(words, n))
    return Counter(counts.keys()) if types else counts


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def base_rouge(text: str, reference: str, n: int = 1, terms: Terms = Terms()) -> float | None:
    """ROUGE-N recall over tokens against one reference."""
    return overlap(terms.terms_in(text), [terms.terms_in(reference)], n).recall


def new_rouge(text: str, references: Sequence[str], terms: Terms = Terms()) -> float | None:
    """ROUGE-1 recall over types, summed over the references: a word that is said twice is not twice as good."""
    return overlap(terms.terms_in(text), [terms.terms_in(reference) for reference in references], types=True).recall


def mean_rouge(text: str, references: Sequence[str], n: int = 1, terms: Terms = Terms()) -> float | None:
    """ROUGE-N recall over tokens, the mean over the references."""
    recalls = [base_rouge(text, reference, n, terms) for reference in references]
    defined = [recall for recall in recalls if recall is not None]
    return sum(defined) / len(defined) if defined else None


def best_rouge(text: str, references: Sequence[str], n: int = 1, terms: Terms = Terms()) -> float | None:
    """ROUGE-N recall over tokens against the reference it fits best."""
    recalls = [base_rouge(text, reference, n, terms) for reference in references]
    return max((recall for recall in recalls if recall is not None), default=None)


def rouge_155(text: str, reference: str, n: int = 1) -> Overlap:
    """ROUGE-N as the script ROUGE-1.5.5 counts it without options: ASCII letters and digits in lower case, no stems.

    A text or reference without n-grams counts as 0, as in the script.
    """
    counted = overlap(_ascii_words(text), [_ascii_words(reference)], n)
    return Overlap(*(value or 0.0 for value in counted))


def _ascii_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def inverse_document_frequency(documents: Sequence[Sequence[str]]) -> Callable[[str], float]:
    """Smoothed idf of a term over documents; a term that is in none of them counts as one that is in one."""
    counts = Counter(term for document in documents for term in set(document))
    return lambda term: smoothed_idf(counts[term], len(documents))


def smoothed_idf(count: int, documents: int) -> float:
    """The smoothed idf of a term that `count` of so many documents have."""
    return math.log((1 + documents) / (1 + max(count, 1))) + 1


def content_vector(
    text: Sequence[str], references: Sequence[Sequence[str]], idf: Callable[[str], float]
) -> float | None:
    """Content vector analysis: the cosine of the idf-weighted types of the text and of all references together."""
    return cosine(
        {term: idf(term) for term in text}, {term: idf(term) for reference in references for term in reference}
    )


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """The cosine of two sparse vectors; None where one of them is empty."""
    norms = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(weight * other.get(term, 0.0) for term, weight in one.items()) / norms if norms else None


# Which sentence of a text covers which sentence of a reference: by its words, and by its meaning.


def word_recalls(
    references: Sequence[Sequence[str]], sentences: Sequence[Sequence[str]], idf: Callable[[str], float]
) -> Matrix:
    """The idf-weighted recall of each reference sentence's types (rows) in each sentence (columns)."""
    terms = sorted({term for words in (*references, *sentences) for term in words})
    column = {term: index for index, term in enumerate(terms)}
    wanted, said = (_types(texts, column) for texts in (references, sentences))
    wanted *= np.array([idf(term) for term in terms])
    totals = wanted.sum(axis=1, keepdims=True)
    recalls: Matrix = np.divide(
        wanted @ said.T, totals, out=np.zeros((len(references), len(sentences))), where=totals > 0
    )
    return recalls


def _types(texts: Sequence[Sequence[str]], column: dict[str, int]) -> Matrix:
    table = np.zeros((len(texts), len(column)))
    for row, words in enumerate(texts):
        table[row, [column[word] for word in words]] = 1.0
    return table


def similarities(references: Sequence[str], sentences: Sequence[str], encoder: Encoder) -> Matrix:
    """The cosine of each reference sentence (rows) with each sentence (columns), by the encoder."""
    return np.asarray(encoder.encode(references) @ encoder.encode(sentences).T, dtype=np.float64)


def soft_recall(similarities: Matrix) -> float | None:
    """The mean, over the reference's sentences, of the highest similarity; 0 if nothing is said."""
    if not similarities.shape[0]:
        return None
    return float(similarities.max(axis=1, initial=0.0).mean())

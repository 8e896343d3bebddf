"""Splits texts into words, stems and lemmas, and drops stop words and disfluencies."""

import functools
import re
import unicodedata
from typing import Any

from pipeline.text.language import ENGLISH, language

_LONGEST_WORD = 100
WORD = re.compile(r"\w+(?:['’]\w+)*")


def tokens(text: str) -> list[str]:
    """Lower-case words; an apostrophe inside a word stays in it. Letters are composed, so that equal ones are equal.

    >>> tokens("Don’t be nai\u0308ve!")
    ["don't", 'be', 'naïve']
    """
    return [word.lower().replace("’", "'") for word in WORD.findall(composed(text))]


def composed(text: str) -> str:
    """The text with each letter and its accents as one character, where there is such a character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def stop_words() -> frozenset[str]:
    """English stop words, with contractions as speakers use them."""
    return ENGLISH.stop_words


_NEGATION = frozenset(
    ["not", "no", "never", "nobody", "nothing", "neither", "nor", "none", "cannot", "without", "hardly"]
)


def is_negated(sentence: str) -> bool:
    """Whether the sentence has an odd number of negations.

    >>> is_negated("It isn't so."), is_negated("Nobody did not know.")
    (True, False)
    """
    return sum(word in _NEGATION or word.endswith("n't") for word in tokens(sentence)) % 2 == 1


@functools.lru_cache(maxsize=200_000)
def stem(word: str, code: str = "en") -> str:
    """The stem of a word in the language of that code: Porter's for English. A word of over a hundred letters stays.

    Its stem would take longer than it is worth.
    """
    stemmer = language(code).stemmer
    return str(stemmer.stem(word)) if stemmer and len(word) <= _LONGEST_WORD else word


@functools.lru_cache(maxsize=200_000)
def lemma(word: str) -> str:
    """The word's form in a dictionary, as spaCy's rules and tables have it for the word alone."""
    return str(_lemmatiser()(word)[0].lemma_).lower()


@functools.cache
def _lemmatiser() -> Any:
    import spacy

    from pipeline import models

    return spacy.load(models.find("en_core_web_sm").path, exclude=["parser", "ner"])


def stems(text: str, *, without_stop_words: bool = False) -> list[str]:
    """Stemmed words of a text."""
    words = tokens(text)
    if without_stop_words:
        words = [word for word in words if word not in stop_words()]
    return [stem(word) for word in words]


# Words that a speaker did not mean to say: filled pauses, words cut off, and words said twice in a row.

_LONGEST_REPEAT = 3


def without_disfluencies(text: str) -> str:
    """The text without filled pauses, words cut off ('pho-'), and the first of one to three words said twice in a row.

    >>> without_disfluencies("So um I think I think we should pho- ban the the phones.")
    'So I think we should ban the phones.'
    """
    words = [word for word in text.split() if not ENGLISH.is_filled_pause(word) and not _is_cut_off(word)]
    for size in range(_LONGEST_REPEAT, 0, -1):
        words = _once(words, size)
    return " ".join(words)


def _is_cut_off(word: str) -> bool:
    return len(word) > 1 and word[-1] in "-–" and word[0].isalpha()


def _once(words: list[str], size: int) -> list[str]:
    """The words, with the first of the same `size` words twice in a row left out."""
    kept: list[str] = []
    start = 0
    while start < len(words):
        stretch, following = words[start : start + size], words[start + size : start + 2 * size]
        if len(following) == size and tokens(" ".join(stretch)) == tokens(" ".join(following)):
            start += size
            continue
        kept.append(words[start])
        start += 1
    return kept

"""Words of a text, for everything that counts them."""

import functools
import re
import unicodedata
from typing import Any

from pipeline.errors import RostrumError

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


@functools.cache
def stop_words() -> frozenset[str]:
    """English stop words, with contractions as speakers use them."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    contractions = (
        "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll "
        "we'd they're they've they'll they'd that's that'll there's here's what's who's where's how's let's isn't "
        "aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't couldn't shouldn't "
        "mustn't ain't gonna gotta uh um uhm er"
    )
    return frozenset(ENGLISH_STOP_WORDS) | frozenset(contractions.split())


@functools.lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Porter stem."""
    return str(_stemmer().stem(word))


@functools.lru_cache(maxsize=200_000)
def lemma(word: str) -> str:
    """The word's form in a dictionary, as spaCy's rules and tables have it for the word alone."""
    return str(_lemmatiser()(word)[0].lemma_).lower()


@functools.cache
def _lemmatiser() -> Any:
    from importlib.util import find_spec

    from pipeline import models

    if find_spec("spacy") is None:
        raise RostrumError("lemmas need spaCy, which is not installed: pip install 'rostrum[linguistics]'")
    import spacy

    return spacy.load(models.find("en_core_web_sm").path, exclude=["parser", "ner"])


@functools.cache
def _stemmer() -> Any:
    from nltk.stem import PorterStemmer

    return PorterStemmer()


def stems(text: str, *, without_stop_words: bool = False) -> list[str]:
    """Stemmed words of a text."""
    words = tokens(text)
    if without_stop_words:
        words = [word for word in words if word not in stop_words()]
    return [stem(word) for word in words]

"""Words of a text, for everything that counts them."""

import functools
import re

WORD = re.compile(r"\w+(?:['’]\w+)*")


def tokens(text: str) -> list[str]:
    """Lower-case words; an apostrophe inside a word stays in it."""
    return [word.replace("’", "'") for word in WORD.findall(text.lower())]


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


@functools.cache
def _stemmer():  # type: ignore[no-untyped-def]
    from nltk.stem import PorterStemmer

    return PorterStemmer()


def stems(text: str, *, without_stop_words: bool = False) -> list[str]:
    """Stemmed words of a text."""
    words = tokens(text)
    if without_stop_words:
        words = [word for word in words if word not in stop_words()]
    return [stem(word) for word in words]

"""Normalisers, which remove from a transcript what does not count as a word error."""

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import Literal

Normaliser = Callable[[str], str]
NormaliserName = Literal["plain", "whisper", "verbatim"]


def normaliser(name: NormaliserName, language: str = "en") -> Normaliser:
    """The normaliser of that name. Whisper has rules of its own for English, and general ones for the rest.

    >>> normaliser("plain")("Don't stop!")
    "don't stop"
    """
    if name == "whisper":
        return _whisper(english=language == "en")
    return _plain if name == "plain" else _verbatim


def _verbatim(text: str) -> str:
    """The text with one character for each letter, however it was typed, and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _plain(text: str) -> str:
    """The text in lower case without punctuation. Apostrophes inside a word stay: "don't" is one word."""
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    return " ".join(re.sub(r"[^\w\s']|_|(?<!\w)'|'(?!\w)", " ", text).split())


@functools.cache
def _whisper(english: bool) -> Normaliser:
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    normalise = EnglishTextNormalizer() if english else BasicTextNormalizer()
    prepare = _symbols_at_numbers if english else str
    return lambda text: " ".join(normalise(prepare(text)).split())


def _symbols_at_numbers(text: str) -> str:
    """The text with percent as a word and currencies before their numbers. Whisper drops a symbol after a space.

    >>> _symbols_at_numbers("5 % of 20 €, or $ 3")
    '5 percent of €20, or $3'
    """
    text = " ".join(text.split())
    text = re.sub(r" ?%", " percent", text)
    text = re.sub(r"(?<![\d.,])(\d[\d.,]*) ?([$£€])(?! ?\d)", r"\2\1", text)
    return re.sub(r"([$£€]) (?=\d)", r"\1", text)

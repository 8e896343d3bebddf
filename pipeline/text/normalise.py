"""Normalisers, which remove what does not count as an error. Each is a named list of small steps."""

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
    return _composed(_STEPS[name])


def _lower(text: str) -> str:
    return text.lower()


def _without_punctuation(text: str) -> str:
    """The text without punctuation. Apostrophes inside a word stay: "don't" is one word."""
    text = text.replace("’", "'")
    return re.sub(r"[^\w\s']|_|(?<!\w)'|'(?!\w)", " ", text)


def _one_form(text: str) -> str:
    """The text with one character for each letter, however it was typed."""
    return unicodedata.normalize("NFC", text)


def _single_spaces(text: str) -> str:
    return " ".join(text.split())


_STEPS: dict[str, tuple[Normaliser, ...]] = {
    "verbatim": (_one_form, _single_spaces),
    "plain": (_one_form, _lower, _without_punctuation, _single_spaces),
}


def _composed(steps: tuple[Normaliser, ...]) -> Normaliser:
    return lambda text: functools.reduce(lambda so_far, step: step(so_far), steps, text)


@functools.cache
def _whisper(english: bool) -> Normaliser:
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    normalise = EnglishTextNormalizer() if english else BasicTextNormalizer()
    return lambda text: _single_spaces(normalise(text))

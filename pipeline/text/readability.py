"""How hard a text is to read, and how it uses language: formulas over counts of sentences, words and syllables."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.text import sentences
from pipeline.text.language import ENGLISH
from pipeline.text.terms import stop_words, tokens, without_disfluencies

_VOWELS = re.compile(r"[aeiouy]+")
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]+(?=\s|$)|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def vowel_groups(word: str) -> int:
    """The number of groups of vowels without a silent final e, at least one. The shipped models use this rough count.

    `syllables` counts them as they are spoken.
    """
    word = word.lower()
    count = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee", "ye")) and count > 1:
        count -= 1
    return max(count, 1)


@dataclass(frozen=True)
class TextCounts:
    """The counts that the formulas use."""

    sentences: int
    words: int
    syllables: int
    letters: int
    long_words: int
    polysyllables: int


def count(text: str) -> TextCounts:
    """The counts of a text. Long words have more than six letters, polysyllables three syllables or more."""
    words = _WORD.findall(text)
    by_word = [vowel_groups(word) for word in words]
    sentences = [part for part in _SENTENCE_END.split(text) if _WORD.search(part)]
    return TextCounts(
        sentences=max(len(sentences), 1),
        words=len(words),
        syllables=sum(by_word),
        letters=sum(len(word) for word in words),
        long_words=sum(len(word) > 6 for word in words),
        polysyllables=sum(number >= 3 for number in by_word),
    )


def flesch(c: TextCounts) -> float:
    """Flesch's reading ease: high for an easy text."""
    return 206.835 - 1.015 * c.words / c.sentences - 84.6 * c.syllables / c.words


FORMULAS: dict[str, Callable[[TextCounts], float]] = {
    "ari": lambda c: 4.71 * c.letters / c.words + 0.5 * c.words / c.sentences - 21.43,
    "coleman_liau": lambda c: 5.88 * c.letters / c.words - 29.6 * c.sentences / c.words - 15.8,
    "flesch": flesch,
    "flesch_kincaid": lambda c: 0.39 * c.words / c.sentences + 11.8 * c.syllables / c.words - 15.59,
    "gunning_fog": lambda c: 0.4 * (c.words / c.sentences + 100 * c.polysyllables / c.words),
    "lix": lambda c: c.words / c.sentences + 100 * c.long_words / c.words,
    "smog": lambda c: 1.043 * math.sqrt(30 * c.polysyllables / c.sentences) + 3.1291,
}


def readability(text: str) -> dict[str, float]:
    """Every formula's value; all zero for a text without words."""
    counts = count(text)
    return {name: formula(counts) if counts.words else 0.0 for name, formula in FORMULAS.items()}


# Numbers on how a text uses language, apart from its content: vocabulary, sentences, connectives, disfluencies.

_CONNECTIVES = frozenset(
    {
        *("because", "since", "therefore", "thus", "hence", "so", "reason", "but", "however", "although", "though"),
        *("yet", "whereas", "while", "instead", "example", "first", "second", "third", "finally", "also"),
        *("moreover", "furthermore"),
    }
)


def _repeated(words: list[str], text: str) -> float:
    """The share of words that are cut off or said twice; filled pauses are left out."""
    spoken = [word for word in text.split() if not ENGLISH.is_filled_pause(word)]
    return 1.0 - len(without_disfluencies(text).split()) / len(spoken) if spoken else 0.0


def _share(words: list[str], chosen: Callable[[str], bool]) -> float:
    return sum(chosen(word) for word in words) / len(words)


_MEASURES: dict[str, Callable[[list[str], str], float]] = {
    # different words over the root of all words, which grows less with length than their number does
    "variety of words": lambda words, _: len(set(words)) / math.sqrt(len(words)),
    "word length": lambda words, _: sum(map(len, words)) / len(words),
    "words per sentence": lambda words, text: len(words) / max(len(sentences.split(text)), 1),
    "content words": lambda words, _: _share(words, lambda word: word not in stop_words()),
    "connectives": lambda words, _: _share(words, lambda word: word in _CONNECTIVES),
    "reading ease": lambda _, text: max(flesch(count(text)), -100.0),
    "filled pauses": lambda words, _: _share(words, ENGLISH.is_filled_pause),
    "repetitions": _repeated,
}
LANGUAGE_USE = tuple(_MEASURES)


def language_use(text: str) -> dict[str, float]:
    """Each measure by its name; all 0 for a text without words."""
    words = tokens(text)
    return {name: float(measure(words, text)) if words else 0.0 for name, measure in _MEASURES.items()}

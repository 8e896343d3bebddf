"""Numbers on how a text uses language, apart from its content: vocabulary, sentences, connectives, disfluencies."""

import math
from collections.abc import Callable

from pipeline.text.disfluencies import is_filled_pause, without_disfluencies
from pipeline.text.readability import count, flesch
from pipeline.text.sentences import punkt
from pipeline.text.terms import stop_words, tokens

_CONNECTIVES = frozenset(
    {
        *("because", "since", "therefore", "thus", "hence", "so", "reason", "but", "however", "although", "though"),
        *("yet", "whereas", "while", "instead", "example", "first", "second", "third", "finally", "also"),
        *("moreover", "furthermore"),
    }
)


def _variety(words: list[str], _: str) -> float:
    """Different words over the root of all words, which grows less with length than their number does."""
    return len(set(words)) / math.sqrt(len(words))


def _words_per_sentence(words: list[str], text: str) -> float:
    return len(words) / max(len(punkt.split(text)), 1)


def _repeated(words: list[str], text: str) -> float:
    """The share of words that are cut off or said twice; filled pauses are left out."""
    spoken = [word for word in text.split() if not is_filled_pause(word)]
    return 1.0 - len(without_disfluencies(text).split()) / len(spoken) if spoken else 0.0


_MEASURES: dict[str, Callable[[list[str], str], float]] = {
    "variety of words": _variety,
    "word length": lambda words, _: sum(map(len, words)) / len(words),
    "words per sentence": _words_per_sentence,
    "content words": lambda words, _: _share(words, lambda word: word not in stop_words()),
    "connectives": lambda words, _: _share(words, lambda word: word in _CONNECTIVES),
    "reading ease": lambda _, text: max(flesch(count(text)), -100.0),
    "filled pauses": lambda words, _: _share(words, is_filled_pause),
    "repetitions": _repeated,
}
LANGUAGE_USE = tuple(_MEASURES)


def language_use(text: str) -> dict[str, float]:
    """Each measure by its name; all 0 for a text without words."""
    words = tokens(text)
    return {name: float(measure(words, text)) if words else 0.0 for name, measure in _MEASURES.items()}


def _share(words: list[str], chosen: Callable[[str], bool]) -> float:
    return sum(chosen(word) for word in words) / len(words)

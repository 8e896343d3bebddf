"""Written sentences turned into recognised speech: hesitations, no punctuation, word errors, sentences cut wrongly."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pipeline.text.noise import Confusions, Words, add_noise
from pipeline.text.terms import tokens

# What a recogniser most often hears for short words. For all other words it hears words with a similar spelling.
_SHORT_WORDS: dict[str, dict[Words, int]] = {
    "a": {("the",): 3, (): 3},
    "the": {("a",): 3, (): 3, ("their",): 1},
    "and": {("in",): 2, (): 3, ("an",): 1},
    "in": {("and",): 2, ("on",): 1, (): 1},
    "is": {("as",): 1, ("it's",): 1, (): 1},
    "are": {("or",): 1, ("our",): 1, (): 1},
    "of": {("have",): 1, (): 1, ("of", "the"): 1},
    "to": {("the",): 1, (): 1, ("too",): 1},
    "that": {("the",): 1, (): 1, ("that", "the"): 1},
    "it": {("that",): 1, (): 1},
    "they": {("there",): 1, ("the",): 1},
    "their": {("there",): 2, ("the",): 1},
    "this": {("the",): 1, ("these",): 1},
    "we": {("we're",): 1, ("would",): 1},
    "not": {("that",): 1, ("now",): 1},
}
_OPENINGS = (
    "so",
    "and",
    "but",
    "because",
    "so we think that",
    "we think that",
    "and so",
    "so first",
    "first of all",
    "secondly",
    "and the reason for this is that",
    "so what does this mean",
    "we would say that",
    "I think that",
    "at the end of the day",
    "recognize that",
    "the problem is that",
    "so the first thing to realize is that",
    "now",
    "we tell you that",
    "obviously",
    "and it's important to note that",
    "like",
    "on our side of the house we believe that",
    "what we see is that",
)
_FILLERS = ("uh", "um", "you know", "like", "I mean", "sort of", "right", "and", "so", "actually", "just")
_WORD_ERRORS = (0.0, 0.05, 0.1, 0.2, 0.3)


class Speaker:
    """Says written sentences. The same texts and numbers give the same words."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        counts = Counter(word for text in vocabulary for word in tokens(text))
        wrong = {word: sum(outcomes.values()) for word, outcomes in _SHORT_WORDS.items()}
        seen = {**dict(counts), **{word: counts[word] + 40 * wrong[word] for word in wrong}}
        self.confusions = Confusions(seen, wrong, _SHORT_WORDS)

    def says(self, sentence: str, around: Sequence[str], random: np.random.Generator) -> str:
        """The sentence as it is heard in a speech, sometimes with one of those `around` it."""
        text = sentence.strip()
        if random.random() < 0.5:
            text = f"{_one(_OPENINGS, random)} {text[:1].lower()}{text[1:]}"
        if around and random.random() < 0.3:
            text = _beside(text, _one(around, random).strip(), random)
        words = _hesitant(text.split(), random)
        words = add_noise(words, self.confusions, float(random.choice(_WORD_ERRORS)), int(random.integers(2**31)))
        text = " ".join(words) or sentence
        return text if random.random() < 0.5 else re.sub(r"[.,;:?!\"()–—]+", "", text).lower()


def _beside(text: str, other: str, random: np.random.Generator) -> str:
    """Two sentences as one; of the other one sometimes only a part."""
    words = other.split()
    cut = int(random.integers(len(words) // 2, len(words), endpoint=True))
    return f"{text} {' '.join(words[:cut])}" if random.random() < 0.5 else f"{' '.join(words[-cut:])} {text}"


def _hesitant(words: list[str], random: np.random.Generator) -> list[str]:
    """The words with fillers among them, and some of them said twice."""
    said: list[str] = []
    for word in words:
        chance = random.random()
        if chance < 0.03:
            said += _one(_FILLERS, random).split()
        elif chance < 0.05:
            said.append(word)
        said.append(word)
    return said


def _one(texts: Sequence[str], random: np.random.Generator) -> str:
    return texts[int(random.integers(len(texts)))]

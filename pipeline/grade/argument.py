"""What is argued in an answer, as features of its sentences: points, reasons, evidence, answers to others, and order.

They need no model and no other stage, so that any table of speeches and scores has them. All are shares of sentences,
but for the order and the cohesion, which go from 0 to 1.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean

from pipeline.counter import attributes, emphasises, turns_against
from pipeline.text import sentences
from pipeline.text.terms import stems

_REASON = re.compile(r"\b(?:because|since|therefore|thus|hence|so that|which means|as a result|that is why)\b", re.I)
_EVIDENCE = re.compile(
    r"\d|\b(?:for example|for instance|such as|according to|stud(?:y|ies)|research|report(?:s|ed)?|statistics|evidence|"
    r"data|percent|survey|experts?|history shows|in (?:the )?\w+ of \d{4})\b",
    re.IGNORECASE,
)
_PLACES = (
    re.compile(r"\b(?:first(?:ly)?|to begin with|to start with|one reason|begin by)\b", re.I),
    re.compile(r"\b(?:second(?:ly)?|next|another (?:reason|point)|moreover|furthermore|also)\b", re.I),
    re.compile(r"\b(?:third(?:ly)?|finally|last(?:ly)?|in the end)\b", re.I),
    re.compile(r"\b(?:in conclusion|to conclude|to sum up|in sum|for (?:all )?th[eo]se reasons|overall)\b", re.I),
)


def _points(said: Sequence[str]) -> float:
    return _share(lambda sentence: emphasises(sentence) or bool(_PLACES[0].search(sentence)), said)


def _reasons(said: Sequence[str]) -> float:
    return _share(lambda sentence: bool(_REASON.search(sentence)), said)


def _evidence(said: Sequence[str]) -> float:
    return _share(lambda sentence: bool(_EVIDENCE.search(sentence)), said)


def _answers(said: Sequence[str]) -> float:
    """The share of sentences that report the other side, or turn against what was just said."""
    return _share(lambda sentence: attributes(sentence) or turns_against(sentence), said)


def _order(said: Sequence[str]) -> float:
    """How many kinds of place are announced in their order: a first, a next, a last, a conclusion.

    >>> _order(["First, it helps.", "Next, it is cheap.", "In conclusion, do it."]), _order(["It helps."])
    (0.75, 0.0)
    """
    kinds = [kind for sentence in said for kind, place in enumerate(_PLACES) if place.search(sentence)]
    rising: list[int] = []
    for kind in kinds:
        if not rising or kind > rising[-1]:
            rising.append(kind)
    return len(rising) / len(_PLACES)


def _cohesion(said: Sequence[str]) -> float:
    """The mean share of content words that a sentence has in common with the one before."""
    words = [set(stems(sentence, without_stop_words=True)) for sentence in said]
    shares = [len(one & other) / min(len(one), len(other)) for one, other in pairwise(words) if one and other]
    return fmean(shares) if shares else 0.0


_FEATURES: dict[str, Callable[[Sequence[str]], float]] = {
    "points announced": _points,
    "reasons given": _reasons,
    "evidence": _evidence,
    "answers to others": _answers,
    "order announced": _order,
    "cohesion": _cohesion,
}
ARGUMENT = tuple(_FEATURES)


def argument_features(text: str) -> dict[str, float]:
    """Each feature by its name; all 0 for a text without sentences.

    >>> found = argument_features("First, buses are clean because they run on power. They say that buses are slow.")
    >>> found["points announced"], found["reasons given"], found["answers to others"]
    (0.5, 0.5, 0.5)
    """
    said = sentences.split(text)
    return {name: feature(said) if said else 0.0 for name, feature in _FEATURES.items()}


def _share(holds: Callable[[str], bool], said: Sequence[str]) -> float:
    return sum(map(holds, said)) / len(said)

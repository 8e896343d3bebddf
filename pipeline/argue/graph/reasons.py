"""Why workers held an argument more, or less, convincing than another: for each argument its most typical reason."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pipeline.argue.graph.votes import PairVotes
from pipeline.text.terms import stem, stop_words, tokens

Side = Literal["for", "against"]
# How workers name the two arguments of a pair.
_NAMED = re.compile(r"\b(?:a|arg|argument)\s*(?:(1|one)|2|two)\b", re.IGNORECASE)
THIS, OTHER = "this argument", "the other"
_ARGUMENT = stem("argument")
_MOST_WORDS = 5


@dataclass(frozen=True)
class TypicalReason:
    """The reason for or against an argument that shares most with all other reasons given for it.

    `words` are the content words that most of the reasons have.
    """

    topic: str
    argument: str
    side: Side
    reasons: int
    typical: str
    words: tuple[str, ...]


def typical_reasons(voted: Iterable[PairVotes]) -> list[TypicalReason]:
    """For each argument why it was held more convincing (`for`) and less convincing (`against`) than others."""
    given: defaultdict[tuple[str, str, Side], list[str]] = defaultdict(list)
    for pair in voted:
        for worker, reason in pair.reasons.items():
            vote = pair.votes[worker]
            if vote == "equal":
                continue
            for argument, first in ((pair.first, True), (pair.second, False)):
                side: Side = "for" if (vote == "a1") is first else "against"
                given[pair.topic, argument, side].append(_seen_from(reason, first=first))
    return [_typical(*key, reasons) for key, reasons in sorted(given.items())]


def _seen_from(reason: str, *, first: bool) -> str:
    """The reason with the arguments named from the view of the first, or of the second.

    >>> _seen_from("A1 gives more facts than argument two.", first=False)
    'the other gives more facts than this argument.'
    """
    return _NAMED.sub(lambda match: THIS if bool(match[1]) is first else OTHER, " ".join(reason.split()))


def _typical(topic: str, argument: str, side: Side, reasons: list[str]) -> TypicalReason:
    content = [_content(reason) for reason in reasons]
    having = Counter(each for stems in content for each in stems)

    def shared(place: int) -> float:
        """How many reasons have a word of this one, on average over its words."""
        stems = content[place]
        return sum(having[each] for each in stems) / (len(stems) + 1)

    best = max(range(len(reasons)), key=lambda place: (shared(place), -len(reasons[place]), reasons[place]))
    return TypicalReason(topic, argument, side, len(reasons), reasons[best], tuple(_most_common(reasons, having)))


def _content(reason: str) -> set[str]:
    """Stems of the content words."""
    return {stem(word) for word in _words(reason) if word not in stop_words()}


def _words(reason: str) -> list[str]:
    """The words without the names of the arguments, and without 'argument', which tells nothing of one."""
    return [word for word in tokens(reason.replace(THIS, " ").replace(OTHER, " ")) if stem(word) != _ARGUMENT]


def _most_common(reasons: list[str], having: Counter[str]) -> list[str]:
    """The most frequent stems, each as the word that is written most often for it."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason in reasons:
        for word in _words(reason):
            written[stem(word)][word] += 1
    order = sorted(having, key=lambda each: (-having[each], each))[:_MOST_WORDS]
    return [written[each].most_common(1)[0][0] for each in order]

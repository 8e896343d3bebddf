"""The reasons why one speech answers another, in words that everybody understands."""

import functools
from collections.abc import Iterable, Sequence

from pipeline.grouping import grouped
from pipeline.records import CounterPair, CounterScores, Reason, SentencePair

# How many reasons are shown of a pair, and how many pairs of a speech.
_MOST, _MOST_PAIRS = 5, 2


def likeliest_pairs(scores: CounterScores) -> dict[str, Sequence[CounterPair]]:
    """For each speech its pairs with the likeliest answers, the likeliest first."""
    pairs = grouped((speech, pair) for pair in scores.pairs for speech in (pair.supporting, pair.opposing))
    return {
        speech: sorted(own, key=lambda pair: (pair.rank, -pair.score))[:_MOST_PAIRS] for speech, own in pairs.items()
    }


def reasons_for(pair: CounterPair) -> list[tuple[str, Reason]]:
    """The reasons for the pair, each in words, the strongest first."""
    strongest = sorted(pair.reasons, key=lambda reason: -reason.share)[:_MOST]
    return [(_labels().get(each.name, each.name), each) for each in strongest if each.share > 0]


@functools.cache
def _labels() -> dict[str, str]:
    from pipeline.argue.counter.method import labels

    return labels()


def relation(pair: SentencePair) -> str:
    """How an opposing sentence relates to a supporting one: 'similarity 0.63, quotes, contradicts'."""
    found: Iterable[tuple[str, bool]] = (("quotes", pair.quotes), ("contradicts", pair.opposes))
    return ", ".join([f"similarity {pair.similarity:z.2f}", *(name for name, holds in found if holds)])

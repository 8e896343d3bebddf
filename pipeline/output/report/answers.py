"""Who answers whom, as the pages show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.output.report.links import SpeechLink
from pipeline.records import CounterPair, CounterScores, Passage, Reason, Speech, Stance

# Pairs that a speech's page shows, the likeliest first.
_MOST = 2
_REASONS = 5
# The scores in words, for those who have not read the papers that name them.
_PLAIN = {
    "Cos": "words alike",
    "JS": "words alike",
    "tf-idf": "rare words alike",
    "ngrs": "phrases that only these two share",
    "mentions": "terms that only these two share",
    "MI": "terms that both have",
    "c-MI": "terms that both have, and others have not",
    "quotes": "reports the other side",
    "comprehensive": "meets what it says",
    "main issue": "meets its main issue",
    "order": "meets it in its order",
    "opposes": "contradicts it",
}


@dataclass(frozen=True)
class PassagePair:
    """A sentence of the page's own speech, and the one that meets it."""

    own: Passage
    other: Passage
    similarity: float
    quotes: bool
    opposes: bool


@dataclass(frozen=True)
class ShownReason:
    """A score, and the share of the whole that is due to it."""

    name: str
    plain: str
    score: float
    share: float


@dataclass(frozen=True)
class Answer:
    """Another speech that answers this one, or is answered by it; `link` leads there."""

    own: SpeechLink
    link: SpeechLink
    stance: Stance
    score: float
    rank: int
    is_known: bool
    reasons: tuple[ShownReason, ...]
    pairs: tuple[PassagePair, ...]
    shared: tuple[str, ...]


def answers(
    speech: Speech, scores: CounterScores, known: Mapping[str, str | None], links: Mapping[str, SpeechLink]
) -> list[Answer]:
    """The likeliest answers to a supporting speech, or what an opposing one is likeliest to answer."""
    is_opposing = speech.stance == "con"
    own = [pair for pair in scores.pairs if speech.id == (pair.opposing if is_opposing else pair.supporting)]
    own.sort(key=lambda pair: (pair.rank, -pair.score))
    return [_answer(pair, is_opposing, known, links) for pair in own[:_MOST]]


def _answer(
    pair: CounterPair, is_opposing: bool, known: Mapping[str, str | None], links: Mapping[str, SpeechLink]
) -> Answer:
    own, other = (pair.opposing, pair.supporting) if is_opposing else (pair.supporting, pair.opposing)
    return Answer(
        own=links[own],
        link=links[other],
        stance="pro" if is_opposing else "con",
        score=pair.score,
        rank=pair.rank,
        is_known=known.get(pair.opposing) == pair.supporting,
        reasons=_leading(pair.reasons),
        pairs=tuple(
            PassagePair(
                own=each.opposing if is_opposing else each.supporting,
                other=each.supporting if is_opposing else each.opposing,
                similarity=each.similarity,
                quotes=each.quotes,
                opposes=each.opposes,
            )
            for each in pair.sentences
        ),
        shared=tuple(each.text for each in pair.ngrams),
    )


def _leading(reasons: Iterable[Reason]) -> tuple[ShownReason, ...]:
    """Those that say most, the one that says most first."""
    speaking = (
        ShownReason(each.name, _PLAIN.get(each.name, each.name), each.score, each.share)
        for each in reasons
        if each.share > 0
    )
    return tuple(sorted(speaking, key=lambda reason: -reason.share)[:_REASONS])


@dataclass(frozen=True)
class Cell:
    """A pair in the matrix; `shade` goes from 0 to 1 over the motion's scores."""

    href: str
    score: float
    rank: int
    shade: float
    is_best: bool
    is_known: bool


@dataclass(frozen=True)
class MatrixRow:
    link: SpeechLink
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Matrix:
    """Supporting speeches down, opposing ones across."""

    opposing: tuple[SpeechLink, ...]
    rows: tuple[MatrixRow, ...]
    ranker: str
    elimination: bool
    has_known: bool


def matrix(scores: CounterScores, known: Mapping[str, str | None], links: Mapping[str, SpeechLink]) -> Matrix | None:
    """All pairs of a motion, or None where there are none."""
    if not scores.pairs:
        return None
    cells = {(pair.supporting, pair.opposing): cell for pair, cell in _cells(scores.pairs, known, links)}
    supporting = list(dict.fromkeys(pair.supporting for pair in scores.pairs))
    opposing = sorted({pair.opposing for pair in scores.pairs})
    rows = [MatrixRow(links[one], tuple(cells.get((one, other)) for other in opposing)) for one in supporting]
    return Matrix(
        opposing=tuple(links[other] for other in opposing),
        rows=tuple(rows),
        ranker=scores.ranker,
        elimination=scores.elimination,
        has_known=any(cell.is_known for cell in cells.values()),
    )


def _cells(
    pairs: Iterable[CounterPair], known: Mapping[str, str | None], links: Mapping[str, SpeechLink]
) -> Iterable[tuple[CounterPair, Cell]]:
    pairs = list(pairs)
    lowest, highest = min(pair.score for pair in pairs), max(pair.score for pair in pairs)
    for pair in pairs:
        yield (
            pair,
            Cell(
                href=links[pair.opposing].href,
                score=pair.score,
                rank=pair.rank,
                shade=(pair.score - lowest) / (highest - lowest) if highest > lowest else 0.0,
                is_best=pair.rank == 1,
                is_known=known.get(pair.opposing) == pair.supporting,
            ),
        )

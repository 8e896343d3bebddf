"""Tables of who answers whom."""

from collections.abc import Iterator
from typing import Any

from pipeline.engine.finished import FinishedRun
from pipeline.output.frames.table import Table, each_of_motion, flag, integer, number, text
from pipeline.records import CounterPair, CounterScores

_PAIR = (
    text("motion", "id of the motion"),
    text("supporting", "id of the supporting speech"),
    text("opposing", "id of the opposing speech"),
)


def _pairs(run: FinishedRun) -> Iterator[tuple[str, CounterPair]]:
    return each_of_motion(run, CounterScores, lambda record: record.pairs)


def _counter(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        yield motion, pair.supporting, pair.opposing, pair.rank, pair.score, pair.marginal_value


def _counter_reasons(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        for each in pair.reasons:
            yield motion, pair.supporting, pair.opposing, each.name, each.score, each.share


def _counter_sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        for each in pair.sentences:
            one, other = each.supporting, each.opposing
            yield (
                *(motion, pair.supporting, pair.opposing),
                *(one.start, one.end, one.text, other.start, other.end, other.text),
                *(each.similarity, each.quotes, each.opposes),
            )


def _responses(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, each in each_of_motion(run, CounterScores, lambda record: record.responses):
        yield motion, each.opposing, each.kind, each.probability


ANSWERED = (
    Table(
        "counter",
        "a supporting and an opposing speech: how well the one answers the other",
        (
            *_PAIR,
            integer("rank", "1: the likeliest answer to this supporting speech"),
            number("score", "all methods combined"),
            number(
                "marginal_value",
                "the motion's best assignment with the pair, minus the best without it",
            ),
        ),
        _counter,
    ),
    Table(
        "counter_reasons",
        "a method, and its part in the score of a pair",
        (
            *_PAIR,
            text("method", "the method"),
            number("score", "its score"),
            number("share", "its share in the combined score"),
        ),
        _counter_reasons,
    ),
    Table(
        "counter_sentences",
        "two matching sentences of a pair",
        (
            *_PAIR,
            number("supporting_start", "seconds"),
            number("supporting_end", "seconds"),
            text("supporting_text", "the supporting sentence"),
            number("opposing_start", "seconds"),
            number("opposing_end", "seconds"),
            text("opposing_text", "the opposing sentence"),
            number("similarity", "their similarity"),
            flag("quotes", "the opposing sentence quotes the other"),
            flag("opposes", "the opposing sentence says the opposite"),
        ),
        _counter_sentences,
    ),
    Table(
        "responses",
        "an opposing speech, and whether it says that it answers somebody",
        (
            text("motion", "id of the motion"),
            text("opposing", "id of the opposing speech"),
            text("kind", "explicit or implicit"),
            number("probability", "that it is explicit"),
        ),
        _responses,
    ),
)

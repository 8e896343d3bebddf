"""Tables of the known arguments that speeches mention."""

from collections.abc import Iterator
from typing import Any

from pipeline.engine.finished import FinishedRun
from pipeline.output.frames.table import Table, each_of_speech, flag, integer, number, text
from pipeline.records import Mention, Mentions


def _mentioned(run: FinishedRun) -> Iterator[tuple[str, Mention]]:
    return each_of_speech(run, Mentions, lambda record: record.mentions)


def _mentions(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, each in _mentioned(run):
        yield (
            *(speech, each.argument, each.stance, each.side),
            *(each.probability, each.mentioned, each.likeness, each.counter),
        )


def _carriers(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, mention in _mentioned(run):
        for rank, each in enumerate(mention.carriers, 1):
            yield (
                *(speech, mention.argument, rank, each.first, each.last),
                *(each.said.start, each.said.end, each.said.text, each.similarity, each.entailment),
            )


MENTIONED = (
    Table(
        "mentions",
        "a speech and a known argument on its motion",
        (
            text("speech", "id of the speech"),
            text("argument", "id of the argument"),
            text("stance", "the argument's: pro or con"),
            text("side", "own, other or another motion: whose argument it is, for this speech"),
            number("probability", "that people hear the argument in the speech"),
            flag("mentioned", "the decision"),
            number("likeness", "to what is said, in standard deviations of its list of arguments"),
            text("counter", "id of the argument that rebuts it"),
        ),
        _mentions,
    ),
    Table(
        "mention_carriers",
        "sentences of a speech that carry an argument",
        (
            text("speech", "id of the speech"),
            text("argument", "id of the argument"),
            integer("rank", "1: the best carrier"),
            integer("first", "its first sentence"),
            integer("last", "the sentence after its last"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "what is said"),
            number("similarity", "of what is said and the argument's title"),
            number("entailment", "probability that the argument follows from it"),
        ),
        _carriers,
    ),
)

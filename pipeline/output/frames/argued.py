"""Tables of what was argued."""

from collections.abc import Iterator
from typing import Any

from pipeline.engine.finished import FinishedRun
from pipeline.output.frames.table import Table, flag, integer, number, text
from pipeline.records import CounterPair, CounterScores, Coverage, KeyPoint, KeyPoints, Mention, Mentions, Ranking

_PAIR = (
    text("motion", "id of the motion"),
    text("supporting", "id of the supporting speech"),
    text("opposing", "id of the opposing speech"),
)


def _pairs(run: FinishedRun) -> Iterator[tuple[str, CounterPair]]:
    for motion in run.motions:
        record = run.of_motion(CounterScores, motion.id)
        yield from ((motion.id, pair) for pair in (record.pairs if record else ()))


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
    for motion in run.motions:
        record = run.of_motion(CounterScores, motion.id)
        for each in record.responses if record else ():
            yield motion.id, each.opposing, each.kind, each.probability


def _points(run: FinishedRun) -> Iterator[tuple[str, KeyPoint]]:
    for motion in run.motions:
        record = run.of_motion(KeyPoints, motion.id)
        yield from ((motion.id, point) for point in (record.points if record else ()))


def _key_points(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        yield motion, point.id, point.stance, point.text, point.speeches, point.speakers, point.minutes


def _key_point_matches(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        for is_answer, matches in ((False, point.matches), (True, point.answers)):
            for each in matches:
                said = each.said
                yield (
                    motion,
                    point.id,
                    is_answer,
                    each.speech,
                    each.sentence,
                    said.start,
                    said.end,
                    said.text,
                    each.score,
                )


def _coverage(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.speeches:
        record = run.of_speech(Coverage, speech.id)
        if record:
            yield (
                *(speech.id, record.expected, record.covered, record.base_rouge, record.new_rouge),
                *(record.best_rouge, record.content_vector, record.soft_recall),
            )


def _expected_sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.speeches:
        record = run.of_speech(Coverage, speech.id)
        for each in record.sentences if record else ():
            said = each.said
            yield (
                *(speech.id, each.part, each.text, each.covered, each.similarity, each.words),
                *((said.start, said.end, said.text) if said else (None, None, None)),
            )


def _mentioned(run: FinishedRun) -> Iterator[tuple[str, Mention]]:
    for speech in run.speeches:
        record = run.of_speech(Mentions, speech.id)
        yield from ((speech.id, mention) for mention in (record.mentions if record else ()))


def _mentions(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, each in _mentioned(run):
        yield (
            speech,
            each.argument,
            each.stance,
            each.side,
            each.probability,
            each.mentioned,
            each.likeness,
            each.counter,
        )


def _carriers(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, mention in _mentioned(run):
        for rank, each in enumerate(mention.carriers, 1):
            yield (
                *(speech, mention.argument, rank, each.first, each.last),
                *(each.said.start, each.said.end, each.said.text, each.similarity, each.entailment),
            )


def _ranking(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion in run.motions:
        record = run.of_motion(Ranking, motion.id)
        for each in record.points if record else ():
            yield (
                *(motion.id, each.place, each.strength, each.place_with_delivery, each.strength_with_delivery),
                *(each.source, each.of, each.title, each.stance, each.speech, each.speaker),
                *(each.said.start, each.said.end, each.said.text, each.delivery),
            )


ARGUED = (
    Table(
        "mentions",
        "a speech and a known argument on its motion",
        (
            text("speech", "id of the speech"),
            text("argument", "id of the argument"),
            text("stance", "the argument's: pro or con"),
            text("side", "own, other or another motion: whose argument it is, seen from the speech"),
            number("probability", "that people hear the argument in the speech"),
            flag("mentioned", "the decision"),
            number("likeness", "to what is said, in deviations from its list of arguments"),
            text("counter", "id of the argument that rebuts it"),
        ),
        _mentions,
    ),
    Table(
        "mention_carriers",
        "a stretch of a speech that carries an argument",
        (
            text("speech", "id of the speech"),
            text("argument", "id of the argument"),
            integer("rank", "1: what carries it best"),
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
    Table(
        "counter",
        "a supporting and an opposing speech: whether the one answers the other",
        (
            *_PAIR,
            integer("rank", "1: the likeliest answer to this supporting speech"),
            number("score", "all methods combined"),
            number("marginal_value", "the best assignment of the motion with the pair, less the best without it"),
        ),
        _counter,
    ),
    Table(
        "counter_reasons",
        "a method's part in the score of a pair",
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
        "two sentences of a pair that meet each other",
        (
            *_PAIR,
            number("supporting_start", "seconds"),
            number("supporting_end", "seconds"),
            text("supporting_text", "the supporting sentence"),
            number("opposing_start", "seconds"),
            number("opposing_end", "seconds"),
            text("opposing_text", "the opposing sentence"),
            number("similarity", "how alike they are"),
            flag("quotes", "the opposing sentence takes up the words of the other"),
            flag("opposes", "the opposing sentence says the opposite"),
        ),
        _counter_sentences,
    ),
    Table(
        "responses",
        "an opposing speech: whether it says that it answers somebody",
        (
            text("motion", "id of the motion"),
            text("opposing", "id of the opposing speech"),
            text("kind", "explicit or implicit"),
            number("probability", "that it is explicit"),
        ),
        _responses,
    ),
    Table(
        "key_points",
        "a key point",
        (
            text("motion", "id of the motion"),
            text("key_point", "its id"),
            text("stance", "pro or con"),
            text("text", "the point"),
            integer("speeches", "speeches that make it"),
            integer("speakers", "speakers who make it"),
            number("minutes", "how long it is made"),
        ),
        _key_points,
    ),
    Table(
        "key_point_matches",
        "a sentence that makes a key point, or takes it up from the other side",
        (
            text("motion", "id of the motion"),
            text("key_point", "id of the key point"),
            flag("is_answer", "true: a sentence of the other side on the same matter"),
            text("speech", "id of the speech"),
            integer("sentence", "place of the sentence in the speech"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "the sentence"),
            number("score", "how well it matches"),
        ),
        _key_point_matches,
    ),
    Table(
        "coverage",
        "a speech, and how much of what was expected it covers",
        (
            text("speech", "id of the speech"),
            text("expected", "references or arguments: what it is measured by"),
            number("covered", "share of the expected sentences that are covered"),
            number("base_rouge", "ROUGE-1 recall, one reference"),
            number("new_rouge", "ROUGE-1 recall of types, all references"),
            number("best_rouge", "the highest over the references"),
            number("content_vector", "cosine of the tf-idf vectors"),
            number("soft_recall", "recall of the expected sentences by meaning"),
        ),
        _coverage,
    ),
    Table(
        "expected_sentences",
        "a sentence of what was expected, and what comes nearest to it",
        (
            text("speech", "id of the speech"),
            text("part", "id of the argument, or number of the reference, that it is from"),
            text("text", "the expected sentence"),
            flag("covered", "whether the speech covers it"),
            number("similarity", "of the nearest sentence, by the encoder"),
            number("words", "share of its content words in that sentence, rare ones weighing more"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("said", "the nearest sentence"),
        ),
        _expected_sentences,
    ),
    Table(
        "ranking",
        "an argument as somebody made it, by how convincing a model holds it",
        (
            text("motion", "id of the motion"),
            integer("place", "1: the most convincing of its motion"),
            number("strength", "mean probability that it convinces more than another point of the motion"),
            integer("place_with_delivery", "its place when how it was said counts too"),
            number("strength_with_delivery", "its strength when how it was said counts too"),
            text("source", "mention or key point"),
            text("of", "id of the known argument or key point"),
            text("title", "the point"),
            text("stance", "pro or con"),
            text("speech", "id of the speech"),
            text("speaker", "who makes it"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "what is said"),
            number("delivery", "how lively it is said, in deviations of its speaker's sentences"),
        ),
        _ranking,
    ),
)

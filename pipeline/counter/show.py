"""How answers are shown: as Markdown, on the pages of motions and speeches, as tables."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.counter.stage import CounterPair, CounterScores, Reason, SentencePair, SpeechReply
from pipeline.export.table import Table, each_of_motion, flag, integer, number, speaker_of, text
from pipeline.records import Motion, Passage, Speech
from pipeline.report.formatting import clock, counted, decimal, share
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun

# The reasons why one speech answers another, in words that everybody understands.

MOST_REASONS = 5


def reasons_for(pair: CounterPair) -> list[tuple[str, Reason]]:
    """The reasons for the pair, each in words, the strongest first."""
    strongest = sorted(pair.reasons, key=lambda reason: -reason.share)[:MOST_REASONS]
    return [(_labels().get(reason.name, reason.name), reason) for reason in strongest if reason.share > 0]


@functools.cache
def _labels() -> dict[str, str]:
    from pipeline.counter.method import run_methods

    return {method.name: method.label for method in run_methods()}


def relation(pair: SentencePair) -> str:
    """How an opposing sentence relates to a supporting one: 'similarity 0.63, quotes, contradicts'."""
    relations = (("quotes", pair.quotes), ("contradicts", pair.opposes))
    return ", ".join([f"similarity {pair.similarity:z.2f}", *(name for name, holds in relations if holds)])


# Who answers whom on a motion, with the reasons.

REASONS = 3
_COLUMNS, _ROWS = 48, 16


def headline(record: CounterScores) -> str:
    """How many speeches have a likeliest answer."""
    answered = sum(pair.rank == 1 for pair in record.pairs)
    return f"{counted(answered, 'speech', 'speeches')} with a likeliest answer, of {counted(len(record.pairs), 'pair')}"


def page(record: CounterScores) -> str:
    """A table of every supporting speech and its likeliest answer, then the reasons for each pair."""
    kinds = {response.opposing: response for response in record.responses}
    first = [pair for pair in record.pairs if pair.rank == 1]
    rows = [
        (
            pair.supporting,
            f"{pair.opposing} ({pair.score:.2f})",
            kinds[pair.opposing].kind,
            _others(pair, record.pairs),
            ", ".join(in_words for in_words, _ in reasons_for(pair)[:REASONS]),
        )
        for pair in first
    ]
    header = ("supporting speech", "answered by", "response", "next likeliest", "because")
    how = f"Scores: {escaped(record.ranker)} weights" + (
        "; an opposing speech answers at most one supporting speech." if record.assignment != "off" else "."
    )
    parts = ["## Who answers whom", table(header, rows), how, *(_pair(pair) for pair in first)]
    if record.responses:
        parts += ["## How they respond", _responses(record)]
    return "\n\n".join(parts)


def _others(pair: CounterPair, pairs: Iterable[CounterPair]) -> str:
    others = (other for other in pairs if other.supporting == pair.supporting and other.rank > 1)
    return ", ".join(f"{other.opposing} ({other.score:.2f})" for other in others)


def _pair(pair: CounterPair) -> str:
    """The reasons that these two belong together, and the sentences that meet."""
    parts = [f"## {escaped(pair.supporting)} ← {escaped(pair.opposing)}"]
    reasons = [(in_words, reason.name, reason.score, share(reason.share)) for in_words, reason in reasons_for(pair)]
    parts.append(table(("reason", "method", "score", "share of all scores"), reasons))
    if pair.sentences:
        rows = [
            (relation(match), *_with_time(match.supporting), *_with_time(match.opposing)) for match in pair.sentences
        ]
        parts.append(table(("relation", "at", "supporting", "at", "opposing"), rows))
        parts.append("Where the numbered sentences stand. Across: the supporting speech. Down: the opposing speech.")
        parts.append("```\n" + "\n".join(_plot(pair)) + "\n```")
    if pair.ngrams:
        words = [(ngram.text, clock(ngram.supporting.start), clock(ngram.opposing.start)) for ngram in pair.ngrams]
        parts.append(table(("phrases only these two share", "supporting", "opposing"), words))
    return "\n\n".join(parts)


def _with_time(passage: Passage) -> tuple[str, str]:
    return clock(passage.start), passage.quoted


def _plot(pair: CounterPair) -> Iterator[str]:
    """The matched sentences by their times in both speeches, numbered as in the table."""
    across = max(match.supporting.end for match in pair.sentences) or 1.0
    down = max(match.opposing.end for match in pair.sentences) or 1.0
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]
    for count, match in reversed(list(enumerate(pair.sentences, start=1))):
        line = min(int(match.opposing.start / down * _ROWS), _ROWS - 1)
        column = min(int(match.supporting.start / across * _COLUMNS), _COLUMNS - 1)
        grid[line][column] = str(count % 10)
    yield "0:00" + clock(across).rjust(_COLUMNS)
    for cells in grid:
        yield "  | " + "".join(cells).rstrip()
    yield clock(down)


def _responses(record: CounterScores) -> str:
    rows = [
        (
            response.opposing,
            response.kind,
            response.probability,
            "; ".join(f"{clock(report.start)} {report.quoted}" for report in response.reports[:REASONS]),
        )
        for response in record.responses
    ]
    return table(("opposing speech", "response", "probability", "reports of the other side"), rows)


# Who answers whom: the score of every pair of a supporting and an opposing speech.


# With more speeches on a side, the matrix is a list.
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class AnswerCell:
    """A pair of speeches. `shade` is 0 for the lowest score of the motion, and 1 for the highest.

    In `turns` turns of one recording, the opposing speech replies to the supporting one.
    """

    href: str
    score: float
    turns: int
    rank: int
    shade: float
    is_known: bool

    @property
    def is_best(self) -> bool:
        """Whether this is the likeliest answer to the supporting speech."""
        return self.rank == 1


@dataclass(frozen=True)
class AnswerRow:
    """A supporting speech, and a cell for each opposing speech."""

    link: SpeechLink
    cells: tuple[AnswerCell | None, ...]

    def likeliest(self, opposing: Sequence[SpeechLink]) -> list[tuple[SpeechLink, AnswerCell]]:
        """The opposing speeches: what the manifest says first, then the likeliest."""
        pairs = [(link, cell) for link, cell in zip(opposing, self.cells, strict=True) if cell]
        return sorted(pairs, key=lambda pair: (not pair[1].is_known, pair[1].rank))


@dataclass(frozen=True)
class AnswerMatrix:
    """The scores of all pairs: one row per supporting speech, one column per opposing speech."""

    opposing: tuple[SpeechLink, ...]
    rows: tuple[AnswerRow, ...]
    assignment: bool

    @property
    def is_folded(self) -> bool:
        """Whether there are too many speeches for a row and a column each."""
        return max(len(self.rows), len(self.opposing)) > _MOST_COLUMNS

    @property
    def has_turns(self) -> bool:
        """Whether any of these speeches reply to one another within a recording."""
        return any(cell.turns for row in self.rows for cell in row.cells if cell)

    @property
    def has_known(self) -> bool:
        """Whether the manifest names any of these pairs."""
        return any(cell.is_known for row in self.rows for cell in row.cells if cell)


def answer_matrix(data: ReportData, motion: Motion) -> AnswerMatrix | None:
    scores = data.of_motion(CounterScores, motion.id)
    if scores is None or not scores.pairs:
        return None
    every_score = [pair.score for pair in scores.pairs]
    lowest, spread = min(every_score), max(every_score) - min(every_score)
    cells = {
        (pair.supporting, pair.opposing): AnswerCell(
            href=data.links[pair.opposing].href,
            score=pair.score,
            turns=pair.turns,
            rank=pair.rank,
            shade=(pair.score - lowest) / (spread or 1.0),
            is_known=data.is_confirmed(pair),
        )
        for pair in scores.pairs
    }
    supporting = list(dict.fromkeys(pair.supporting for pair in scores.pairs))
    opposing = sorted({pair.opposing for pair in scores.pairs})
    rows = [AnswerRow(data.links[one], tuple(cells.get((one, other)) for other in opposing)) for one in supporting]
    return AnswerMatrix(tuple(data.links[other] for other in opposing), tuple(rows), scores.assignment != "off")


def _matrix_markdown(matrix: AnswerMatrix) -> str:
    def text(cell: AnswerCell | None) -> str | None:
        return f"{decimal(cell.score)}{' ●' if cell.is_best else ''}" if cell else None

    header = ("", *(link.id for link in matrix.opposing))
    rows = ((row.link.id, *map(text, row.cells)) for row in matrix.rows)
    legend = "Supporting speeches down, opposing ones across. ●: the likeliest answer to the supporting speech."
    return f"{table(header, rows)}\n\n{legend}"


MATRIX_PANEL = Panel(view=answer_matrix, title="Who answers whom", markdown=_matrix_markdown)


# Who replies to whom within recordings of several people.


@dataclass(frozen=True)
class ShownReply:
    """How one speech replies to another, and the links of both."""

    own: SpeechLink
    to: SpeechLink
    reply: SpeechReply


def _replies_on(data: ReportData, motion: Motion) -> Iterator[ShownReply]:
    scores = data.of_motion(CounterScores, motion.id)
    for reply in scores.replies if scores else ():
        if {reply.replying, reply.to_speech} <= data.links.keys():
            yield ShownReply(data.links[reply.replying], data.links[reply.to_speech], reply)


def _replies_markdown(replies: Sequence[ShownReply]) -> str:
    rows = ((shown.own.label, shown.to.label, shown.reply.turns, shown.reply.said.quoted) for shown in replies)
    return table(("who", "replies to", "turns", "begins"), rows)


REPLIES_PANEL = Panel(view=_replies_on, title="Who replies to whom", markdown=_replies_markdown)


# The answers to a supporting speech, or what an opposing speech answers: reasons, and the matching sentences.


@dataclass(frozen=True)
class PassagePair:
    """A sentence of the page's own speech, and the matching one of the other speech."""

    own: Passage
    other: Passage
    relation: str


@dataclass(frozen=True)
class Answer:
    """Another speech that answers this one, or is answered by it.

    `instead` is whom the manifest says that the opposing speech answers, if it is somebody else. A pair that only the
    manifest names may have no score: its rank is 0.
    """

    own: SpeechLink
    link: SpeechLink
    pair: CounterPair
    is_answered: bool
    is_known: bool
    instead: SpeechLink | None
    reasons: Sequence[tuple[str, Reason]]
    sentences: tuple[PassagePair, ...]


def _answers_of_speech(data: ReportData, facts: SpeechFacts) -> Iterator[Answer]:
    """The likeliest answers, the likeliest first."""
    for own in data.speeches_in(facts):
        yield from _of_one_speech(data, own.speech)


def _of_one_speech(data: ReportData, speech: Speech) -> Iterator[Answer]:
    """What a speech answers, or what answers it: what the manifest says comes first."""
    answering = data.answering(speech.motion or "")
    known = [
        (own, by.known)
        for own, by in answering.items()
        if by.known and speech.id in (own, by.known) and own in data.links and by.known in data.links
    ]
    pairs = list(data.likeliest_pairs.get(speech.id, ()))
    compared = {(pair.opposing, pair.supporting) for pair in pairs}
    for opposing, supporting in known:
        if (opposing, supporting) not in compared:
            pair = data.pair(speech.motion or "", supporting, opposing) or _without_score(supporting, opposing)
            yield _answer(data, pair, speech)
    for pair in sorted(pairs, key=lambda pair: not data.is_confirmed(pair)):
        yield _answer(data, pair, speech)


def _without_score(supporting: str, opposing: str) -> CounterPair:
    """A pair that only the manifest names."""
    return CounterPair(
        supporting=supporting,
        opposing=opposing,
        rank=0,
        score=0.0,
        marginal_value=None,
        reasons=(),
        sentences=(),
        ngrams=(),
    )


def _title(answers: Sequence[Answer]) -> str:
    if len({answer.own.id for answer in answers}) > 1:
        return "Who answers whom"
    return "What it answers" if answers[0].is_answered else "What answers it"


def _answer(data: ReportData, pair: CounterPair, speech: Speech) -> Answer:
    is_opposing = pair.opposing == speech.id
    own, other = (pair.opposing, pair.supporting) if is_opposing else (pair.supporting, pair.opposing)
    return Answer(
        own=data.links[own],
        link=data.links[other],
        pair=pair,
        is_answered=is_opposing,
        is_known=data.is_confirmed(pair),
        instead=_instead(data, pair, speech),
        reasons=reasons_for(pair),
        sentences=tuple(
            PassagePair(
                own=match.opposing if is_opposing else match.supporting,
                other=match.supporting if is_opposing else match.opposing,
                relation=relation(match),
            )
            for match in pair.sentences
        ),
    )


def _instead(data: ReportData, pair: CounterPair, speech: Speech) -> SpeechLink | None:
    """Whom the manifest says that the opposing speech answers, if it is not this one."""
    answering = data.answering(speech.motion or "").get(pair.opposing)
    known = answering.known if answering else None
    return data.links.get(known) if known and known != pair.supporting else None


ANSWERS_PANEL = Panel(view=_answers_of_speech, title=_title)


# Tables of who answers whom.

_PAIR = (
    text("motion", "id of the motion"),
    text("supporting", "id of the supporting speech"),
    text("supporting_speaker", "who speaks in it, if it is known"),
    text("opposing", "id of the opposing speech"),
    text("opposing_speaker", "who speaks in it, if it is known"),
)


def _pairs(run: FinishedRun) -> Iterator[tuple[str, CounterPair]]:
    return each_of_motion(run, CounterScores, lambda record: record.pairs)


def _who(run: FinishedRun, motion: str, pair: CounterPair) -> tuple[str | None, ...]:
    """The values of the columns `_PAIR`."""
    supporting, opposing = pair.supporting, pair.opposing
    return motion, supporting, speaker_of(run, supporting), opposing, speaker_of(run, opposing)


def _counter(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        yield *_who(run, motion, pair), pair.rank, pair.score, pair.marginal_value, pair.turns


def _counter_reasons(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        for reason in pair.reasons:
            yield *_who(run, motion, pair), reason.name, reason.score, reason.share


def _counter_sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, pair in _pairs(run):
        for match in pair.sentences:
            one, other = match.supporting, match.opposing
            yield (
                *_who(run, motion, pair),
                *(one.start, one.end, one.quoted, other.start, other.end, other.quoted),
                *(match.similarity, match.quotes, match.opposes),
            )


def _speech_replies(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, reply in each_of_motion(run, CounterScores, lambda record: record.replies):
        yield (
            *(motion, reply.replying, speaker_of(run, reply.replying)),
            *(reply.to_speech, speaker_of(run, reply.to_speech), reply.turns, reply.probability),
            *(reply.said.start, reply.said.quoted, reply.to.start, reply.to.quoted),
        )


def _response_rows(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, response in each_of_motion(run, CounterScores, lambda record: record.responses):
        yield motion, response.opposing, speaker_of(run, response.opposing), response.kind, response.probability


TABLES = (
    Table(
        "counter",
        "a supporting and an opposing speech: how well the one answers the other",
        (
            *_PAIR,
            integer("rank", "1: the likeliest answer to this supporting speech"),
            number("score", "all methods combined"),
            number("marginal_value", "the motion's best assignment with the pair, minus the best without it"),
            integer("turns", "turns in which the opposing speech replies to the supporting one, in one recording"),
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
        "speech_replies",
        "a speech that replies to another one of the same recording, of either side",
        (
            text("motion", "id of the motion"),
            text("replying", "id of the speech that replies"),
            text("replying_speaker", "who speaks in it, if it is known"),
            text("to", "id of the speech that it replies to"),
            text("to_speaker", "who speaks in that, if it is known"),
            integer("turns", "in how many turns"),
            number("probability", "of the reply that is shown: the surest one of eight words or more, if there is one"),
            number("start", "seconds: the reply that is shown"),
            text("said", "how it begins"),
            number("to_start", "seconds: what it replies to"),
            text("to_said", "how that ends"),
        ),
        _speech_replies,
    ),
    Table(
        "responses",
        "an opposing speech, and whether it says that it answers somebody",
        (
            text("motion", "id of the motion"),
            text("opposing", "id of the opposing speech"),
            text("opposing_speaker", "who speaks in it, if it is known"),
            text("kind", "explicit or implicit"),
            number("probability", "that it is explicit"),
        ),
        _response_rows,
    ),
)

"""The flow of a debate: points as rows, speeches in order as columns, and what each speech does with each point.

A *point* is a key point, or a known argument that somebody makes. Speeches belong to one *exchange* if they are in one
recording, or if the one answers the other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from pipeline.formats import csv_text
from pipeline.keypoints.show import PointInSpeech
from pipeline.records import Argument, Judgement, Motion, Passage, Sentence, Stance, renamed
from pipeline.report.formatting import side
from pipeline.report.links import SpeechLink
from pipeline.report.page import Panel, render
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.segment import Sentences
from pipeline.speakers import Speakers, key_of

State = Literal["made", "extended", "answered", "conceded", "dropped"]
# What each state means, in the words of the page.
STATES: dict[State, str] = {
    "made": "says the point first in its exchange",
    "extended": "says it again, for the same side",
    "answered": "the other side speaks to it, as far as was recognised",
    "conceded": "the other side grants it",
    "dropped": "the other side speaks after it and does not answer, as a person said",
}
# What a page says in place of a state, if only rostrum says it, and what that means.
_NO_ANSWER, _SUGGESTED, _ANSWER_SUGGESTED = "no answer found", "suggested", "answer suggested"
_INSTEAD: dict[str, tuple[State, str]] = {
    _SUGGESTED: ("made", "the speech as a whole suggests that it says the point; no passage was found"),
    _ANSWER_SUGGESTED: ("answered", "the speech as a whole suggests that it says the rebuttal; no passage was found"),
    _NO_ANSWER: (
        "dropped",
        # by benchmarks/unanswered.py
        "the other side speaks after it; it may answer in other words, as it did to 10 of 15 points that were read",
    ),
}
MARKS = {"made": "●", "extended": "+", "answered": "↩", "conceded": "✓", "dropped": "○"}
MARKS |= {_SUGGESTED: "◌", _ANSWER_SUGGESTED: "↩", _NO_ANSWER: "○"}
# With more speeches, a row is folded: it shows how many speeches do what, and opens.
MOST_COLUMNS = 12
_Said = dict[str, list[Passage]]
_SIDES: tuple[Stance | None, ...] = ("pro", "con", None)


@dataclass(frozen=True)
class FlowColumn:
    """A speech, the number of its exchange, and what is said in it, if it is part of a recording of several people."""

    facts: SpeechFacts
    link: SpeechLink
    exchange: int
    sentences: Sequence[Sentence] = ()

    @property
    def id(self) -> str:
        return self.facts.speech.id

    @property
    def stance(self) -> Stance | None:
        return self.facts.speech.stance

    @cached_property
    def opening(self) -> float:
        """When a debater of a recording begins to argue: the first turn that is half as long as the longest.

        Before that, they are introduced, and say a word.
        """
        turns = list(turns_of(self.sentences))
        longest = max(map(_duration, turns), default=0.0)
        return next((turn[0].start for turn in turns if 2 * _duration(turn) >= longest), 0.0)

    @cached_property
    def end(self) -> float:
        """When a debater of a recording ends."""
        return max((sentence.end for sentence in self.sentences), default=0.0)


@dataclass(frozen=True)
class FlowCell:
    """What a speech does with a point, and where it says so. A dropped point has no passage.

    `is_corrected` says that a person corrected it, and `is_labelled` that a label in labels.csv says so.
    """

    state: State
    said: tuple[Passage, ...] = ()
    is_corrected: bool = False
    is_labelled: bool = False

    @property
    def mark(self) -> str:
        return MARKS[self.label]

    @property
    def is_suggested(self) -> bool:
        """Whether neither a person nor a label says so, and no passage shows it."""
        return not (self.said or self.is_corrected or self.is_labelled)

    @property
    def label(self) -> str:
        """The state in words. Only a person or a label says that a point was dropped, or what no passage shows."""
        if not self.is_suggested:
            return self.state
        return {"dropped": _NO_ANSWER, "answered": _ANSWER_SUGGESTED}.get(self.state, _SUGGESTED)

    @property
    def source(self) -> str:
        """Who says so."""
        return "a person" if self.is_corrected else "labels.csv" if self.is_labelled else "rostrum"


@dataclass(frozen=True)
class FlowRow:
    """A point, and what each speech does with it, by the speech's id. `anchor` is its element on the motion's page."""

    text: str
    stance: Stance | None
    kinds: tuple[str, ...]
    anchor: str | None
    cells: Mapping[str, FlowCell]

    def count(self, label: str) -> int:
        """How many speeches do this with the point."""
        return sum(cell.label == label for cell in self.cells.values())


@dataclass(frozen=True)
class Flow:
    """The points of both sides, and the speeches in order. `address` is the page's, without the suffix."""

    columns: tuple[FlowColumn, ...]
    rows: tuple[FlowRow, ...]
    address: str

    def mark(self, label: str) -> str:
        """The sign for a state, by its label."""
        return MARKS[label]

    @property
    def is_folded(self) -> bool:
        """Whether there are too many speeches for a column each."""
        return len(self.columns) > MOST_COLUMNS

    @property
    def sides(self) -> tuple[tuple[Stance | None, tuple[FlowRow, ...]], ...]:
        """The rows of each side that has some."""
        by_side = ((stance, tuple(row for row in self.rows if row.stance == stance)) for stance in _SIDES)
        return tuple((stance, rows) for stance, rows in by_side if rows)

    @property
    def states(self) -> tuple[tuple[State, str, str], ...]:
        """(state, its label, meaning) of every state that is in a cell."""
        used = {cell.label for row in self.rows for cell in row.cells.values()}
        every = [*((state, str(state), meaning) for state, meaning in STATES.items())]
        every += [(state, label, meaning) for label, (state, meaning) in _INSTEAD.items()]
        return tuple(one for one in every if one[1] in used)

    def csv(self) -> str:
        """One line per point and speech that does something with it."""
        return csv_text(self._lines())

    def _lines(self) -> Iterator[tuple[object, ...]]:
        yield "side", "point", "kind", "speech", "speaker", "speech_side", "state", "by", "start", "end", "said"
        for row in self.rows:
            for column in self.columns:
                if cell := row.cells.get(column.id):
                    first = (side(row.stance), row.text, " and ".join(row.kinds))
                    speaker = "; ".join(column.facts.speech.speakers)
                    for said in cell.said or (None,):
                        timed = (said.start, said.end, said.quoted) if said else ("", "", "")
                        has_sound = column.link.audio is not None
                        what = timed if has_sound else ("", "", timed[2])
                        yield *first, column.id, speaker, side(column.stance), cell.label, cell.source, *what


@dataclass
class _Point:
    """A point while it is collected: the passages that make it, answer it and concede it, by speech.

    A speech has no passage if only the speech as a whole suggests it, or if only labels say that it was `heard`.
    """

    text: str
    stance: Stance | None
    anchor: str | None = None
    kinds: list[str] = field(default_factory=list)
    made: _Said = field(default_factory=dict)
    answered: _Said = field(default_factory=dict)
    conceded: _Said = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)


def flow(data: ReportData, motion: Motion) -> Flow:
    """The flow of a motion."""
    columns = tuple(_columns(data, motion))
    points = _points(data, motion)
    rows = _Rows(columns)
    judged = [each for each in data.run.known.judgements if each.motion == motion.id]
    shown = [_corrected(rows.row(point), columns, judged) for point in sorted(points, key=rows.order)]
    return Flow(columns, tuple(shown), data.motions[motion.id].flow.removesuffix(".html"))


def _corrected(row: FlowRow, columns: Sequence[FlowColumn], judged: Sequence[Judgement]) -> FlowRow:
    """The row with the cells that people corrected. A point that is answered there was not dropped."""
    said = {
        each.speech: each.judgement
        for each in judged
        if each.kind == "flow" and (row.text, row.stance) == (renamed(judged, each.of), each.side)
    }
    if not said:
        return row
    exchanges = {column.id: column.exchange for column in columns}
    corrected: dict[str, FlowCell | None] = dict(row.cells)
    answered = {exchanges[id] for id, state in said.items() if id in exchanges and state in ("answered", "conceded")}
    for column in columns:
        cell = row.cells.get(column.id)
        if column.id in said:
            state = next((one for one in STATES if one == said[column.id]), None)
            passages = cell.said if cell and state != "dropped" else ()
            corrected[column.id] = FlowCell(state, passages, is_corrected=True) if state else None
        elif cell and cell.state == "dropped" and column.exchange in answered:
            corrected[column.id] = None
    return replace(row, cells={id: cell for id, cell in corrected.items() if cell})


# Speeches in order: by exchange, and within it as they are heard.


def _columns(data: ReportData, motion: Motion) -> Iterator[FlowColumn]:
    for number, exchange in enumerate(_exchanges(data, motion)):
        columns = [FlowColumn(one, data.links[one.speech.id], number, _own_sentences(data, one)) for one in exchange]
        yield from sorted(columns, key=lambda column: column.opening)


def _exchanges(data: ReportData, motion: Motion) -> Iterator[list[SpeechFacts]]:
    """The speeches of each exchange: of one recording, or a speech and those that answer it."""
    own = data.facts_on(motion.id)
    by_recording: dict[str, list[SpeechFacts]] = {}
    for facts in own:
        if facts.speech.recording:
            by_recording.setdefault(facts.speech.recording, []).append(facts)
    yield from by_recording.values()
    single = {facts.speech.id: facts for facts in own if not facts.speech.recording}
    answered = {id: answering.to for id in single if (answering := data.answering(motion.id).get(id))}
    for id, facts in single.items():
        if answered.get(id) not in single:
            yield [facts, *(other for other_id, other in single.items() if answered.get(other_id) == id)]


def _own_sentences(data: ReportData, facts: SpeechFacts) -> Sequence[Sentence]:
    """What somebody says in a recording of several people."""
    if not facts.speech.recording:
        return ()
    recording = facts.speech.recording
    said, people = data.of_speech(Sentences, recording), data.of_speech(Speakers, recording)
    return people.said_by(key_of(facts.speech), said.sentences) if people and said else ()


def turns_of(said: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences that follow one another, by the words between them."""
    run: list[Sentence] = []
    for one in said:
        if run and one.first != run[-1].last:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _duration(turn: Sequence[Sentence]) -> float:
    return turn[-1].end - turn[0].start


# Points: key points, and known arguments.


def _points(data: ReportData, motion: Motion) -> list[_Point]:
    """The points of a motion: its key points, then the known arguments that are no key point."""
    points: dict[tuple[str, Stance | None], _Point] = {}
    for own in data.motion_page(motion)["key-points"]:
        for shown in own.points:
            point = _Point(shown.point.quoted, shown.point.stance, shown.anchor, ["key point"])
            for said, matches in (
                (point.made, shown.made_in),
                (point.answered, shown.answered_in),
                (point.conceded, shown.conceded_in),
            ):
                said.update(_passages(matches))
            points[_plain(point.text), point.stance] = point
    for argument in data.run.arguments_on(motion.id):
        found = _of_argument(data, motion, argument)
        if found.made:
            point = _same(points.values(), argument, found.made) or _Point(argument.title, argument.stance)
            points.setdefault((_plain(point.text), point.stance), point)
            point.kinds.append("known argument")
            point.heard |= found.heard
            for known, more in ((point.made, found.made), (point.answered, found.answered)):
                for speech, passages in more.items():
                    known.setdefault(speech, []).extend(one for one in passages if one not in known.get(speech, []))
    return list(points.values())


def _same(points: Iterable[_Point], argument: Argument, made: _Said) -> _Point | None:
    """The point that the argument is: of the same words, or mostly made by the same sentences."""
    where = _where(made)
    return next(
        (
            point
            for point in points
            if point.stance == argument.stance
            and (_plain(point.text) == _plain(argument.title) or 2 * len(where & _where(point.made)) > len(where) > 0)
        ),
        None,
    )


def _where(made: _Said) -> set[tuple[str, float]]:
    return {(speech, said.start) for speech, passages in made.items() for said in passages}


def _plain(text: str) -> str:
    """The words of the text: a key point may be an argument's title."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _passages(speeches: Sequence[PointInSpeech]) -> _Said:
    """The passages of each speech, the best one first."""
    return {
        each.link.id: [each.best.said, *(match.said for match in each.matches if match != each.best)]
        for each in speeches
    }


def _of_argument(data: ReportData, motion: Motion, argument: Argument) -> _Point:
    """An argument with the speeches that make it, and those of the other side that take it up or make its rebuttal."""
    point = _Point(argument.title, argument.stance)
    for facts in data.facts_on(motion.id):
        id, said = facts.speech.id, facts.carriers.get(argument.id)
        if _makes(data, facts, argument.id):
            point.made[id] = [said] if said else []
        elif facts.speech.stance in (None, argument.stance):
            continue
        elif said and facts.probabilities[argument.id] >= (facts.threshold or 1.0):
            point.answered[id] = [said]
        elif argument.counter and _makes(data, facts, argument.counter):
            point.answered[id] = [facts.carriers[argument.counter]] if argument.counter in facts.carriers else []
    asked = {id: argument.id if id in point.made else argument.counter or "" for id in (*point.made, *point.answered)}
    point.heard |= {id for id, made in asked.items() if data.labels.get((id, made))}
    return point


def _makes(data: ReportData, facts: SpeechFacts, argument: str) -> bool:
    """Whether a speech makes an argument: people's label says it, else what was found.

    Of a speech of unknown side, arguments of both sides are compared. Only a passage tells that it makes one.
    """
    label = data.labels.get((facts.speech.id, argument))
    if label is not None:
        return label
    return argument in facts.mentioned and (argument in facts.carriers or facts.speech.stance is not None)


# What each speech does with each point.


class _Rows:
    """Makes the rows of points over these speeches."""

    def __init__(self, columns: Sequence[FlowColumn]) -> None:
        self._columns = columns
        self._place = {column.id: place for place, column in enumerate(columns)}

    def order(self, point: _Point) -> tuple[int, int, int, float]:
        """Points of one side together: those that most speeches make first, then those that are made first."""
        places = [self._place[speech] for speech in point.made if speech in self._place]
        first = min((said.start for passages in point.made.values() for said in passages), default=0.0)
        many = -len(places) if len(self._columns) > MOST_COLUMNS else 0
        return _SIDES.index(point.stance), many, min(places, default=0), first

    def row(self, point: _Point) -> FlowRow:
        cells: dict[str, FlowCell] = {}
        for exchange in dict.fromkeys(column.exchange for column in self._columns):
            cells |= self._cells(point, [column for column in self._columns if column.exchange == exchange])
        return FlowRow(point.text, point.stance, tuple(dict.fromkeys(point.kinds)), point.anchor, cells)

    def _cells(self, point: _Point, columns: Sequence[FlowColumn]) -> dict[str, FlowCell]:
        """The cells of one exchange."""
        cells: dict[str, FlowCell] = {}
        makers = sorted((column for column in columns if column.id in point.made), key=lambda one: self._at(point, one))
        for column in makers:
            cells[column.id] = self._cell("extended" if cells else "made", point, column, point.made[column.id])
        others = [column for column in columns if column.id not in cells]
        could = [column for column in others if makers and self._speaks_after(column, point, makers[0])]
        is_placed = bool(makers) and (makers[0].facts.speech.recording is None or any(point.made[makers[0].id]))
        for column in could if is_placed else others:
            if self._is_before(column, point, makers) or (not makers and column is columns[0] and len(columns) > 1):
                continue  # who opens an exchange answers nobody
            if (said := self._later(point.answered.get(column.id), point, makers)) is not None:
                cells[column.id] = self._cell("answered", point, column, said)
            elif (said := self._later(point.conceded.get(column.id), point, makers)) is not None:
                cells[column.id] = self._cell("conceded", point, column, said)
        opponents = [column for column in could if point.stance and column.stance not in (None, point.stance)]
        opponents = opponents if any(cell.said for cell in cells.values()) else []
        if opponents and not any(cell.state in ("answered", "conceded") for cell in cells.values()):
            cells[opponents[-1].id] = FlowCell("dropped")
        return cells

    def _is_before(self, column: FlowColumn, point: _Point, makers: Sequence[FlowColumn]) -> bool:
        """Whether nothing shows when a speech answers, and it begins before the one that makes the point."""
        is_unplaced = bool(makers) and not point.answered.get(column.id, True)
        return is_unplaced and self._place[column.id] < self._place[makers[0].id]

    def _cell(self, state: State, point: _Point, column: FlowColumn, said: Sequence[Passage]) -> FlowCell:
        return FlowCell(state, _in_order(said), is_labelled=not said and column.id in point.heard)

    def _later(
        self, said: Sequence[Passage] | None, point: _Point, makers: Sequence[FlowColumn]
    ) -> Sequence[Passage] | None:
        """The passages after the point was made, in a recording: what was said before does not answer it.

        If no passage makes it, that is when who makes it begins. None if there were passages, and none is later.
        """
        if not said or not makers or makers[0].facts.speech.recording is None:
            return said
        maker = makers[0]
        made = self._at(point, maker)[1] if point.made[maker.id] else maker.opening
        return [one for one in said if one.start > made] or None

    def _at(self, point: _Point, column: FlowColumn) -> tuple[int, float]:
        """When a speech makes the point: by time within a recording, else by the order of speeches."""
        first = min((said.start for said in point.made[column.id]), default=float("inf"))
        return (0, first) if column.facts.speech.recording else (self._place[column.id], first)

    def _speaks_after(self, column: FlowColumn, point: _Point, maker: FlowColumn) -> bool:
        """Whether somebody can have heard the point before they end."""
        if maker.facts.speech.recording is None:
            return self._place[column.id] > self._place[maker.id]
        return column.end > self._at(point, maker)[1]


def _in_order(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The first passage, which is the best one, then the others in order of time."""
    return (*passages[:1], *sorted(passages[1:], key=lambda said: said.start))


PANEL = Panel(view=lambda data, motion: data.flow(motion))


# The flow as a drawing.

_POINT, _COLUMN, _LETTERS, _LINE, _PAD = 300, 210, 30, 17, 10
# How wide a drawing is at least for lines below it.
_NARROWEST = 940


def svg(found: Flow, motion: Motion, made: Sequence[str] = ()) -> str:
    """The drawing of a flow: a column per speech, in narrow columns with marks alone if there are many.

    `made` are lines below it, which say how it was made.
    """
    import textwrap

    wide = 40 if found.is_folded else _COLUMN
    y, rows = 130 if found.is_folded else 70, []
    for row in found.rows:
        lines = textwrap.wrap(row.text, _LETTERS + 8, max_lines=5, placeholder=" …")
        cells = []
        for place, column in enumerate(found.columns):
            if cell := row.cells.get(column.id):
                said = cell.said[0].quoted if cell.said and not found.is_folded else ""
                text = textwrap.wrap(said, _LETTERS, max_lines=3, placeholder=" …")
                cells.append((_POINT + place * wide, cell, text))
        tall = max([len(lines), *(1 + len(text) for _, _, text in cells)]) * _LINE + 2 * _PAD
        rows.append((y, tall, row, lines, cells))
        y += tall
    names = [(_POINT + place * wide, column) for place, column in enumerate(found.columns)]
    width = _POINT + wide * len(found.columns)
    width, height = max(width, _NARROWEST if made else 0), y + 34 + _LINE * len(made)
    sizes = {"width": width, "height": height, "step": wide, "below": y + 34 - 12}
    return render("flow.svg", motion=motion, flow=found, rows=rows, names=names, made=made, **sizes)

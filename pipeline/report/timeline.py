"""The timeline of a recording with several people: who speaks when, where each point comes up and is taken up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.grouping import grouped
from pipeline.records import Passage, Sentence, Stance
from pipeline.report.flow import FlowCell, turns_of
from pipeline.report.formatting import shortened
from pipeline.report.links import SpeechLink
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.segment import Sentences
from pipeline.speakers import Person, Speakers

# A turn of fewer words begins no chapter unless it asks, and a sentence of fewer is no title: "One at a time, please."
_LEAST_WORDS, _FEWEST = 20, 4
# Whoever speaks so many words was called up for them.
_STATEMENT = 80
# How a transcript marks a sentence that is broken off.
_BROKEN_OFF = ("-", "–", "—", "…", "...")
# Points beyond so many are folded, and have no number in the lanes.
_MOST_POINTS = 12
_LEAST_WIDTH = 0.4


@dataclass(frozen=True)
class Span:
    """A stretch of the timeline, in percent of its length, and what is said there."""

    left: float
    width: float
    said: Passage
    title: str = ""


@dataclass(frozen=True)
class PointMark:
    """A number on a lane: a point comes up here (`made`), or is taken up."""

    left: float
    number: int
    stance: Stance | None
    cell: FlowCell
    said: Passage
    title: str

    @property
    def is_made(self) -> bool:
        """Whether the speaker makes the point here, and does not answer it."""
        return self.cell.state in ("made", "extended")


@dataclass(frozen=True)
class Lane:
    """One person: the turns, and the points in them."""

    name: str
    stance: Stance | None
    role: str | None
    turns: tuple[Span, ...]
    marks: tuple[PointMark, ...]


@dataclass(frozen=True)
class PointOfTimeline:
    """A point, and what each speech of the recording does with it, in order of time."""

    number: int
    text: str
    stance: Stance | None
    cells: tuple[tuple[SpeechLink, FlowCell], ...]


@dataclass(frozen=True)
class Timeline:
    """Chapters, a lane for each person, and the points."""

    own: SpeechLink
    chapters: tuple[Span, ...]
    lanes: tuple[Lane, ...]
    points: tuple[PointOfTimeline, ...]
    more: tuple[PointOfTimeline, ...]


def _view(data: ReportData, facts: SpeechFacts) -> Timeline | None:
    """The timeline of a recording of several people; None for any other."""
    people, sentences = (data.of_speech(kind, facts.speech.id) for kind in (Speakers, Sentences))
    if not isinstance(people, Speakers) or not isinstance(sentences, Sentences):
        return None
    if people.is_one_speech or len(people.people) < 2 or not sentences.sentences:
        return None
    said, by_label = sentences.sentences, {person.label: person for person in people.people}
    length = max(one.end for one in said) or 1.0
    points = tuple(_points(data, facts))
    shown = points[:_MOST_POINTS]
    lanes = (
        _lane(person, [one for one in said if by_label.get(one.speaker or "") in voices], shown, length)
        for person, voices in _persons(people)
    )
    found = tuple(chapters(said, by_label, length))
    return Timeline(data.links[facts.speech.id], found, tuple(lanes), shown, points[_MOST_POINTS:])


def _persons(people: Speakers) -> Iterator[tuple[Person, Sequence[Person]]]:
    """Each person with all voices that are the same person, the one who says most first."""
    for voices in grouped((person.key, person) for person in people.people).values():
        yield max(voices, key=lambda person: person.words), voices


def _points(data: ReportData, facts: SpeechFacts) -> Iterator[PointOfTimeline]:
    """The points that come up in the recording, in the order in which they do."""
    motion = next((motion for motion in data.run.motions if motion.id == facts.speech.motion), None)
    if motion is None or not data.has_flow(motion):
        return
    flow = data.flow(motion)
    columns = [column for column in flow.columns if column.facts.speech.recording == facts.speech.id]
    rows = []
    for row in flow.rows:
        own = [(column.link, row.cells[column.id]) for column in columns if column.id in row.cells]
        own.sort(key=lambda one: comes_up(one[1]))
        if any(cell.said for _, cell in own):
            rows.append((row, tuple(own)))
    rows.sort(key=lambda one: min(_first(cell) for _, cell in one[1]))
    for number, (row, cells) in enumerate(rows, 1):
        yield PointOfTimeline(number, row.text, row.stance, cells)


def comes_up(cell: FlowCell) -> tuple[bool, float]:
    """Sorts what speeches do with a point by time. What makes it comes first if there is no passage, and so no time."""
    return bool(cell.said) or cell.state != "made", _first(cell)


def _first(cell: FlowCell) -> float:
    return min((said.start for said in cell.said), default=float("inf"))


def _lane(person: Person, said: Sequence[Sentence], points: Sequence[PointOfTimeline], length: float) -> Lane:
    marks = [
        PointMark(100 * passage.start / length, point.number, point.stance, cell, passage, point.text)
        for point in points
        for link, cell in point.cells
        if link.id.endswith(f"/{person.key}")
        for passage in cell.said
    ]
    turns = [_span(list(run), length) for run in turns_of(said)]
    return Lane(person.label, person.side, person.role, tuple(turns), tuple(marks))


def _span(said: Sequence[Sentence], length: float, title: str = "", until: float | None = None) -> Span:
    passage = Passage.of(*said)
    end = passage.end if until is None else until
    left = 100 * passage.start / length
    return Span(left, max(100 * end / length - left, _LEAST_WIDTH), passage, title)


def chapters(said: Sequence[Sentence], people: dict[str, Person], length: float) -> Iterator[Span]:
    """A chapter from each turn of those who do not debate: a moderator who calls somebody up, a question."""

    def debates(one: Sentence) -> bool:
        person = people.get(one.speaker or "")
        return person is None or person.role in (None, "debater")

    turns = [(is_debate, list(run)) for is_debate, run in groupby(said, key=debates)]
    following = [*(_words(run) for _, run in turns[1:]), 0]
    opening = [
        (run, title)
        for (is_debate, run), words in zip(turns, following, strict=True)
        if not is_debate and (title := _title(run, people, calls=words >= _STATEMENT))
    ]
    ends = [*(run[0].start for run, _ in opening[1:]), length]
    for (run, title), end in zip(opening, ends, strict=False):  # without an opening, there is no chapter
        yield _span(run, length, shortened(title, 90), until=end)


def _title(said: Sequence[Sentence], people: dict[str, Person], *, calls: bool) -> str:
    """The last question of a turn, of somebody from the floor if there is one, else what it ends with.

    Empty if it opens nothing: a short turn that asks nothing, and `calls` nobody up who then speaks at length.
    """
    asked = [one for one in said if (person := people.get(one.speaker or "")) and person.role == "questioner"]
    for sentences, who in ((asked, f"{asked[-1].speaker} asks: " if asked else ""), (said, "")):
        if questions := [one for one in sentences if _asks(one)]:
            return f"{who}{questions[-1].text}"
    whole = [one for one in said if _words([one]) >= _FEWEST and not one.text.rstrip().endswith(_BROKEN_OFF)]
    return whole[-1].text if whole and (calls or _words(said) >= _LEAST_WORDS) else ""


def _asks(one: Sentence) -> bool:
    return one.text.rstrip().endswith("?") and _words([one]) >= _FEWEST


def _words(said: Sequence[Sentence]) -> int:
    return sum(one.last - one.first for one in said)


PANEL = Panel(view=_view, title="Timeline")

"""How key points are shown: as Markdown, and on the pages of motions and speeches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.export.table import Table, each_of_motion, flag, integer, number, recording_of, text
from pipeline.grouping import grouped
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide
from pipeline.records import Motion, Stance
from pipeline.report.formatting import clock, counted, duration, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun


@dataclass(frozen=True)
class PointInSpeech:
    """A speech, and its sentences that make a key point or answer it, in order of time."""

    link: SpeechLink
    matches: tuple[KeyPointMatch, ...]

    @property
    def best(self) -> KeyPointMatch:
        """The sentence that does so most clearly, by its score."""
        return max(self.matches, key=lambda match: match.score)


@dataclass(frozen=True)
class ShownPoint:
    """A key point, with the speeches that make and answer it. `of_speeches` is how many speeches its side has.

    `case_of` is the text of the more general point that it is a case of.
    """

    point: KeyPoint
    of_speeches: int
    made_in: tuple[PointInSpeech, ...]
    answered_in: tuple[PointInSpeech, ...]
    conceded_in: tuple[PointInSpeech, ...] = ()
    quoted_in: tuple[PointInSpeech, ...] = ()
    case_of: str | None = None

    @property
    def is_aside(self) -> bool:
        """Whether only one sentence makes it. Then a share of the speeches would be misleading."""
        return len(self.point.matches) < 2

    @property
    def share(self) -> float:
        """The share of its side's speeches that make it."""
        return self.point.speeches / self.of_speeches if self.of_speeches else 0.0

    @property
    def anchor(self) -> str:
        """The id of its element on the motion's page."""
        return f"point-{'-'.join(self.point.id.split())}"

    @property
    def clips(self) -> int:
        """How many of the passages that make it can be played."""
        return sum(len(speech.matches) for speech in self.made_in if speech.link.audio)

    @property
    def prevalence(self) -> str:
        """In how many speeches and by how many speakers it is made; and for how long, if there is sound."""
        if not self.point.matches:
            return self.in_speeches
        once_or_who = "once" if self.is_aside else counted(self.point.speakers, "speaker")
        seconds = f", {duration(60 * self.point.minutes)}" if self.clips else ""
        return f"{self.in_speeches}, {once_or_who}{seconds}"

    @property
    def in_speeches(self) -> str:
        """In how many of its side's speeches it is made."""
        if not self.point.matches:
            return "added by a person, found in no speech"
        return f"{self.point.speeches} of {self.of_speeches} speeches" if self.of_speeches > 1 else "the only speech"


@dataclass(frozen=True)
class PointSide:
    """The key points of one side, and the side's numbers."""

    side: KeyPointSide
    points: tuple[ShownPoint, ...]


def point_sides(record: KeyPoints, link_of: Callable[[str], SpeechLink] = SpeechLink) -> Iterator[PointSide]:
    """The sides of the record, each with its points. `link_of` returns the link of a speech."""
    for summary in record.sides:
        points = {point.id: point for point in record.points if point.stance == summary.stance}
        general = {id: points[point.case_of].quoted for id, point in points.items() if point.case_of}
        shown = (_shown(point, summary.speeches, link_of, general.get(id)) for id, point in points.items())
        yield PointSide(summary, tuple(shown))


def _shown(point: KeyPoint, of_speeches: int, link_of: Callable[[str], SpeechLink], case_of: str | None) -> ShownPoint:
    return ShownPoint(
        point,
        of_speeches,
        made_in=_by_speech(point.matches, link_of),
        answered_in=_by_speech(point.answers, link_of),
        conceded_in=_by_speech(point.concessions, link_of),
        quoted_in=_by_speech(point.quotations, link_of),
        case_of=case_of,
    )


def _by_speech(matches: Sequence[KeyPointMatch], link_of: Callable[[str], SpeechLink]) -> tuple[PointInSpeech, ...]:
    return tuple(
        PointInSpeech(link_of(speech), tuple(sorted(own, key=lambda match: match.said.start)))
        for speech, own in grouped((match.speech, match) for match in matches).items()
    )


SHOWN = 5


def headline(record: KeyPoints) -> str:
    """How many key points there are."""
    return counted(len(record.points), "key point")


def page(record: KeyPoints) -> str:
    """Each side's key points by prevalence, then the sentences that make and answer each of them."""
    parts = [part for own in point_sides(record) for part in _side(own)]
    how = f"Matched by {escaped(record.matcher)}, with scores of {record.threshold:.2f} or more."
    asked = [f"Asked: {escaped(record.llm.report_line())}."] if record.llm else []
    return "\n\n".join([*parts, how, *asked])


def _side(own: PointSide) -> Iterator[str]:
    figures = own.side
    yield f"## {side(figures.stance).capitalize()}"
    yield (
        f"{counted(figures.speeches, 'speech', 'speeches')}, {counted(figures.speakers, 'speaker')}, "
        f"{figures.minutes:.1f} minutes. {figures.argued} of {counted(figures.sentences, 'sentence')} argue. "
        f"{figures.covered} of those make one of the key points."
    )
    if not own.points:
        yield "No sentence of this side can serve as a key point."
        return
    yield key_points_table(own.points)
    for shown in own.points:
        point = shown.point
        yield f"### {escaped(point.quoted)}"
        if shown.case_of:
            yield f"A case of: {escaped(shown.case_of)}"
        yield _sentences(point.matches)
        others = {
            "The other side on the same matter": point.answers,
            "Conceded by the other side": point.concessions,
            "Quoted by the other side": point.quotations,
        }
        for what, matches in others.items():
            if matches:
                yield f"{what}:"
                yield _sentences(matches)


def _sentences(matches: Sequence[KeyPointMatch]) -> str:
    """The best sentences: where to hear them, and what was said."""
    rows = [
        (match.speech, clock(match.said.start), match.speaker, match.score, match.said.quoted)
        for match in matches[:SHOWN]
    ]
    left = f"\n\nand {len(matches) - SHOWN} more" if len(matches) > SHOWN else ""
    return table(("speech", "at", "speaker", "score", "said"), rows) + left


def _points_of_motion(data: ReportData, motion: Motion) -> tuple[PointSide, ...]:
    record = data.of_motion(KeyPoints, motion.id)
    return tuple(side for side in point_sides(record, data.links.__getitem__) if side.points) if record else ()


def _points_markdown(sides: Sequence[PointSide]) -> str:
    return key_points_table(point for own in sides for point in own.points)


MOTION_PANEL = Panel(view=_points_of_motion, title="Key points", markdown=_points_markdown)


@dataclass(frozen=True)
class PointsOfSpeech:
    """The key points that a speech makes."""

    link: SpeechLink
    stance: Stance | None
    points: tuple[ShownPoint, ...]


def _points_of_recording(data: ReportData, facts: SpeechFacts) -> tuple[PointsOfSpeech, ...]:
    """The key points that each speech in the recording makes."""
    speeches = (
        PointsOfSpeech(data.links[each.speech.id], each.speech.stance, _points_of_speech(data, each))
        for each in data.speeches_in(facts)
    )
    return tuple(speech for speech in speeches if speech.points)


def _points_of_speech(data: ReportData, facts: SpeechFacts) -> tuple[ShownPoint, ...]:
    motion = next((each for each in data.run.motions if each.id == facts.speech.motion), None)
    points = []
    for listed in data.motion_page(motion)["key-points"] if motion else ():
        for point in listed.points:
            if own := tuple(each for each in point.made_in if each.link.id == facts.speech.id):
                points.append(replace(point, made_in=own))
    return tuple(points)


SPEECH_PANEL = Panel(view=_points_of_recording, title="Key points it makes")


def key_points_table(points: Iterable[ShownPoint]) -> str:
    """A table of key points: how many speeches make each, which ones, and which ones answer it."""
    header = ("side", "speeches", "made by", "other side on it", "key point")  # a page of the Prefect UI is narrow
    rows = (
        (
            side(shown.point.stance),
            f"{shown.point.speeches} of {shown.of_speeches}, {counted(shown.point.speakers, 'speaker')}, "
            f"{duration(60 * shown.point.minutes)}",
            _speeches(shown.made_in),
            _speeches(shown.answered_in) or "nobody",
            f"↳ {shown.point.quoted}" if shown.case_of else shown.point.quoted,
        )
        for shown in points
    )
    return table(header, rows)


def _speeches(matches: Iterable[PointInSpeech]) -> str:
    """The ids of the speeches."""
    return ", ".join(match.link.id for match in matches)


def _points(run: FinishedRun) -> Iterator[tuple[str, KeyPoint]]:
    return each_of_motion(run, KeyPoints, lambda record: record.points)


def _key_points(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        makers = "; ".join(dict.fromkeys(match.speaker for match in point.matches if match.speaker)) or None
        figures = point.speeches, point.speakers, makers, point.minutes
        yield motion, point.id, point.stance, point.quoted, *figures, point.case_of


def _key_point_matches(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        for is_answer, matches in ((False, point.matches), (True, point.answers)):
            for match in matches:
                yield (
                    *(motion, point.id, is_answer, match.speech, match.speaker, recording_of(run, match.speech)),
                    match.sentence,
                    *(match.said.start, match.said.end, match.said.quoted, match.score),
                )


TABLES = (
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
            text("made_by", "who they are, as far as it is known, separated by '; '"),
            number("minutes", "for how long it is made"),
            text("case_of", "id of the more general point of its side, if it is a case of one"),
        ),
        _key_points,
    ),
    Table(
        "key_point_matches",
        "a sentence that makes a key point, or answers it",
        (
            text("motion", "id of the motion"),
            text("key_point", "id of the key point"),
            flag("is_answer", "true: a sentence of the other side on the same matter"),
            text("speech", "id of the speech"),
            text("speaker", "who speaks, if it is known"),
            text("recording", "id of the recording"),
            integer("sentence", "index of the sentence in the recording"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "the sentence"),
            number("score", "how well it matches"),
        ),
        _key_point_matches,
    ),
)

"""The table of all speeches, to sort and to filter."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.formatting import shortened, side
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts


@dataclass(frozen=True)
class ColumnHead:
    """The heading of a column."""

    name: str
    is_number: bool


@dataclass(frozen=True)
class Option:
    """A choice of a filter."""

    value: str
    text: str


@dataclass(frozen=True)
class Filter:
    """A list of choices above the table. A row has its value as `data-<key>`."""

    key: str
    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Speeches:
    """One row per speech."""

    rows: tuple[tuple[SpeechFacts, SpeechLink], ...]
    columns: tuple[ColumnHead, ...]
    filters: tuple[Filter, ...]
    has_pitch: bool


def _view(data: ReportData) -> Speeches:
    has_pitch = any(each.pitch is not None for each in data.facts)
    return Speeches(
        rows=tuple((each, data.links[each.speech.id]) for each in data.facts),
        columns=tuple(_columns(has_pitch)),
        filters=tuple(each for each in _filters(data) if len(each.options) > 1),
        has_pitch=has_pitch,
    )


def _columns(has_pitch: bool) -> Iterator[ColumnHead]:
    yield from (ColumnHead(name, False) for name in ("Speech", "Motion", "Side"))
    yield from (ColumnHead(name, True) for name in ("Length", "Words", "WER", "Words/min"))
    if has_pitch:
        yield ColumnHead("Pitch, Hz", True)


def _filters(data: ReportData) -> Iterator[Filter]:
    yield Filter("motion", "Motion", tuple(Option(motion.id, motion.text) for motion in data.run.motions))
    stances = sorted({each.speech.stance for each in data.facts if each.speech.stance}, reverse=True)
    yield Filter("stance", "Side", tuple(Option(stance, side(stance)) for stance in stances))
    speakers = sorted({"; ".join(each.speech.speakers) for each in data.facts if each.speech.speakers})
    yield Filter("speaker", "Speaker", tuple(Option(name, shortened(name)) for name in speakers))


PANEL = Panel(place=20, view=_view, title="Speeches")

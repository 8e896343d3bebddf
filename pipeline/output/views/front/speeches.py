"""The table of all speeches, to sort and to filter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipeline.output.formatting import side
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts


@dataclass(frozen=True)
class Filter:
    """A list of choices above the table, each with its text. A row has its value as `data-<key>`."""

    key: str
    name: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class Speeches:
    """One row per speech."""

    rows: tuple[tuple[SpeechFacts, SpeechLink], ...]
    filters: tuple[Filter, ...]
    has_pitch: bool


def _view(data: ReportData) -> Speeches:
    return Speeches(
        rows=tuple((each, data.links[each.speech.id]) for each in data.facts),
        filters=tuple(each for each in _filters(data) if len(each.options) > 1),
        has_pitch=any(each.pitch is not None for each in data.facts),
    )


def _filters(data: ReportData) -> Iterator[Filter]:
    yield Filter("motion", "Motion", {motion.id: motion.text for motion in data.run.motions})
    stances = sorted({each.speech.stance for each in data.facts if each.speech.stance}, reverse=True)
    yield Filter("stance", "Side", {stance: side(stance) for stance in stances})
    speakers = sorted({"; ".join(each.speech.speakers) for each in data.facts if each.speech.speakers})
    yield Filter("speaker", "Speaker", {name: name for name in speakers})


PANEL = Panel(place=20, view=_view, title="Speeches")

"""The motions of the run, with how many speak on each side."""

from dataclasses import dataclass

from pipeline.output.views.links import MotionLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import ErrorCounts


@dataclass(frozen=True)
class MotionCard:
    """A motion, its speeches by side, and their pooled word error rate."""

    link: MotionLink
    pro: int
    con: int
    other: int
    wer: float | None


@dataclass(frozen=True)
class Motions:
    """A card for every motion."""

    cards: tuple[MotionCard, ...]
    title = "Motions"


def _view(data: ReportData) -> Motions | None:
    return Motions(tuple(_card(data, link) for link in data.motions.values())) if data.motions else None


def _card(data: ReportData, link: MotionLink) -> MotionCard:
    own = data.facts_on(link.id)
    stances = [each.speech.stance for each in own]
    total = sum((each.errors for each in own if each.errors), ErrorCounts())
    return MotionCard(link, stances.count("pro"), stances.count("con"), stances.count(None), total.rate)


PANEL = Panel(place=30, view=_view)

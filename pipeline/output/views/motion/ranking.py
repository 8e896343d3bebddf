"""Which points convince, in a model's opinion."""

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.output.formatting import interval, share
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import Motion, RankedPoint, Ranking, SideStrength


@dataclass(frozen=True)
class PointInRanking:
    """A point of the ranking, and the link of the speech that makes it."""

    point: RankedPoint
    link: SpeechLink


@dataclass(frozen=True)
class RankedPoints:
    """The points of a motion, the most convincing first."""

    points: tuple[PointInRanking, ...]
    sides: tuple[SideStrength, ...]
    model: str
    agreement: str
    title = "Which points convince"


def ranked_points(record: Ranking, link_of: Callable[[str], SpeechLink] = SpeechLink) -> RankedPoints | None:
    """The ranking with the links of its speeches; None if there is nothing to rank."""
    if not record.points:
        return None
    points = sorted(record.points, key=lambda point: point.place)
    return RankedPoints(
        points=tuple(PointInRanking(each, link_of(each.speech)) for each in points),
        sides=record.sides,
        model=record.model,
        agreement=_agreement(record),
    )


def _agreement(record: Ranking) -> str:
    """How often such opinions were right, as one sentence."""
    if record.accuracy is None:
        return "How often it is right is not known."
    how_sure = interval(record.accuracy_low, record.accuracy_high, decimals=0)
    agreed = f"On topics it had not seen, it agreed with people on {share(record.accuracy)} of pairs"
    return f"{agreed}{f' ({how_sure})' if how_sure else ''}. Those were written arguments."


def _view(data: ReportData, motion: Motion) -> RankedPoints | None:
    record = data.run.of_motion(Ranking, motion.id)
    return ranked_points(record, data.links.__getitem__) if record else None


PANEL = Panel(place=40, view=_view)

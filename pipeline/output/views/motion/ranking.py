"""Which points convince, in a model's opinion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.output.formatting import interval, share
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import Agreement, Motion, RankedPoint, Ranking, SideStrength


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
    """How often such opinions were right: on collections that the model did not learn from, if that was measured."""
    if record.elsewhere:
        within = [each for each in record.elsewhere if not each.across_stances]
        across = [each for each in record.elsewhere if each.across_stances]
        return " ".join(part for part in (_elsewhere(within), _elsewhere(across)) if part)
    if record.accuracy is None:
        return "How often it is right is not known."
    how_sure = interval(record.accuracy_low, record.accuracy_high, decimals=0)
    agreed = f"On topics left out of what it learned from, it agreed with people on {share(record.accuracy)} of pairs"
    return f"{agreed}{f' ({how_sure})' if how_sure else ''}. On arguments from elsewhere it is right less often."


def _elsewhere(measured: Sequence[Agreement]) -> str:
    """One sentence on pairs within a side, or on pairs across sides."""
    if not measured:
        return ""
    names = ", ".join(each.collection for each in measured)
    lowest, highest = (share(choose(each.accuracy for each in measured)) for choose in (min, max))
    agreed = lowest if lowest == highest else f"{lowest} to {highest}"
    if measured[0].across_stances:
        return f"Between arguments of opposite sides, it agreed with people on {agreed} ({names})."
    return (
        f"Between arguments of one side that it had not learned from ({names}), it agreed with people on {agreed} of "
        f"pairs; guessing gives {share(0.5)}. Those were written arguments."
    )


def _view(data: ReportData, motion: Motion) -> RankedPoints | None:
    record = data.run.of_motion(Ranking, motion.id)
    return ranked_points(record, data.links.__getitem__) if record else None


PANEL = Panel(place=40, view=_view, title="Which points convince")

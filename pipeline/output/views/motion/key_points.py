"""The key points of each side."""

from dataclasses import dataclass

from pipeline.output.views.key_points import PointSide, point_sides
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import KeyPoints, Motion


@dataclass(frozen=True)
class PointSides:
    """The sides that have key points."""

    sides: tuple[PointSide, ...]
    title = "Key points"


def _view(data: ReportData, motion: Motion) -> PointSides | None:
    record = data.run.of_motion(KeyPoints, motion.id)
    sides = tuple(side for side in point_sides(record, data.links.__getitem__) if side.points) if record else ()
    return PointSides(sides) if sides else None


PANEL = Panel(place=10, view=_view)

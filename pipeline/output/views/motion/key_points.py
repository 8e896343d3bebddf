"""The key points of each side."""

from pipeline.output.views.key_points import PointSide, point_sides
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import KeyPoints, Motion


def _view(data: ReportData, motion: Motion) -> tuple[PointSide, ...]:
    record = data.run.of_motion(KeyPoints, motion.id)
    return tuple(side for side in point_sides(record, data.links.__getitem__) if side.points) if record else ()


PANEL = Panel(place=10, view=_view, title="Key points")

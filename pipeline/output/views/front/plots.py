"""Figures of the run, which are drawn later: error rates, pitch, and its mentions compared with people's labels."""

from pipeline.output.figures.drawing import Figure
from pipeline.output.figures.of_speeches import figures
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData


def _view(data: ReportData) -> tuple[Figure, ...]:
    return tuple(figures(data.facts, data.run.known))


PANEL = Panel(place=40, view=_view, title="Figures")

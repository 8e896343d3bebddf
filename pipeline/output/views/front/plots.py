"""Figures of the run: error rates, pitch, and its mentions compared with people's labels."""

from dataclasses import dataclass

from pipeline.output.figures.drawing import Figure
from pipeline.output.figures.of_speeches import figures
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData


@dataclass(frozen=True)
class Plots:
    """The figures, which are drawn later."""

    figures: tuple[Figure, ...]
    title = "Figures"


def _view(data: ReportData) -> Plots | None:
    found = tuple(figures(data.facts, data.run.known))
    return Plots(found) if found else None


PANEL = Panel(place=40, view=_view)

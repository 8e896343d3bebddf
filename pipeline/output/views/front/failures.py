"""What failed or cannot be read, and why."""

from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData


@dataclass(frozen=True)
class Failures:
    """One line per failure, with its reason."""

    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{len(self.lines)} failed"


def _view(data: ReportData) -> Failures | None:
    return Failures(tuple(data.failures)) if data.failures else None


PANEL = Panel(place=5, view=_view)

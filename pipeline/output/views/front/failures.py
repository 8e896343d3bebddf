"""What failed or cannot be read, and why: one line per failure."""

from pipeline.output.views.page import Panel

PANEL = Panel(place=5, view=lambda data: tuple(data.failures), title=lambda lines: f"{len(lines)} failed")

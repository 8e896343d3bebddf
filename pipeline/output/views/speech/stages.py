"""Time and models of every stage of the speech: its artifacts without their data."""

from pipeline.output.views.page import Panel

PANEL = Panel(place=70, view=lambda data, facts: tuple(facts.stages.values()), title="How this was made")

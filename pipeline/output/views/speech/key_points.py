"""The key points of its motion that the speech makes, each with the sentences of this speech that make it."""

from dataclasses import replace

from pipeline.output.views.key_points import ShownPoint
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts


def _view(data: ReportData, facts: SpeechFacts) -> tuple[ShownPoint, ...]:
    motion = next((each for each in data.run.motions if each.id == facts.speech.motion), None)
    points = []
    for side in data.motion_page(motion)["key-points"] if motion else ():
        for point in side.points:
            if own := tuple(each for each in point.made_in if each.link.id == facts.speech.id):
                points.append(replace(point, made_in=own))
    return tuple(points)


PANEL = Panel(place=50, view=_view, title="Key points it makes")

"""Figures of the speech at a glance: duration, words, word error rate, pace, pitch."""

from collections.abc import Iterator

from pipeline.output.formatting import clock, counted, number, percent
from pipeline.output.views.page import Panel, Tile
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts


def _view(data: ReportData, facts: SpeechFacts) -> tuple[Tile, ...]:
    return tuple(_tiles(facts))


def _tiles(facts: SpeechFacts) -> Iterator[Tile]:
    if facts.duration is not None:
        yield Tile("Duration", clock(facts.duration))
    if facts.words is not None:
        yield Tile("Words", number(facts.words))
    if facts.errors is not None:
        errors, length = facts.errors.errors, facts.errors.length
        yield Tile("WER", percent(facts.wer), f"{counted(errors, 'error')} in {counted(length, 'word')}")
    if facts.words_per_minute is not None:
        yield Tile("Pace", number(facts.words_per_minute), "words per minute of speech")
    if facts.pitch is not None:
        yield Tile("Pitch", f"{facts.pitch:.0f} Hz", "median of the sentences")


PANEL = Panel(place=10, view=_view)

"""Figures of the run at a glance: speeches, hours, words, word error rate, speed."""

from collections.abc import Iterator, Sequence

from pipeline.measures.error_rates import word_error_rates
from pipeline.output.formatting import duration, interval, number, percent
from pipeline.output.views.page import Panel, Tile
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import ErrorCounts


def _view(data: ReportData) -> tuple[Tile, ...]:
    return tuple(_tiles(data.facts))


def _tiles(facts: Sequence[SpeechFacts]) -> Iterator[Tile]:
    failures = sum(each.failure is not None for each in facts)
    heard = sum(each.duration or 0.0 for each in facts)
    took = sum(each.seconds for each in facts)
    yield Tile("Speeches", number(len(facts)), f"{failures} failed" if failures else "none failed")
    yield Tile("Audio", duration(heard))
    yield Tile("Words", number(sum(each.words or 0 for each in facts)))
    counts = [each.errors for each in facts if each.errors and each.errors.length]
    if counts:
        yield _word_error_rate(counts)
    if took and heard:
        yield Tile("Speed", f"{heard / took:.1f} ×", f"realtime; {duration(took)} of computing")


def _word_error_rate(counts: Sequence[ErrorCounts]) -> Tile:
    rates = word_error_rates(counts)
    notes = interval(rates["wer_low"], rates["wer_high"]), f"{number(rates['words'])} words"
    return Tile("WER, pooled", percent(rates["wer"]), ", ".join(note for note in notes if note))


PANEL = Panel(place=30, view=_view, title="The run in figures")

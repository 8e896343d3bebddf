"""Errors of diarization, in seconds, by pyannote.metrics."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pipeline.evaluation.diarization.data import Case
from pipeline.records import Turn

COMPONENTS = {"missed": "missed detection", "false_alarm": "false alarm", "confusion": "confusion"}


class Errors(NamedTuple):
    """Seconds of speech in the reference, and of each kind of error."""

    total: float = 0.0
    missed: float = 0.0
    false_alarm: float = 0.0
    confusion: float = 0.0

    def __add__(self, other: "Errors") -> "Errors":  # type: ignore[override]
        return Errors(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def rate(self) -> float:
        return (self.missed + self.false_alarm + self.confusion) / self.total


def score(case: Case, *, collar: float = 0.0, skip_overlap: bool = False) -> Errors:
    """The errors of one recording. `collar` is the whole width in seconds that is left out around a boundary."""
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate

    reference, found = annotation(case.reference, case.name), annotation(case.found, case.name)
    extent = reference.get_timeline().extent() | found.get_timeline().extent()
    scored = Timeline([Segment(0, case.duration) if case.duration else extent], uri=case.name)
    metric = DiarizationErrorRate(collar=collar, skip_overlap=skip_overlap)
    detail: Mapping[str, float] = metric(reference, found, uem=scored, detailed=True)
    return Errors(detail["total"], **{name: detail[key] for name, key in COMPONENTS.items()})


def annotation(turns: Iterable[Turn], name: str) -> Any:
    """Turns as pyannote has them."""
    from pyannote.core import Annotation, Segment

    found = Annotation(uri=name)
    for track, turn in enumerate(turns):
        found[Segment(turn.start, turn.end), track] = turn.speaker or "somebody"
    return found

"""The data that diarization is scored on: recordings with RTTM about them, or the RTTM of references and of systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.corpus.files import TURN_SUFFIXES, files_below
from pipeline.corpus.opening import open_corpus
from pipeline.diarize.record import Turns
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, recordings_by_name
from pipeline.formats.nist import read_rttm, read_rttm_recordings
from pipeline.ingest.record import Recording
from pipeline.records import Turn
from pipeline.run.finished import FinishedRun


@dataclass(frozen=True)
class Case:
    """A recording's reference turns, and the turns that a method found; `duration` is None without audio."""

    name: str
    reference: Sequence[Turn]
    found: Sequence[Turn]
    duration: float | None = None
    seconds: float | None = None


def has_systems(folder: Path) -> bool:
    """Whether the folder has systems' turns to score, instead of recordings to diarize."""
    return (folder / "ref").is_dir() and (folder / "sys").is_dir()


def read_systems(folder: Path) -> dict[str, list[Case]]:
    """For each file of `sys`, the recordings of `ref` with the turns that this system found."""
    references = _references(_rttm(folder / "ref"))
    methods = {}
    for path in _rttm(folder / "sys"):
        found = read_rttm_recordings(path)
        methods[path.stem] = [Case(name, turns, found.get(name, ())) for name, turns in references.items()]
    if not references or not methods:
        raise RostrumError(f"{folder}: no .rttm in ref or none in sys; there must be one or more in each")
    return methods


def read_run(folder: Path) -> dict[str, list[Case]]:
    """The speeches of a run whose turns it found, with the references of its corpus."""
    run = FinishedRun(folder)
    corpus = corpus_of(run)
    cases = []
    for entry in corpus.entries:
        found, recording = run.of_speech(Turns, entry.speech.id), run.of_speech(Recording, entry.speech.id)
        if entry.turns and found and found.method != "given":
            duration = recording.duration if recording else None
            cases.append(Case(entry.speech.id, read_rttm(entry.turns), found.turns, duration))
    if not cases:
        if not any(entry.turns for entry in corpus.entries):
            remedy = "put who spoke when in an .rttm beside the recording, under the same name"
            raise RostrumError(f"{folder}: no speech of {corpus.path} has reference turns; {remedy}")
        remedy = "run with --set diarize.use_given=false, to find them"
        raise RostrumError(f"{folder}: the run took the turns that were given; {remedy}")
    return {"run": cases}


@dataclass(frozen=True)
class Recordings:
    """Recordings and the references about them, by the recording's name; `missing` have a reference and no audio."""

    audio: Mapping[str, Path]
    references: Mapping[str, Sequence[Turn]]
    missing: Sequence[str]


def read_recorded(folder: Path) -> Recordings:
    """Every recording below the folder that one of its .rttm files is about."""
    references = _references(_rttm(folder))
    audio = recordings_by_name(open_corpus(folder), references)
    both = {name: audio[name] for name in sorted(audio)}
    if not both:
        raise RostrumError(
            f"{folder}: no audio file has the name of a recording in its .rttm files; rename one or the other"
        )
    return Recordings(both, references, sorted(references.keys() - audio.keys()))


def _rttm(folder: Path) -> list[Path]:
    return [path for path in files_below(folder) if path.suffix in TURN_SUFFIXES]


def _references(paths: Iterable[Path]) -> dict[str, tuple[Turn, ...]]:
    references: dict[str, tuple[Turn, ...]] = {}
    for path in paths:
        for name, turns in read_rttm_recordings(path).items():
            if name in references:
                raise RostrumError(f"{path}: recording {name} has a reference in another file already; remove one")
            references[name] = turns
    return references


# Errors of diarization, in seconds, by pyannote.metrics.

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

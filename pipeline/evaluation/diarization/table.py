"""Diarization error rates against RTTM, scored with pyannote.metrics.

Two layouts: audio files with RTTM anywhere below (the recordings' names are the audio files'), which are diarized here;
or two folders `ref` and `sys` of RTTM, which are only scored, each file of `sys` as a method.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval
from pipeline.records import AudioFile, Recording, Speech, Turn
from pipeline.settings import DiarizeSettings

AUDIO_SUFFIXES = {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aac"}

# Width of what is left out around each boundary of the reference, half before and half after, as pyannote.metrics
# counts it: 0.25 is what it calls so, and 0.5 what NIST's md-eval calls a collar of 0.25.
_COLLARS = (0.0, 0.25, 0.5)
_COMPONENTS = {"missed": "missed detection", "false_alarm": "false alarm", "confusion": "confusion"}
_SEED = 0

# Told the recording, and how many of all are done.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Case:
    """A recording's reference turns, and what a method made of it; `duration` is None where there is no audio."""

    name: str
    reference: Sequence[Turn]
    found: Sequence[Turn]
    duration: float | None = None
    seconds: float | None = None


class Errors(NamedTuple):
    """Seconds of speech in the reference, and of each kind of error."""

    total: float
    missed: float
    false_alarm: float
    confusion: float

    def __add__(self, other: "Errors") -> "Errors":  # type: ignore[override]
        return Errors(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def rate(self) -> float:
        return (self.missed + self.false_alarm + self.confusion) / self.total


def evaluate(
    data: Path,
    test: Path | None = None,
    settings: DiarizeSettings | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score on `test`, else on `data`: nothing is tuned here, so that `data` gives nothing to `test`."""
    settings = settings or DiarizeSettings()
    folder = test or data
    notes: list[str] = []
    facts: dict[str, Any] = {"data": folder.name, "seed": _SEED}
    if (folder / "ref").is_dir() and (folder / "sys").is_dir():
        methods = _given(folder)
        packages = ["pyannote.metrics"]
    else:
        methods = _diarized(folder, settings, notes, progress)
        packages = ["pyannote.audio", "pyannote.metrics", "torch", "silero-vad"]
        from pipeline.audio.diarization import weights

        facts |= {"models": weights(settings), "settings": settings.model_dump(exclude_defaults=True)}
    rows = [row for method, cases in methods.items() for row in _rows(method, cases)]
    return Evaluation(
        name="diarization", signature=signature(*packages, **facts), rows=tuple(rows), notes=(*notes, _LEGEND)
    )


_LEGEND = (
    "collar: seconds left out around each boundary of the reference, half of them on either side (pyannote.metrics); "
    "0.5 is NIST's collar of 0.25. overlap out: where the reference has several speakers is left out."
)


def _given(folder: Path) -> dict[str, list[Case]]:
    from pipeline.formats.rttm import read_recordings

    references = _references(sorted((folder / "ref").rglob("*.rttm")))
    methods = {}
    for path in sorted((folder / "sys").rglob("*.rttm")):
        found = read_recordings(path)
        methods[path.stem] = [Case(name, turns, found.get(name, ())) for name, turns in references.items()]
    if not references or not methods:
        raise RostrumError(f"{folder}: no .rttm in ref or none in sys; there must be one or more in each")
    return methods


def _diarized(
    folder: Path, settings: DiarizeSettings, notes: list[str], progress: Progress | None
) -> dict[str, list[Case]]:
    references = _references(sorted(folder.rglob("*.rttm")))
    audio = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() in AUDIO_SUFFIXES}
    both = [name for name in sorted(audio) if name in references]
    if not both:
        raise RostrumError(f"{folder}: no audio file has the name of a recording in its .rttm files")
    if missing := sorted(set(references) - set(audio)):
        notes.append(f"no audio for {', '.join(missing)}")
    full = settings.model_copy(update={"mode": "full"})
    activity = settings.model_copy(update={"mode": "vad"})
    methods: dict[str, list[Case]] = {"pyannote.audio": [], "one speaker": []}
    for number, name in enumerate(both):
        if progress:
            progress(name, number, len(both))
        with _Ingested(audio[name]) as recording:
            methods["pyannote.audio"].append(_case(name, references[name], recording, full))
            methods["one speaker"].append(_case(name, references[name], recording, activity))
    return methods


def _references(paths: Iterable[Path]) -> dict[str, tuple[Turn, ...]]:
    from pipeline.formats.rttm import read_recordings

    references: dict[str, tuple[Turn, ...]] = {}
    for path in paths:
        for name, turns in read_recordings(path).items():
            if name in references:
                raise RostrumError(f"{path}: recording {name} has a reference in another file already; remove one")
            references[name] = turns
    return references


class _Ingested:
    """An audio file as the pipeline takes it in, for as long as it is looked at."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Recording:
        from pipeline.settings import IngestSettings
        from pipeline.stages.ingest import ingest

        audio = AudioFile(path=self.path)
        self.recording = ingest(audio, settings=IngestSettings())
        return self.recording

    def __exit__(self, *_: object) -> None:
        self.recording.audio.path.unlink()


def _case(name: str, reference: Sequence[Turn], recording: Recording, settings: DiarizeSettings) -> Case:
    from pipeline.stages.diarize import diarize

    started = time.perf_counter()
    found = diarize(Speech(id=name), recording, None, settings=settings).turns
    return Case(name, reference, found, recording.duration, time.perf_counter() - started)


def _rows(method: str, cases: Sequence[Case]) -> list[Row]:
    """Every recording and the total, in every setting."""
    rows: list[Row] = []
    for collar in _COLLARS:
        for skip_overlap in (False, True):
            setting: Row = {"method": method, "collar": collar, "overlap": "out" if skip_overlap else "in"}
            errors = [score(case, collar=collar, skip_overlap=skip_overlap) for case in cases]
            for case, error in zip(cases, errors, strict=True):
                rows.append({**setting, "file": case.name, **_figures(error), **_counts([case])})
            total = sum(errors, Errors(0.0, 0.0, 0.0, 0.0))
            low, high = bootstrap_interval(errors, _pooled_rate, seed=_SEED)
            interval: Row = {"der_low": low, "der_high": high}
            rows.append({**setting, "file": "total", **_figures(total), **interval, **_counts(cases)})
    return rows


def _pooled_rate(errors: Sequence[Errors]) -> float:
    total = sum(errors, Errors(0.0, 0.0, 0.0, 0.0))
    return total.rate if total.total else float("nan")


def _figures(errors: Errors) -> Row:
    if not errors.total:
        return {"der": None, "missed": None, "false_alarm": None, "confusion": None, "note": "no speech to score"}
    shares = {name: getattr(errors, name) / errors.total for name in _COMPONENTS}
    return {"der": errors.rate, **shares, "speech": round(errors.total, 3)}


def _counts(cases: Sequence[Case]) -> Row:
    row: Row = {
        "speakers": sum(len({turn.speaker for turn in case.reference}) for case in cases),
        "speakers_found": sum(len({turn.speaker for turn in case.found}) for case in cases),
    }
    seconds = [case.seconds for case in cases if case.seconds]
    durations = [case.duration for case in cases if case.duration]
    if seconds and durations:
        row["times_realtime"] = round(sum(durations) / sum(seconds), 1)
    return row


def score(case: Case, *, collar: float = 0.0, skip_overlap: bool = False) -> Errors:
    """The errors of one recording; `collar` is the whole width of what is left out around a boundary."""
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate

    reference, found = annotation(case.reference, case.name), annotation(case.found, case.name)
    extent = reference.get_timeline().extent() | found.get_timeline().extent()
    scored = Timeline([Segment(0, case.duration) if case.duration else extent], uri=case.name)
    metric = DiarizationErrorRate(collar=collar, skip_overlap=skip_overlap)
    detail: Mapping[str, float] = metric(reference, found, uem=scored, detailed=True)
    return Errors(detail["total"], **{name: detail[key] for name, key in _COMPONENTS.items()})


def annotation(turns: Iterable[Turn], name: str) -> Any:
    """Turns as pyannote has them."""
    from pyannote.core import Annotation, Segment

    found = Annotation(uri=name)
    for track, turn in enumerate(turns):
        found[Segment(turn.start, turn.end), track] = turn.speaker or "somebody"
    return found

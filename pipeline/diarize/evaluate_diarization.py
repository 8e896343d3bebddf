"""Diarization error rate against RTTM: every recording and all together, with and without a collar and overlap."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline.corpus import open_corpus
from pipeline.corpus.files import TURN_SUFFIXES, files_below
from pipeline.diarize.stage import DiarizeSettings, Turns
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, is_run, recordings_by_name
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.formats import read_rttm, read_rttm_recordings
from pipeline.ingest import Recording, ingested
from pipeline.measures import bootstrap_interval
from pipeline.progress import Progress, no_progress
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
        hypotheses = read_rttm_recordings(path)
        methods[path.stem] = [Case(name, turns, hypotheses.get(name, ())) for name, turns in references.items()]
    if not references or not methods:
        raise RostrumError(f"{folder}: no .rttm in ref or none in sys; there must be one or more in each")
    return methods


def read_run(folder: Path) -> dict[str, list[Case]]:
    """The speeches of a run whose turns it found, with the references of its corpus."""
    run = FinishedRun(folder)
    corpus = corpus_of(run)
    cases = []
    for entry in corpus.entries:
        turns, recording = run.of_speech(Turns, entry.speech.id), run.of_speech(Recording, entry.speech.id)
        if entry.turns and turns and turns.method != "given":
            duration = recording.duration if recording else None
            cases.append(Case(entry.speech.id, read_rttm(entry.turns), turns.turns, duration))
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

    reference, hypothesis = annotation(case.reference, case.name), annotation(case.found, case.name)
    extent = reference.get_timeline().extent() | hypothesis.get_timeline().extent()
    scored = Timeline([Segment(0, case.duration) if case.duration else extent], uri=case.name)
    metric = DiarizationErrorRate(collar=collar, skip_overlap=skip_overlap)
    detail: Mapping[str, float] = metric(reference, hypothesis, uem=scored, detailed=True)
    return Errors(detail["total"], **{name: detail[key] for name, key in COMPONENTS.items()})


def annotation(turns: Iterable[Turn], name: str) -> Any:
    """Turns as pyannote has them."""
    from pyannote.core import Annotation, Segment

    annotated = Annotation(uri=name)
    for track, turn in enumerate(turns):
        annotated[Segment(turn.start, turn.end), track] = turn.speaker or "somebody"
    return annotated


@click.command()
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="diarize.SETTING=VALUE",
    help="Change a setting, such as diarize.speakers.",
)
def command(data: Path, test: Path | None, progress: Progress, assignments: tuple[str, ...]) -> Evaluation:
    """Diarization error rate against RTTM.

    DIR has audio files and .rttm files about them, or two folders of .rttm, `ref` and `sys`, that are only scored. DIR
    may also be a run: the turns that it found are then scored against the .rttm of its corpus.
    """
    from pipeline.diarize.stage import DiarizeSettings
    from pipeline.run.configuration import load

    settings = load(assignments=assignments).settings.own(DiarizeSettings)
    return evaluate(data, test, settings, progress)


# Seconds that are left out around each boundary of the reference, half before and half after, as pyannote.metrics
# counts a collar. NIST's md-eval calls 0.5 a collar of 0.25.
_COLLARS = (0.0, 0.25, 0.5)
_SEED = 0


def evaluate(
    data: Path,
    test: Path | None = None,
    settings: DiarizeSettings | None = None,
    progress: Progress = no_progress,
) -> Evaluation:
    """The table on `test`, else on `data`. Nothing is tuned, so that `data` is not used if there is a `test`."""
    settings = settings or DiarizeSettings()
    folder = test or data
    notes: list[str] = []
    facts: dict[str, Any] = {"data": folder.name, "seed": _SEED}
    packages = ["pyannote.metrics"]
    if is_run(folder):
        methods = read_run(folder)
    elif has_systems(folder):
        methods = read_systems(folder)
    else:
        recordings = read_recorded(folder)
        methods = _diarized(recordings, settings, progress)
        notes = [f"no audio for {', '.join(recordings.missing)}"] if recordings.missing else []
        packages = ["pyannote.audio", "pyannote.metrics", "torch", "silero-vad"]
        from pipeline.diarize.diarization import weights

        facts |= {"models": weights(settings), "settings": settings.model_dump(exclude_defaults=True)}
    rows = [row for method, cases in methods.items() for row in _rows(method, cases)]
    return Evaluation(
        name="diarization", signature=signature(*packages, **facts), rows=tuple(rows), notes=(*notes, _LEGEND)
    )


_LEGEND = (
    "collar: seconds left out around each boundary of the reference, half of them on either side (pyannote.metrics); "
    "0.5 is NIST's collar of 0.25. overlap out: where the reference has several speakers is left out."
)


def _diarized(recordings: Recordings, settings: DiarizeSettings, progress: Progress) -> dict[str, list[Case]]:
    from pipeline.diarize.diarization import load_pipeline

    every_window = {"mode": "full", "embedding_step": settings.segmentation_step}
    variants: dict[str, dict[str, Any]] = {
        "full": {"mode": "full"},
        "pyannote.audio": every_window,
        "one speaker": {"mode": "vad"},
    }
    methods: dict[str, list[Case]] = {method: [] for method in variants}
    for method, variant in variants.items():
        chosen, ended = settings.model_copy(update=variant), sum(map(len, methods.values()))
        if chosen.mode == "full":
            load_pipeline(chosen)  # so that it is not in the first recording's time
        for number, (name, path) in enumerate(recordings.audio.items()):
            progress((ended + number) / (len(variants) * len(recordings.audio)), f"{method}: {name}")
            with ingested(path) as recording:
                methods[method].append(_case(name, recordings.references[name], recording, chosen))
    return methods


def _case(name: str, reference: Sequence[Turn], recording: Recording, settings: DiarizeSettings) -> Case:
    from pipeline.diarize.stage import diarize

    started = time.perf_counter()
    turns = diarize(None, recording, None, settings=settings).turns
    return Case(name, reference, turns, recording.duration, time.perf_counter() - started)


def _rows(method: str, cases: Sequence[Case]) -> list[Row]:
    """Every recording and the total, in every setting."""
    rows: list[Row] = []
    for collar in _COLLARS:
        for skip_overlap in (False, True):
            setting: Row = {"method": method, "collar": collar, "overlap": "out" if skip_overlap else "in"}
            errors = [score(case, collar=collar, skip_overlap=skip_overlap) for case in cases]
            for case, error in zip(cases, errors, strict=True):
                rows.append({**setting, "file": case.name, **_figures(error), **_counts([case])})
            total = sum(errors, Errors())
            low, high = bootstrap_interval(errors, _pooled_rate, seed=_SEED)
            interval: Row = {"der_low": low, "der_high": high}
            rows.append({**setting, "file": "total", **_figures(total), **interval, **_counts(cases)})
    return rows


def _pooled_rate(errors: Sequence[Errors]) -> float:
    total = sum(errors, Errors())
    return total.rate if total.total else float("nan")


def _figures(errors: Errors) -> Row:
    if not errors.total:
        return {"der": None, "missed": None, "false_alarm": None, "confusion": None, "note": "no speech to score"}
    shares = {name: getattr(errors, name) / errors.total for name in COMPONENTS}
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

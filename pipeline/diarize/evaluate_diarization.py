"""Diarization error rate against RTTM."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pipeline.diarize.evaluate.data import (
    COMPONENTS,
    Case,
    Errors,
    Recordings,
    has_systems,
    read_recorded,
    read_run,
    read_systems,
    score,
)
from pipeline.diarize.stage import DiarizeSettings
from pipeline.evaluation.data import ingested, is_run
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.ingest.record import Recording
from pipeline.measures.intervals import bootstrap_interval
from pipeline.progress import Progress, no_progress
from pipeline.records import Speech, Turn


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

    settings = load(assignments=assignments).settings.of("diarize")
    assert isinstance(settings, DiarizeSettings)
    return evaluate(data, test, settings, progress)


# The table of diarization error rates: every recording and all together, with and without a collar and overlap.

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

"""Pitch trackers against a laryngograph."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from pipeline.arrays import Floats, Samples
from pipeline.corpus.files import files_below
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures import with_interval
from pipeline.progress import Progress
from pipeline.system.files import read_text


@click.command()
def command(data: Path, test: Path | None, progress: Progress) -> Evaluation:
    """Pitch trackers against a laryngograph: gross and fine pitch errors, voicing errors, speed.

    DIR has utterances as .wav and beside each a .f0ref, the pitch in Hz every 15 ms, 0 where there is no voice.
    """
    return evaluate(data, test)


# Utterances with their true pitch: beside every `<name>.wav` a `<name>.f0ref`, as in the FDA database.
#
# An `.f0ref` has the pitch in Hz every 15 ms from the file's start, 0 where there is no voice.

REFERENCE_STEP = 0.015


@dataclass(frozen=True)
class Utterance:
    """A recording at its own rate, and its true pitch in Hz every 15 ms."""

    samples: Samples
    rate: int
    reference: Floats


def read(folder: Path) -> list[Utterance]:
    """Every utterance below the folder, by name."""
    utterances = [_utterance(path) for path in files_below(folder) if path.suffix == ".wav"]
    if not utterances:
        raise RostrumError(f"{folder}: no .wav files in it")
    return utterances


def _utterance(path: Path) -> Utterance:
    import soundfile

    reference = path.with_suffix(".f0ref")
    if not reference.exists():
        raise RostrumError(f"{path}: has no {reference.name} beside it")
    try:
        hertz = np.array([float(line) for line in read_text(reference).split()])
    except ValueError as error:
        raise RostrumError(f"{reference}: must have one number per line: {error}") from error
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise RostrumError(f"{path}: cannot be decoded as audio: {error.error_string}") from error
    return Utterance(samples.mean(axis=1), rate, hertz)


# Errors of a pitch contour, as Rabiner et al. (1976) and Bagshaw et al. (1993) count them.

# An estimate further than this share from the reference is a gross error.
GROSS = 0.2


class Contour(NamedTuple):
    """A tracker's frames: their times in seconds, and the pitch in Hz, 0 where it finds no voice."""

    times: Floats
    hertz: Floats


class Counts(NamedTuple):
    """The counts of an utterance. They add up. `squares` and `deviation` are of the frames without gross error."""

    frames: int = 0
    both_voiced: int = 0
    gross: int = 0
    missed_voice: int = 0
    false_voice: int = 0
    deviation: float = 0.0
    squares: float = 0.0


def count(contour: Contour, reference: Floats) -> Counts:
    """Compare a contour with the reference's frames."""
    estimate = at(contour, np.arange(len(reference), dtype=np.float64) * REFERENCE_STEP)
    both = (reference > 0) & (estimate > 0)
    error = estimate[both] / reference[both] - 1
    fine = error[np.abs(error) <= GROSS]
    return Counts(
        frames=len(reference),
        both_voiced=int(both.sum()),
        gross=int((np.abs(error) > GROSS).sum()),
        missed_voice=int(((reference > 0) & (estimate <= 0)).sum()),
        false_voice=int(((reference <= 0) & (estimate > 0)).sum()),
        deviation=float(fine.sum()),
        squares=float((fine**2).sum()),
    )


def at(contour: Contour, times: Floats) -> Floats:
    """The contour at these times: voiced as its nearest frame is, in semitones between two voiced ones."""
    nearest = np.searchsorted((contour.times[1:] + contour.times[:-1]) / 2, times)
    before = np.clip(np.searchsorted(contour.times, times, side="right") - 1, 0, len(contour.times) - 2)
    logs = np.log(np.maximum(contour.hertz, 1.0))
    between = np.exp(np.interp(times, contour.times, logs))
    both = (contour.hertz[before] > 0) & (contour.hertz[before + 1] > 0)
    own = contour.hertz[nearest]
    return np.where((own > 0) & both, between, own)


def rates(counts: Sequence[Counts]) -> dict[str, float | None]:
    """The rates over all utterances together."""
    total = Counts(*(sum(values) for values in zip(*counts, strict=True)))
    fine = total.both_voiced - total.gross
    bias = total.deviation / fine if fine else None
    return {
        "gpe": total.gross / total.both_voiced if total.both_voiced else None,
        "fine_error": None if bias is None else float(np.sqrt(total.squares / fine - bias**2)),
        "bias": bias,
        "voicing_error": (total.missed_voice + total.false_voice) / total.frames,
        "missed_voice": total.missed_voice / total.frames,
        "false_voice": total.false_voice / total.frames,
    }


# Pitch trackers: ours, its peers where they are installed, and a constant.

FLOOR, CEILING = 60.0, 500.0

Tracker = Callable[[Samples, int], Contour]


def trackers() -> Mapping[str, Tracker]:
    """Ours, its peers if installed, and a constant that all must beat. Each has run once before it is timed."""
    methods: dict[str, Tracker] = {"rostrum (swift-f0)": _ours}
    if find_spec("parselmouth"):
        methods["Praat, autocorrelation"] = functools.partial(_praat, floor=FLOOR, ceiling=CEILING)
        methods["Praat, autocorrelation, its own 75 to 600 Hz"] = functools.partial(_praat, floor=75.0, ceiling=600.0)
    if find_spec("librosa"):
        methods["pYIN (librosa)"] = _pyin
    methods["torchaudio detect_pitch_frequency"] = _torchaudio
    methods["always 150 Hz"] = _constant
    warm = np.zeros(16_000, dtype=np.float32)
    for tracker in methods.values():
        tracker(warm, 16_000)
    return methods


def _ours(samples: Samples, rate: int) -> Contour:
    from pipeline.ingest import Resampler
    from pipeline.prosody.voice import HOP, track_pitch
    from pipeline.records import SAMPLE_RATE

    resampler = Resampler(rate)
    pitch = track_pitch(np.concatenate([resampler.push(samples), resampler.finish()]), floor=FLOOR, ceiling=CEILING)
    return Contour(np.arange(len(pitch.hertz)) * HOP / SAMPLE_RATE, np.nan_to_num(pitch.hertz))


def _praat(samples: Samples, rate: int, *, floor: float, ceiling: float) -> Contour:
    import parselmouth

    sound = parselmouth.Sound(samples.astype(np.float64), rate)
    pitch = sound.to_pitch_ac(time_step=0.01, pitch_floor=floor, pitch_ceiling=ceiling)
    return Contour(pitch.xs(), pitch.selected_array["frequency"])


def _pyin(samples: Samples, rate: int) -> Contour:
    import librosa

    hop = rate // 100
    hertz, *_ = librosa.pyin(samples, fmin=FLOOR, fmax=CEILING, sr=rate, frame_length=2048, hop_length=hop)
    return Contour(np.arange(len(hertz)) * hop / rate, np.nan_to_num(hertz))


def _torchaudio(samples: Samples, rate: int) -> Contour:
    """Torchaudio's tracker. It finds a pitch in every frame. Its times are beginnings of frames; middles are used."""
    import torch

    from pipeline.system.environment import import_torchaudio

    detect = import_torchaudio().functional.detect_pitch_frequency
    hertz = detect(torch.from_numpy(samples), rate, frame_time=0.01, freq_low=FLOOR, freq_high=CEILING).numpy()
    middles = (np.arange(len(hertz), dtype=np.float64) + 0.5) * 0.01
    return Contour(middles, hertz.astype(np.float64))


def _constant(samples: Samples, rate: int) -> Contour:
    times = np.asarray(np.arange(0, len(samples) / rate, 0.01), dtype=np.float64)
    return Contour(times, np.full(len(times), 150.0))


def evaluate(data: Path, test: Path | None = None) -> Evaluation:
    """The table on `test`, else on `data`. Nothing is tuned, so that `data` is not used if there is a `test`."""
    folder = test or data
    utterances = read(folder)
    rows = tuple(_row(method, tracker, utterances) for method, tracker in trackers().items())
    installed = {"praat-parselmouth": "parselmouth", "librosa": "librosa"}
    packages = ["swift-f0", "torchaudio", *(name for name, module in installed.items() if find_spec(module))]
    notes = tuple(f"{name} is not installed: its rows are missing" for name, m in installed.items() if not find_spec(m))
    return Evaluation(
        name="pitch",
        signature=signature(*packages, data=folder.name, utterances=len(utterances), floor=FLOOR, ceiling=CEILING),
        rows=rows,
        notes=(*notes, _LEGEND),
    )


_LEGEND = (
    f"gpe: share of frames voiced in both that are off by more than {GROSS:.0%}; fine_error: standard deviation of the "
    "relative error of the others, bias its mean; voicing_error: share of all frames wrongly voiced or unvoiced, of "
    "which missed_voice and false_voice; times_realtime: on this machine, now."
)


def _row(method: str, tracker: Tracker, utterances: Sequence[Utterance]) -> Row:
    started = time.perf_counter()
    contours = [tracker(utterance.samples, utterance.rate) for utterance in utterances]
    seconds = time.perf_counter() - started
    counts = [count(contour, utterance.reference) for contour, utterance in zip(contours, utterances, strict=True)]
    gross = with_interval("gpe", counts, lambda drawn: rates(drawn)["gpe"] or 0.0)
    duration = sum(len(utterance.samples) / utterance.rate for utterance in utterances)
    return {"method": method, **gross, **rates(counts), "times_realtime": duration / seconds}

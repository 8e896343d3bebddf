"""Utterances with their true pitch: beside every `<name>.wav` a `<name>.f0ref`, as in the FDA database.

An `.f0ref` has the pitch in Hz every 15 ms from the file's start, 0 where there is no voice.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.arrays import Floats, Samples
from pipeline.corpus.files import files_below
from pipeline.errors import RostrumError
from pipeline.system.files import read_text

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

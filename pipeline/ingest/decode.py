"""Any audio file in, 16 kHz mono out, block by block: an hour takes no more memory than a minute."""

import struct
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.ingest.decoders import Decoding
from pipeline.ingest.decoders import stated_duration as stated_duration
from pipeline.records import SAMPLE_RATE

BLOCK_SECONDS = 30
LOWEST_RATE, HIGHEST_RATE = 2_000, 768_000
# The most samples that are decoded at once: 30 s of many channels at a high rate would be gigabytes.
MOST_SAMPLES = 64_000_000
# A WAV file that was written into a pipe claims at least so many bytes: its size was not known yet.
_UNKNOWN_SIZE, _LONGEST_CHUNK = 0x7FFF0000, 1_000_000
# Sinc filter of torchaudio's resampler: as long and as steep as librosa's 'kaiser_best'.
FILTER_WIDTH, ROLLOFF, KAISER_BETA = 64, 0.9475937167399596, 14.769656459379492


class Audio(NamedTuple):
    """A decoder that is open: blocks of shape (frames, channels) at the file's own rate."""

    rate: int
    channels: int
    blocks: Iterator[Samples]


def open_audio(path: Path) -> Audio:
    """Open with libsndfile (wav, flac, ogg, opus, aiff), else with FFmpeg's libraries (mp3, m4a, webm, mp4, ...)."""
    if path.stat().st_size == 0:
        raise RostrumError(f"{path}: is empty (0 bytes); copy the recording again")
    decoding = Decoding(path)
    if not LOWEST_RATE <= decoding.rate <= HIGHEST_RATE:
        decoding.end()
        few_or_many = "few for speech" if decoding.rate < LOWEST_RATE else "many"
        raise RostrumError(
            f"{path}: claims {decoding.rate} samples per second, which are too {few_or_many}; export it with 48000"
        )
    return Audio(decoding.rate, decoding.channels, decoding.blocks(_block_length(decoding.rate, decoding.channels)))


def missing_seconds(path: Path, decoded: float) -> float:
    """How many seconds a recording is shorter than its header says; 0 if it is whole.

    A file that was not copied to its end is too short. One whose header names no duration, because it was written into
    a pipe, counts as whole.
    """
    claimed = _claimed_by_wave(path) or stated_duration(path) or 0.0
    missing = claimed - decoded
    return missing if missing > max(0.5, 0.01 * claimed) else 0.0


def _claimed_by_wave(path: Path) -> float | None:
    """The duration in the header of a WAV file, in seconds. libsndfile gives the duration of the samples instead."""
    with path.open("rb") as file:
        head = file.read(12)
        if (head[:4], head[8:]) != (b"RIFF", b"WAVE"):
            return None
        bytes_per_second = 0
        while len(header := file.read(8)) == 8:
            kind, size = struct.unpack("<4sI", header)
            if kind == b"data":
                known = bytes_per_second and size < _UNKNOWN_SIZE
                return size / bytes_per_second if known else None
            body = file.read(size + size % 2)[:16] if size < _LONGEST_CHUNK else b""
            if kind == b"fmt " and len(body) == 16:
                bytes_per_second = struct.unpack("<HHIIHH", body)[3]
            elif size >= _LONGEST_CHUNK:
                return None
    return None


def _block_length(rate: int, channels: int) -> int:
    """Samples of each channel that are decoded at once."""
    return min(rate * BLOCK_SECONDS, max(1, MOST_SAMPLES // channels))


class Resampler:
    """torchaudio's resampling of a signal that arrives in blocks; the result is that of the whole signal at once."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.step_in, self.step_out = _ratio(rate).as_integer_ratio()
        # What the filter reaches to either side, in whole steps so that blocks stay on the output's grid.
        reach = int(np.ceil(FILTER_WIDTH * max(1.0, rate / SAMPLE_RATE))) + 1
        self.margin = -(-reach // self.step_in) * self.step_in
        self.held = np.zeros(self.margin, dtype=np.float32)

    def push(self, block: Samples) -> Samples:
        """The output that is certain once this block is known."""
        if self.rate == SAMPLE_RATE:
            return block
        signal = np.concatenate([self.held, block])
        usable = (len(signal) - 2 * self.margin) // self.step_in * self.step_in
        if usable <= 0:
            self.held = signal
            return np.zeros(0, dtype=np.float32)
        self.held = signal[usable:]
        return self._middle(signal[: usable + 2 * self.margin], usable // self.step_in * self.step_out)

    def finish(self) -> Samples:
        """The rest of the output, once no more blocks come."""
        if self.rate == SAMPLE_RATE:
            return np.zeros(0, dtype=np.float32)
        remaining = len(self.held) - self.margin
        wanted = -(-remaining * self.step_out // self.step_in)
        return self._middle(np.concatenate([self.held, np.zeros(2 * self.margin, np.float32)]), wanted)

    def _middle(self, signal: Samples, wanted: int) -> Samples:
        import torch

        resampled = self._resample(torch.from_numpy(signal)).numpy()
        skip = self.margin // self.step_in * self.step_out
        return np.asarray(resampled[skip : skip + wanted], dtype=np.float32)

    @cached_property
    def _resample(self) -> Any:
        from pipeline.system.environment import import_torchaudio

        return import_torchaudio().transforms.Resample(
            self.step_in,
            self.step_out,
            resampling_method="sinc_interp_kaiser",
            lowpass_filter_width=FILTER_WIDTH,
            rolloff=ROLLOFF,
            beta=KAISER_BETA,
        )


def _ratio(rate: int) -> Fraction:
    """The rate over 16 kHz: exact for usual rates, a near one for others.

    The exact filter for 44,101 Hz would take gigabytes. The near rate is wrong by hundredths of a second per hour.
    """
    exact = Fraction(rate, SAMPLE_RATE)
    near = exact.limit_denominator(640)
    return near if abs(near / exact - 1) < 1e-5 else exact.limit_denominator(4000)

"""Any audio file in, 16 kHz mono out, block by block: an hour takes no more memory than a minute."""

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Samples
from pipeline.errors import RostrumError, StorageError
from pipeline.records import SAMPLE_RATE
from pipeline.system import interrupt

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


# Processes that decode: one that crashes costs the recording that it decoded, and no more.


# -P: no modules of the current folder
_PROGRAM = [sys.executable, "-P", str(Path(__file__).with_name("decoder_process.py"))]
# Processes that wait for the next recording. Each begins within 0.3 s, and then decodes one recording after another.
_idle: "list[_Decoder]" = []
os.register_at_fork(after_in_child=lambda: _idle.clear())


class _Ended(Exception):
    """The process has ended before its answer did."""


class Decoding:
    """One recording that is being decoded: its rate and channels, and its samples in blocks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decoder, facts = _first_answer(path, "samples")
        self.rate, self.channels = int(facts["rate"]), int(facts["channels"])

    def end(self) -> None:
        """Decode no more of it."""
        self._decoder.end()

    def blocks(self, length: int) -> Iterator[Samples]:
        """Blocks of so many frames, of shape (frames, channels). The last one may be shorter."""
        try:
            yield from self._blocks(length)
        except _Ended as error:
            raise RostrumError(_reason(self.path, self._decoder)) from error
        except RostrumError:
            _idle.append(self._decoder)
            raise
        except BaseException:  # also where the caller has enough: the rest of the answer is of no use
            self._decoder.end()
            raise
        _idle.append(self._decoder)

    def _blocks(self, length: int) -> Iterator[Samples]:
        block, filled = np.empty(length * self.channels, np.float32), 0
        while not (answer := self._decoder.line()).get("end"):
            if "error" in answer:
                raise RostrumError(f"{self.path}: {answer['error']}")
            remaining = answer["bytes"] // block.itemsize
            while remaining:
                count = min(remaining, len(block) - filled)
                self._decoder.read_into(block[filled : filled + count])
                remaining, filled = remaining - count, filled + count
                if filled == len(block):
                    yield block.reshape(-1, self.channels)
                    block, filled = np.empty_like(block), 0
        if filled:
            yield block[:filled].reshape(-1, self.channels)


def stated_duration(path: Path) -> float | None:
    """The duration that a recording's header names, in seconds; None if it names none, or the file is no recording."""
    try:
        decoder, answer = _first_answer(path, "duration")
    except StorageError:
        raise
    except RostrumError:  # said where the recording is decoded
        return None
    _idle.append(decoder)
    seconds: float | None = answer["duration"]
    return seconds


def _first_answer(path: Path, asked: str) -> "tuple[_Decoder, dict[str, Any]]":
    """A process that decodes a recording, and the first line of its answer."""
    while True:
        decoder, is_new = (_idle.pop(), False) if _idle else (_Decoder(), True)
        try:
            answer = decoder.ask(path, asked)
        except _Ended as error:
            if not is_new:  # what an earlier recording left behind is not this one's fault
                decoder.end()
                continue
            raise RostrumError(_reason(path, decoder)) from error
        if "error" in answer:
            _idle.append(decoder)
            raise RostrumError(f"{path}: {answer['error']}")
        return decoder, answer


def _reason(path: Path, decoder: "_Decoder") -> str:
    if decoder.end() == -signal.SIGKILL:
        return f"{path}: its decoder was ended by the system, probably for lack of memory; free some, and run again"
    return f"{path}: the decoder crashed on it; convert it to WAV with another program"


class _Decoder:
    """A process of `decoder_process.py`, which answers one request at a time."""

    def __init__(self) -> None:
        root = Path(__file__).parents[2]  # the packages are found where this process finds them
        paths = os.pathsep.join([str(root), *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        try:
            self.process = subprocess.Popen(
                _PROGRAM,
                stdin=subprocess.PIPE,  # closed when this process ends, which ends the decoder
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pipesize=1_048_576,
                start_new_session=True,  # no signal of the terminal reaches it
                env=environment,
            )
        except OSError as error:
            raise StorageError(f"{sys.executable}: no process can be started to decode: {error.strerror}") from error
        interrupt.started(self.process)

    def ask(self, path: Path, asked: str) -> dict[str, Any]:
        """The first line of the answer."""
        request = json.dumps({"path": str(path.absolute()), "asked": asked}).encode() + b"\n"
        assert self.process.stdin
        try:
            os.write(self.process.stdin.fileno(), request)
        except BrokenPipeError as error:
            raise _Ended from error
        return self.line()

    def line(self) -> dict[str, Any]:
        """The next line of the answer."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _Ended
        answer: dict[str, Any] = json.loads(line)
        return answer

    def read_into(self, samples: Samples) -> None:
        """Fill an array with the samples that a line has announced."""
        assert self.process.stdout
        view = samples.view(np.uint8).data
        if self.process.stdout.readinto(view) < len(view):  # type: ignore[attr-defined]
            raise _Ended

    def end(self) -> int:
        """End the process, and return its exit code: that of its own end, if it has ended already."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


@atexit.register
def _close() -> None:
    while _idle:
        _idle.pop().end()

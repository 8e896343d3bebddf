"""Asks other processes to decode recordings: one that crashes costs the recording that it decoded, and no more."""

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Samples
from pipeline.errors import RostrumError, StorageError
from pipeline.system import interrupt

# Processes that wait for the next recording. Each begins within 0.3 s, and then decodes one recording after another.
_PROGRAM = [sys.executable, "-P", str(Path(__file__).with_name("decoder.py"))]  # -P: no modules of the current folder
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
    """A process of `pipeline.ingest.decoder`, which answers one request at a time."""

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

"""RTTM, the rich transcription time marks of NIST: who speaks when, a turn a line."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.records import Turn

_NONE = "<NA>"


def read_rttm(path: Path) -> tuple[Turn, ...]:
    """The turns of the one recording an RTTM file is about; of several, the one that has the file's name."""
    recordings = read_recordings(path)
    if len(recordings) > 1 and path.stem not in recordings:
        raise RostrumError(f"{path}: is about {len(recordings)} recordings and none is called {path.stem}")
    return recordings.get(path.stem) or next(iter(recordings.values()), ())


def read_recordings(path: Path) -> dict[str, tuple[Turn, ...]]:
    """The turns of every recording in an RTTM file, by the recording's name, in the file's order."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RostrumError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RostrumError(f"{path}: not UTF-8 text: {error.reason} at byte {error.start}") from error
    recordings: dict[str, list[Turn]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        # Other kinds of line (SPKR-INFO, NOISE, ...) and comments say nothing about turns.
        if fields and fields[0] == "SPEAKER":
            recording, turn = _turn(fields, f"{path}:{number}")
            recordings.setdefault(recording, []).append(turn)
    return {name: tuple(turns) for name, turns in recordings.items()}


def write_rttm(path: Path, recordings: Mapping[str, Iterable[Turn]]) -> None:
    """Write the turns of these recordings to a file."""
    path.write_text(rttm(recordings), encoding="utf-8")


def rttm(recordings: Mapping[str, Iterable[Turn]]) -> str:
    """The turns of these recordings, times in milliseconds; names get an underscore for each space."""
    return "".join(_line(recording, turn) for recording, turns in recordings.items() for turn in turns)


def _turn(fields: list[str], where: str) -> tuple[str, Turn]:
    if len(fields) < 8:
        raise RostrumError(f"{where}: a SPEAKER line has 8 fields or more, this one {len(fields)}")
    try:
        start, duration = float(fields[3]), float(fields[4])
    except ValueError:
        raise RostrumError(f"{where}: start and duration are not numbers: {fields[3]} {fields[4]}") from None
    if not (math.isfinite(start + duration) and start >= 0 and duration >= 0):
        raise RostrumError(f"{where}: start and duration must not be negative: {fields[3]} {fields[4]}")
    # The sum of two decimal fractions is not quite the decimal fraction it stands for.
    end = max(start, round(start + duration, 6))
    return fields[1], Turn(start=start, end=end, speaker=None if fields[7] == _NONE else fields[7])


def _line(recording: str, turn: Turn) -> str:
    # A turn ends at the millisecond its end is nearest to, wherever its start was rounded to.
    start = round(turn.start, 3)
    duration = round(turn.end, 3) - start
    speaker = _NONE if turn.speaker is None else _name(turn.speaker)
    return f"SPEAKER {_name(recording)} 1 {start:.3f} {duration:.3f} {_NONE} {_NONE} {speaker} {_NONE} {_NONE}\n"


def _name(text: str) -> str:
    return "_".join(text.split()) or _NONE

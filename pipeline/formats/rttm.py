"""RTTM, NIST's rich transcription time marks: who speaks when, one turn per line."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.formats.nist import field, only_recording, times
from pipeline.records import Turn
from pipeline.system.files import read_text

_NONE = "<NA>"


def read_rttm(path: Path) -> tuple[Turn, ...]:
    """The turns of an RTTM file with one recording. If it has several, the turns of the one with the file's name."""
    return tuple(only_recording(read_recordings(path), path))


def read_recordings(path: Path) -> dict[str, tuple[Turn, ...]]:
    """The turns of every recording in an RTTM file, by the recording's name, in the file's order."""
    recordings: dict[str, list[Turn]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fields = line.split()
        # Other kinds of line (SPKR-INFO, NOISE, ...) and comments say nothing about turns.
        if fields and fields[0] == "SPEAKER":
            recording, turn = _turn(fields, f"{path}:{number}")
            recordings.setdefault(recording, []).append(turn)
    return {name: tuple(turns) for name, turns in recordings.items()}


def rttm(recordings: Mapping[str, Iterable[Turn]]) -> str:
    """The turns of these recordings as RTTM, with times to the millisecond. Spaces in a name become underscores.

    >>> print(rttm({"talk": [Turn(start=0.5, end=2.0, speaker="Ann Smith")]}), end="")
    SPEAKER talk 1 0.500 1.500 <NA> <NA> Ann_Smith <NA> <NA>
    """
    return "".join(_line(recording, turn) for recording, turns in recordings.items() for turn in turns)


def _turn(fields: list[str], where: str) -> tuple[str, Turn]:
    if len(fields) < 8:
        raise RostrumError(f"{where}: a SPEAKER line has 8 fields or more, this one has {len(fields)}")
    start, end = times(fields[3], fields[4], where)
    return fields[1], Turn(start=start, end=end, speaker=None if fields[7] == _NONE else fields[7])


def _line(recording: str, turn: Turn) -> str:
    # The duration is that between the rounded times, so that the end is right to the millisecond, too.
    start = round(turn.start, 3)
    duration = round(turn.end, 3) - start
    speaker = _NONE if turn.speaker is None else _name(turn.speaker)
    return f"SPEAKER {_name(recording)} 1 {start:.3f} {duration:.3f} {_NONE} {_NONE} {speaker} {_NONE} {_NONE}\n"


def _name(text: str) -> str:
    return field(text) or _NONE

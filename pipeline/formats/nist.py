"""NIST's line formats: CTM (words) and RTTM (speaker turns), read and written, and STM (segments), read."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch
from pipeline.records import Turn, Word
from pipeline.system.files import read_text

# What NIST's line formats (CTM, STM, RTTM) have in common: fields separated by spaces, times in seconds.

Content = TypeVar("Content", bound=Sequence[object])


def field(text: str) -> str:
    """The text as one field: an underscore for each run of spaces.

    >>> field("Anna  Smith")
    'Anna_Smith'
    """
    return "_".join(text.split())


def times(start: str, duration: str, where: str) -> tuple[float, float]:
    """Start and end in seconds from two fields. An error names `where`, the file and line.

    >>> times("1.1", "2.2", "a.ctm:1")
    (1.1, 3.3)
    """
    try:
        first, length = float(start), float(duration)
    except ValueError:
        raise RostrumError(f"{where}: start and duration must be numbers, not {start} {duration}") from None
    if not (math.isfinite(first + length) and first >= 0 and length >= 0):
        raise RostrumError(f"{where}: start and duration must not be negative: {start} {duration}")
    # 1.1 + 2.2 is 3.3000000000000003 in floating point.
    return first, max(first, round(first + length, 6))


def only_recording(recordings: Mapping[str, Content], path: Path) -> Content | tuple[()]:
    """The content of a file with one recording. If it has several, that of the recording with the file's name."""
    if len(recordings) > 1 and path.stem not in recordings:
        raise RostrumError(
            f"{path}: contains {len(recordings)} recordings, and none is called {path.stem}; "
            "give the file the name of the one that is meant"
        )
    return recordings.get(path.stem) or next(iter(recordings.values()), ())


# CTM, NIST's time-marked conversation: one word per line, `recording channel start duration word confidence`.


def read_ctm(path: Path) -> tuple[Word, ...]:
    """The words of a CTM file with one recording. If it has several, the words of the one with the file's name."""
    return tuple(only_recording(read_ctm_recordings(path), path))


def read_ctm_recordings(path: Path) -> dict[str, tuple[Word, ...]]:
    """The words of every recording in a CTM file, by the recording's name, in order of time."""
    recordings: dict[str, list[Word]] = {}
    for number, line in enumerate(without_controls(read_text(path)).splitlines(), start=1):
        if line.strip() and not line.startswith(";;"):
            recording, word = _word(line.split(), f"{path}:{number}")
            recordings.setdefault(recording, []).append(word)
    return {name: tuple(sorted(words, key=lambda word: word.start)) for name, words in recordings.items()}


def ctm(recordings: Mapping[str, Iterable[Word]]) -> str:
    """The words of these recordings as CTM. Spaces in a word or name become underscores."""
    return "".join(
        _ctm_line(recording, word) for recording, words in recordings.items() for word in words if field(word.text)
    )


def _word(fields: list[str], where: str) -> tuple[str, Word]:
    if len(fields) < 5:
        raise RostrumError(f"{where}: a line of CTM has 5 fields or more, this one has {len(fields)}")
    start, end = times(fields[2], fields[3], where)
    try:
        confidence = float(fields[5]) if len(fields) > 5 and fields[5] != "NA" else None
    except ValueError:
        raise RostrumError(f"{where}: the confidence must be a number, not {fields[5]}") from None
    return fields[0], Word(text=fields[4], start=start, end=end, probability=confidence)


def _ctm_line(recording: str, word: Word) -> str:
    confidence = "" if word.probability is None else f" {word.probability:.3f}"
    duration = word.duration
    return f"{field(recording)} 1 {word.start:.3f} {duration:.3f} {field(word.text)}{confidence}\n"


# STM, NIST's segment time marks: one segment per line, `recording channel speaker start end [<labels>] text`.

# The speaker whom nobody knows, and the text of a stretch that is not scored.
_UNKNOWN, _NOT_SCORED = "unknown", "ignore_time_segment_in_scoring"


def read_stm(path: Path) -> tuple[Stretch, ...]:
    """The segments of an STM file with one recording. If it has several, those of the one with the file's name."""
    recordings: dict[str, list[Stretch]] = {}
    for number, line in enumerate(without_controls(read_text(path)).splitlines(), start=1):
        if line.strip() and not line.startswith(";;"):
            recording, stretch = _segment(line.split(), f"{path}:{number}")
            if stretch.text.lower() != _NOT_SCORED:
                recordings.setdefault(recording, []).append(stretch)
    return tuple(sorted(only_recording(recordings, path), key=lambda stretch: stretch.start))


def _segment(fields: list[str], where: str) -> tuple[str, Stretch]:
    if len(fields) < 5:
        raise RostrumError(f"{where}: a line of STM has 5 fields or more, this one has {len(fields)}")
    start, _ = times(fields[3], "0", where)
    end, _ = times(fields[4], "0", where)
    labelled = len(fields) > 5 and fields[5].startswith("<") and fields[5].endswith(">") and "," in fields[5]
    speaker = None if fields[2] == _UNKNOWN else fields[2]
    return fields[0], Stretch(start, max(start, end), speaker, " ".join(fields[6 if labelled else 5 :]))


# RTTM, NIST's rich transcription time marks: who speaks when, one turn per line.

_NONE = "<NA>"


def read_rttm(path: Path) -> tuple[Turn, ...]:
    """The turns of an RTTM file with one recording. If it has several, the turns of the one with the file's name."""
    return tuple(only_recording(read_rttm_recordings(path), path))


def read_rttm_recordings(path: Path) -> dict[str, tuple[Turn, ...]]:
    """The turns of every recording in an RTTM file, by the recording's name, in the file's order."""
    recordings: dict[str, list[Turn]] = {}
    for number, line in enumerate(without_controls(read_text(path)).splitlines(), start=1):
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
    return "".join(_rttm_line(recording, turn) for recording, turns in recordings.items() for turn in turns)


def _turn(fields: list[str], where: str) -> tuple[str, Turn]:
    if len(fields) < 8:
        raise RostrumError(f"{where}: a SPEAKER line has 8 fields or more, this one has {len(fields)}")
    start, end = times(fields[3], fields[4], where)
    return fields[1], Turn(start=start, end=end, speaker=None if fields[7] == _NONE else fields[7])


def _rttm_line(recording: str, turn: Turn) -> str:
    # The duration is that between the rounded times, so that the end is right to the millisecond, too.
    start = round(turn.start, 3)
    duration = round(turn.end, 3) - start
    speaker = _NONE if turn.speaker is None else _name(turn.speaker)
    return f"SPEAKER {_name(recording)} 1 {start:.3f} {duration:.3f} {_NONE} {_NONE} {speaker} {_NONE} {_NONE}\n"


def _name(text: str) -> str:
    return field(text) or _NONE

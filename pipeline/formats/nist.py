"""What NIST's line formats (CTM, STM, RTTM) have in common: fields separated by spaces, times in seconds."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pipeline.errors import RostrumError

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

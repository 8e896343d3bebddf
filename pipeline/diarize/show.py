"""Who spoke when."""

from collections.abc import Iterator
from typing import Any

from pipeline.diarize.stage import Turns
from pipeline.export.table import Table, each_of_recording, flag, number, text
from pipeline.records import TimeSpan, Turn
from pipeline.report.formatting import clock, counted, share
from pipeline.report.markdown import table
from pipeline.run.finished import FinishedRun

# A timeline of so many characters fits on the page. The table below it has every turn.
_COLUMNS = 40
# Silent, speaking for some of the time, speaking for most of it. Characters, because not every version of the Prefect
# UI shows diagrams or colours.
_BLOCKS = "\u2591\u2592\u2588"


def headline(record: Turns) -> str:
    """How many turns, of how many speakers."""
    speakers = f" of {counted(len(record.speakers), 'speaker')}" if record.speakers else ""
    return f"{counted(len(record.turns), 'turn')}{speakers}, {record.method}"


def page(record: Turns) -> str:
    """Each speaker's share, a timeline, and the turns."""
    if not record.turns:
        return f"Nobody speaks in this recording.\n\nMethod: {record.method}\n"
    parts = [
        f"Method: {record.method}",
        table(("speaker", "turns", "seconds", "share"), _shares(record)),
        _timeline(record.turns),
        table(
            ("start", "end", "seconds", "speaker"),
            ((clock(turn.start), clock(turn.end), turn.duration, turn.speaker) for turn in record.turns),
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shares(record: Turns) -> list[tuple[str, int, float, str]]:
    spoken = sum(turn.duration for turn in record.turns)
    rows = []
    for speaker in record.speakers or (None,):
        own = [turn.duration for turn in record.turns if turn.speaker == speaker]
        rows.append((speaker or "somebody", len(own), sum(own), share(sum(own) / spoken)))
    return rows


def _timeline(turns: tuple[Turn, ...]) -> str:
    """One line per speaker. Each character shows whether they speak in that part of the recording."""
    end = max(turn.end for turn in turns)
    step = end / _COLUMNS
    rows = []
    for speaker in dict.fromkeys(turn.speaker for turn in turns):
        own = [turn for turn in turns if turn.speaker == speaker]
        columns = (TimeSpan(start=column * step, end=(column + 1) * step) for column in range(_COLUMNS))
        shares = (sum(turn.overlap(column) for turn in own) / step for column in columns)
        rows.append((speaker or "somebody", "".join(_BLOCKS[min(2, round(2 * spoken))] for spoken in shares)))
    return table(("speaker", f"0:00 to {clock(end)}"), rows)


# The turns as a table.


def _turns(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, record in each_of_recording(run, Turns, lambda record: (record,)):
        for is_exclusive, turns in ((False, record.turns), (True, record.exclusive)):
            yield from ((speech, turn.start, turn.end, turn.speaker, is_exclusive) for turn in turns)


TABLES = (
    Table(
        "turns",
        "a speaker turn",
        (
            text("speech", "id of the speech"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("speaker", "who speaks; empty if only speech was detected"),
            flag("exclusive", "false: turns as found, which may overlap; true: the same without overlap"),
        ),
        _turns,
    ),
)

"""Who spoke when."""

import re

from pipeline.output.formatting import clock, share
from pipeline.output.markdown.text import table
from pipeline.records import Turn, Turns

# A longer timeline is too crowded to read; the table below it has every turn.
_MOST_IN_TIMELINE = 120
# Colons, semicolons, hashes and brackets have a meaning in the chart's language.
_MERMAID_WORD = re.compile(r"[\w.'-]+")


def page(record: Turns) -> str:
    """Each speaker's share, a timeline, and the turns."""
    if not record.turns:
        return f"Nobody speaks in this recording.\n\nMethod: {record.method}\n"
    parts = [
        f"Method: {record.method}",
        table(("speaker", "turns", "seconds", "share"), _shares(record)),
        _timeline(record.turns),
        table(("start", "end", "seconds", "speaker"), (_row(turn) for turn in record.turns)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shares(record: Turns) -> list[tuple[str, int, float, str]]:
    spoken = sum(turn.duration for turn in record.turns)
    rows = []
    for speaker in record.speakers or (None,):
        own = [turn.duration for turn in record.turns if turn.speaker == speaker]
        rows.append((speaker or "somebody", len(own), sum(own), share(sum(own) / spoken)))
    return rows


def _row(turn: Turn) -> tuple[str, str, float, str | None]:
    return clock(turn.start), clock(turn.end), turn.duration, turn.speaker


def _timeline(turns: tuple[Turn, ...]) -> str:
    """A Mermaid chart with one lane per speaker. Its dates are milliseconds from the recording's start."""
    if len(turns) > _MOST_IN_TIMELINE:
        return ""
    lines = ["```mermaid", "gantt", "    dateFormat x", "    axisFormat %M:%S"]
    for speaker in dict.fromkeys(turn.speaker for turn in turns):
        lines.append(f"    section {' '.join(_MERMAID_WORD.findall(speaker or 'speech'))}")
        own = (turn for turn in turns if turn.speaker == speaker)
        lines += [f"    {clock(t.start).replace(':', '.')} :{t.start * 1000:.0f}, {t.end * 1000:.0f}" for t in own]
    return "\n".join([*lines, "```"])

"""Subtitles as transcripts: SubRip's `.srt` and WebVTT's `.vtt`."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, spread, turns_of
from pipeline.system.files import read_text

_ARROW = "-->"
_TIME = re.compile(r"(?:(\d{1,5}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})$")
# A tag, or a place on the screen as in {\an8}.
_TAG = re.compile(r"<([^<>]*)>|\{\\[^{}]*\}")
# Whose cue it is: as rostrum and people write it, and as whisperX does.
_NAMED = re.compile(r"(?:\[([^\[\]:]{1,60})\]|([^\s:\[\]][^:\[\]]{0,59})): ")
# A line that only says what is heard: [music].
_HEARD = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True)
class _Cue:
    start: float
    end: float
    text: str


def read_subtitles(path: Path) -> TimedTranscript:
    """The words of subtitles. A word without a time of its own shares that of its cue."""
    is_vtt = path.suffix.lower() == ".vtt"
    cues = _cues(path, without_controls(read_text(path)))
    said = [_of_vtt(cue) if is_vtt else _of_srt(cue) for cue in cues]
    parts = [stretch for stretches in _with_speakers(said) for stretch in stretches]
    return TimedTranscript(
        words=tuple(word for part in parts for word in spread(part)),
        turns=turns_of(parts),
        lines=tuple(" ".join(part.text for part in stretches) for stretches in _with_speakers(said)),
    )


def _cues(path: Path, text: str) -> Iterator[_Cue]:
    """The cues, in the file's order: a line with two times, and the lines after it up to an empty one."""
    times: tuple[float, float] | None = None
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if _ARROW in line:
            if times:  # no empty line before: the last line was the number of this cue
                yield _Cue(*times, "\n".join(lines[:-1]))
            times, lines = _times(line, f"{path}:{number}"), []
        elif not line.strip():
            if times:
                yield _Cue(*times, "\n".join(lines))
            times, lines = None, []
        else:
            lines.append(line)


def _times(line: str, where: str) -> tuple[float, float]:
    before, _, after = line.partition(_ARROW)
    start, end = (_TIME.match(part) for part in (before.strip(), (after.split() or [""])[0]))
    if not start or not end:
        raise RostrumError(f"{where}: the times of a cue must be such as 00:01:02,500 --> 00:01:04,000")
    return _seconds(start), max(_seconds(start), _seconds(end))


def _seconds(match: re.Match[str]) -> float:
    hours, minutes, whole, fraction = match.groups()
    return round(int(hours or 0) * 3600 + int(minutes) * 60 + int(whole) + float(f"0.{fraction}"), 3)


def _of_srt(cue: _Cue) -> list[Stretch]:
    lines = (line for line in cue.text.splitlines() if not _HEARD.fullmatch(line.strip()))
    text = " ".join(_TAG.sub("", " ".join(lines)).split())
    return [Stretch(cue.start, cue.end, None, text)] if text else []


def _of_vtt(cue: _Cue) -> list[Stretch]:
    """The text between tags. `<v Anna>` names who speaks from there on, `<00:01:02.500>` when the next words begin."""
    text = "\n".join(line for line in cue.text.splitlines() if not _HEARD.fullmatch(line.strip()))
    speaker: str | None = None
    starts, parts = [cue.start], [("", speaker)]
    last = 0
    for tag in _TAG.finditer(text):
        parts[-1] = (parts[-1][0] + text[last : tag.start()], speaker)
        last = tag.end()
        name = tag[1] or ""
        if time := _TIME.match(name):
            starts.append(min(max(_seconds(time), starts[-1]), cue.end))
            parts.append(("", speaker))
        elif re.match(r"v[.\s]", name):
            speaker = " ".join(html.unescape(name.partition(" ")[2]).split()) or None
            if parts[-1][0].strip():
                starts.append(starts[-1])
                parts.append(("", speaker))
    parts[-1] = (parts[-1][0] + text[last:], speaker)
    ends = [*starts[1:], cue.end]
    return [
        Stretch(start, end, name, said)
        for start, end, (part, name) in zip(starts, ends, parts, strict=True)
        if (said := " ".join(html.unescape(part).split()))
    ]


def _with_speakers(cues: Sequence[list[Stretch]]) -> list[list[Stretch]]:
    """The cues that say something. What most cues begin with, before a colon, is the name of who speaks."""
    cues = [cue for cue in cues if cue]
    names = [None if cue[0].speaker else _NAMED.match(cue[0].text) for cue in cues]
    brackets = any(name and name[1] for name in names)
    if not brackets and 2 * sum(name is not None for name in names) <= len(cues):
        return cues
    return [
        [replace(cue[0], speaker=name[1] or name[2], text=cue[0].text[name.end() :]), *cue[1:]]
        if name and (name[1] or not brackets)
        else cue
        for cue, name in zip(cues, names, strict=True)
    ]

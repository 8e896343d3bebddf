"""Transcriber's `.trs`: what a person transcribed, with times and marks for fillers, repairs and spelled letters."""

import math
import re
from pathlib import Path
from xml.etree.ElementTree import Element

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, xml_root

_SAID_MEANT = re.compile(r"\{([^{}/]*)/([^{}]*)\}")
_SPELLED = re.compile(r"\b[a-z](?:_[a-z])+(?=\b|')", re.IGNORECASE)
_FILLER = re.compile(r"%(\w+)")


def read_transcriber(path: Path) -> tuple[Stretch, ...]:
    """The stretches of a `.trs` file, in order. The XML declares its encoding, which is ISO-8859-1 as a rule."""
    root = xml_root(path, "Transcriber")
    names = {
        speaker.get("id"): (name := speaker.get("name")) and without_controls(name) for speaker in root.iter("Speaker")
    }
    try:
        return tuple(stretch for turn in root.iter("Turn") for stretch in _stretches(turn, names))
    except ValueError as error:
        wrong = str(error).rpartition(": ")[2].strip("'")
        raise RostrumError(f"{path}: a time in it is not a number: {wrong}") from error


def _stretches(turn: Element, names: dict[str | None, str | None]) -> list[Stretch]:
    start, end = _seconds(turn.get("startTime", "0")), _seconds(turn.get("endTime", "0"))
    speaker = names.get(turn.get("speaker"))
    parts_from: list[tuple[float, list[str]]] = [(start, [turn.text or ""])]
    for element in turn:
        if element.tag == "Sync":
            parts_from.append((_seconds(element.get("time", "0")), []))
        parts_from[-1][1].append(element.tail or "")
    ends = [*(time for time, _ in parts_from[1:]), end]
    return [
        Stretch(begin, until, speaker, text)
        for (begin, parts), until in zip(parts_from, ends, strict=True)
        if (text := " ".join(without_controls(" ".join(parts)).split()))
    ]


def _seconds(text: str) -> float:
    if not math.isfinite(seconds := float(text)):
        raise ValueError(f"not a number of seconds: {text}")
    return seconds


def spoken_text(text: str) -> str:
    """What was said, word for word: the 'said' side of `{said/meant}`, cut-off words, fillers and repairs kept."""
    text = _SAID_MEANT.sub(lambda match: match[1].replace("--", ""), text)
    return _plain(_FILLER.sub(lambda match: "uh" if match[1] == "hes" else "", text))


def meant_text(text: str) -> str:
    """What the speaker meant: the 'meant' side of `{said/meant}`, without cut-off words and fillers."""
    text = _FILLER.sub("", _SAID_MEANT.sub(r"\2", text))
    text = re.sub(r"(?<!\S)\S*\w-(?=\s|$)", "", text)
    return _plain(re.sub(r"(?<!\S)(?:uh|um)(?!\S)", "", text))


def _plain(text: str) -> str:
    """Spelled letters joined (`u_s` is `us`), punctuation set against its word, spaces single."""
    text = _SPELLED.sub(lambda match: match[0].replace("_", "").upper(), text)
    return re.sub(r" ([.,?!;:])", r"\1", " ".join(text.split()))

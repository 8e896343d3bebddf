"""Transcripts with times of other programs: Transcriber's `.trs` and IBM's `.asr`."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.system.files import LARGEST_TEXT, read_file, read_text

# Transcriber's `.trs`: what a person transcribed, with times and marks for fillers, repairs and spelled letters.

_SAID_MEANT = re.compile(r"\{([^{}/]*)/([^{}]*)\}")
_SPELLED = re.compile(r"\b[a-z](?:_[a-z])+(?=\b|')", re.IGNORECASE)
_FILLER = re.compile(r"%(\w+)")


@dataclass(frozen=True)
class Stretch:
    """Text between two sync times. `text` is as transcribed, marks and all."""

    start: float
    end: float
    speaker: str | None
    text: str


def read_transcriber(path: Path) -> tuple[Stretch, ...]:
    """The stretches of a `.trs` file, in order. The XML declares its encoding, which is ISO-8859-1 as a rule."""
    try:
        root = fromstring(read_file(path, LARGEST_TEXT))
    except DefusedXmlException as error:
        raise RostrumError(f"{path}: refused: it defines XML entities, which no Transcriber file needs") from error
    except ParseError as error:
        line, column = error.position
        raise RostrumError(f"{path}:{line}:{column + 1}: not a Transcriber file: {error.msg}") from error
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    except (LookupError, ValueError) as error:  # neither Python nor expat knows the encoding
        raise RostrumError(f"{path}: cannot be read in the encoding that it declares; save it as UTF-8") from error
    names = {speaker.get("id"): speaker.get("name") for speaker in root.iter("Speaker")}
    try:
        return tuple(stretch for turn in root.iter("Turn") for stretch in _stretches(turn, names))
    except ValueError as error:
        wrong = str(error).rpartition(": ")[2].strip("'")
        raise RostrumError(f"{path}: a time in it is not a number: {wrong}") from error


def _stretches(turn: Element, names: dict[str | None, str | None]) -> list[Stretch]:
    start, end = float(turn.get("startTime", "0")), float(turn.get("endTime", "0"))
    speaker = names.get(turn.get("speaker"))
    found: list[tuple[float, list[str]]] = [(start, [turn.text or ""])]
    for element in turn:
        if element.tag == "Sync":
            found.append((float(element.get("time", "0")), []))
        found[-1][1].append(element.tail or "")
    ends = [*(time for time, _ in found[1:]), end]
    return [
        Stretch(begin, until, speaker, text)
        for (begin, parts), until in zip(found, ends, strict=True)
        if (text := " ".join(" ".join(parts).split()))
    ]


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
    return re.sub(r"\s+([.,?!;:])", r"\1", " ".join(text.split()))


# IBM's `.asr`: a recogniser's words with their times, each as `word[start,end]`.

_TOKEN = re.compile(r"(\S+)\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")


def read_asr(path: Path) -> tuple[Word, ...]:
    """The words of a `.asr` file, without silences and hesitations. (The times of some of those run backwards.)"""
    return tuple(
        Word(text=text, start=float(start), end=float(end))
        for text, start, end in _TOKEN.findall(read_text(path, fallback="iso-8859-1"))
        if not text.startswith(("~", "%", "<"))
    )

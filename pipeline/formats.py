"""Files of other programs that rostrum reads: NIST's CTM and RTTM, Transcriber's `.trs`, IBM's `.asr`, Word, and
transcripts of debates as JSON.

CTM and RTTM are also written here. Formats that are only written are in `pipeline.export.formats`.
"""

import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pipeline.errors import RostrumError, without_controls
from pipeline.records import Turn, Word
from pipeline.system.files import LARGEST_TEXT, read_file, read_text

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


# IBM's `.asr`: a recogniser's words with their times, each as `word[start,end]`.

_TIMES = re.compile(r"\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")


def read_asr(path: Path) -> tuple[Word, ...]:
    """The words of a `.asr` file, without silences and hesitations. (The times of some of those run backwards.)"""
    return tuple(
        Word(text=text, start=start, end=end)
        for text, start, end in _timed(path, without_controls(read_text(path, fallback="iso-8859-1")))
        if not text.startswith(("~", "%", "<"))
    )


def _timed(path: Path, text: str) -> Iterator[tuple[str, float, float]]:
    """(word, start, end) of every token with times. A word may have brackets of its own: the last times count."""
    for token in text.split():
        if matches := list(_TIMES.finditer(token, 1)):
            last = matches[-1]
            start, end = float(last[1]), float(last[2])
            if not math.isfinite(start + end):
                raise RostrumError(f"{path}: a time in it is not a number of seconds: {last[0]}")
            yield token[: last.start()], start, end


# Word's documents: the text of their paragraphs.

_WORDML = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT = "word/document.xml"


def read_docx(path: Path) -> str:
    """The text of a Word document, one line per paragraph. Headers, footers and comments are left out."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            if archive.getinfo(_DOCUMENT).file_size > LARGEST_TEXT:
                raise RostrumError(f"{path}: its text has more than {LARGEST_TEXT:,} bytes, which are not read")
            root = fromstring(archive.read(_DOCUMENT))
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise RostrumError(f"{path}: not a Word document; save it as .docx, or as text") from error
    except (DefusedXmlException, ParseError, LookupError, ValueError) as error:
        raise RostrumError(f"{path}: a damaged Word document; open it in Word and save it again") from error
    lines = (_paragraph(paragraph) for paragraph in root.iter(f"{_WORDML}p"))
    return without_controls("\n".join(line for line in lines if line))


def _paragraph(paragraph: Element) -> str:
    spaces = {f"{_WORDML}tab", f"{_WORDML}br", f"{_WORDML}cr"}
    parts = (
        each.text or "" if each.tag == f"{_WORDML}t" else " "
        for each in paragraph.iter()
        if each.tag in spaces or each.tag == f"{_WORDML}t"
    )
    return " ".join("".join(parts).split())


# Transcripts in any of these formats, or in plain text.

# Text files of IBM's release. Some of them are not UTF-8.
_IBM_TEXTS = (".asr.txt", ".trs.txt")
# Transcripts whose words have times.
TIMED_SUFFIXES = (".asr", ".ctm")


# Transcripts of whole debates, as Intelligence Squared's were collected: one JSON file per debate.

DEBATE_SUFFIX = ".json"
# A debate is known by what so many of its first bytes name.
_BEGINNING = 4096
# Words that nobody timed follow one another at 150 words a minute.
WORD_SECONDS = 0.4


@dataclass(frozen=True)
class DebateTranscript:
    """A debate that was written down: who speaks for and against which motion, who moderates, and what each turn says.

    Votes of the audience are in per cent, `for` and `against`, where there are any.
    """

    motion: str
    pro: tuple[str, ...]
    con: tuple[str, ...]
    moderators: tuple[str, ...]
    turns: tuple[tuple[str, tuple[str, ...]], ...]
    votes_before: Mapping[str, float] | None
    votes_after: Mapping[str, float] | None


def is_debate(path: Path) -> bool:
    """Whether a file begins like a debate transcript."""
    if path.suffix.lower() != DEBATE_SUFFIX:
        return False
    with path.open("rb") as file:
        begins = file.read(_BEGINNING)
    return all(b'"%b"' % name in begins for name in (b"motion", b"for", b"against"))


def read_debate(path: Path) -> DebateTranscript:
    """The debate in a file."""
    try:
        content = json.loads(read_text(path))
        return DebateTranscript(
            motion=str(content["motion"]),
            pro=tuple(map(str, content["for"])),
            con=tuple(map(str, content["against"])),
            moderators=tuple(map(str, content["moderator"])),
            turns=tuple((str(turn["speaker"]), tuple(map(str, turn["sentences"]))) for turn in content["turns"]),
            votes_before=_votes(content.get("votes_before")),
            votes_after=_votes(content.get("votes_after")),
        )
    except (ValueError, RecursionError) as error:
        raise RostrumError(f"{path}: not JSON: {error}; copy the data again") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise RostrumError(f"{path}: no debate: it lacks {error}; copy the data again") from error


def _votes(content: Mapping[str, float] | None) -> dict[str, float] | None:
    return {"for": float(content["for"]), "against": float(content["against"])} if content else None


def debate_words(debate: DebateTranscript) -> tuple[Word, ...]:
    """The words of a debate with their speakers, at an even pace."""
    said = ((speaker, word) for speaker, sentences in debate.turns for text in sentences for word in text.split())
    return tuple(
        Word(text=word, start=round(i * WORD_SECONDS, 3), end=round((i + 1) * WORD_SECONDS, 3), speaker=speaker)
        for i, (speaker, word) in enumerate(said)
    )


def read_words(path: Path) -> tuple[Word, ...]:
    """The words of a `.ctm` or `.asr` file with their times; those of a debate at an even pace."""
    if path.suffix.lower() == DEBATE_SUFFIX:
        return debate_words(read_debate(path))
    return read_ctm(path) if path.suffix.lower() == ".ctm" else read_asr(path)


def read_spoken(path: Path) -> str:
    """The text as it was said, word for word. The repairs and fillers of a `.trs` file are kept."""
    if path.suffix.lower() == ".trs":
        return " ".join(spoken_text(stretch.text) for stretch in read_transcriber(path))
    return read_docx(path) if path.suffix.lower() == ".docx" else _text(path)


def read_lines(path: Path) -> tuple[str, ...]:
    """The text as the speaker meant it, in lines. A file that has only words gives one line."""
    if path.suffix.lower() == ".trs":
        text = " ".join(meant_text(stretch.text) for stretch in read_transcriber(path))
    elif path.suffix.lower() in TIMED_SUFFIXES:
        text = " ".join(word.text for word in read_words(path))
    elif path.suffix.lower() == ".docx":
        text = read_docx(path)
    else:
        text = _text(path)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _text(path: Path) -> str:
    return without_controls(read_text(path, fallback="iso-8859-1" if path.name.endswith(_IBM_TEXTS) else None))

"""What transcripts with times have in common: stretches of text, and the words and speaker turns in them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pipeline.errors import RostrumError
from pipeline.records import Turn, Word
from pipeline.system.files import LARGEST_TEXT, read_file

# Words that nobody timed follow one another at 150 words a minute.
WORD_SECONDS = 0.4
# Stretches of one speaker belong to one turn if at most so many seconds are between them.
_SAME_TURN = 1.0


@dataclass(frozen=True)
class Stretch:
    """Text from start to end. `text` is as transcribed, marks and all."""

    start: float
    end: float
    speaker: str | None
    text: str


@dataclass(frozen=True)
class TimedTranscript:
    """Words with their times, the speaker turns, and the text in the pieces in which the file has it."""

    words: tuple[Word, ...]
    turns: tuple[Turn, ...]
    lines: tuple[str, ...]
    language: str | None = None


def transcript_of(stretches: Sequence[Stretch]) -> TimedTranscript:
    """The transcript that consists of these stretches. The words of each share its time."""
    return TimedTranscript(
        words=tuple(word for stretch in stretches for word in spread(stretch)),
        turns=turns_of(stretches),
        lines=tuple(stretch.text for stretch in stretches),
    )


def spread(stretch: Stretch) -> Iterator[Word]:
    """The words of a stretch. Long words get more of its time than short ones.

    >>> [(word.text, word.end) for word in spread(Stretch(1.0, 2.0, None, "we should"))]
    [('we', 1.3), ('should', 2.0)]
    """
    texts = stretch.text.split()
    characters = sum(len(text) + 1 for text in texts)
    at, start = 0, stretch.start
    for text in texts:
        at += len(text) + 1
        end = round(stretch.start + (stretch.end - stretch.start) * at / characters, 3)
        yield Word(text=text, start=start, end=max(start, end), speaker=stretch.speaker)
        start = max(start, end)


def even_pace(said: Iterable[tuple[str, str | None]]) -> Iterator[Word]:
    """Words that nobody timed, each with who says it, at 150 words a minute."""
    for i, (word, speaker) in enumerate(said):
        yield Word(text=word, start=round(i * WORD_SECONDS, 3), end=round((i + 1) * WORD_SECONDS, 3), speaker=speaker)


def turns_of(parts: Iterable[Stretch | Word]) -> tuple[Turn, ...]:
    """Who speaks when: parts of one speaker that follow one another closely are one turn."""
    turns: list[Turn] = []
    for part in parts:
        last = turns[-1] if turns else None
        if last and last.speaker == part.speaker and part.start <= last.end + _SAME_TURN:
            turns[-1] = Turn(start=last.start, end=max(last.end, part.end), speaker=last.speaker)
        else:
            turns.append(Turn(start=part.start, end=part.end, speaker=part.speaker))
    return tuple(turns)


def seconds(value: object, path: Path) -> float:
    """A time in a file as a number of seconds."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise RostrumError(f"{path}: a time in it is not a number of seconds: {value}")
    return number


def with_times(times: Sequence[float | None], start: float, end: float) -> list[float]:
    """The times, where those that are missing are put evenly between their neighbours, `start` and `end`.

    >>> with_times([None, 2.0, None, None, 5.0], 1.0, 6.0)
    [1.5, 2.0, 3.0, 4.0, 5.0]
    """
    known = [(-1, start), *((i, time) for i, time in enumerate(times) if time is not None), (len(times), end)]
    filled: list[float] = []
    for (first, before), (last, after) in pairwise(known):
        step = (after - before) / (last - first)
        filled += [round(before + step * (i - first), 6) for i in range(max(first, 0), last)]
    return filled[-len(times) :] if times else []


def xml_root(path: Path, program: str) -> Element:
    """The root of a program's XML file, in the encoding that it declares."""
    try:
        root: Element = fromstring(read_file(path, LARGEST_TEXT))
    except DefusedXmlException as error:
        raise RostrumError(f"{path}: refused: it defines XML entities, which no {program} file needs") from error
    except ParseError as error:
        line, column = error.position
        article = "an" if program[0] in "AEIOU" else "a"
        raise RostrumError(f"{path}:{line}:{column + 1}: not {article} {program} file: {error.msg}") from error
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    except (LookupError, ValueError) as error:  # neither Python nor expat knows the encoding
        raise RostrumError(f"{path}: cannot be read in the encoding that it declares; save it as UTF-8") from error
    return root

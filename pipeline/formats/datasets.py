"""Transcripts as data sets have them: Intelligence Squared's debates as JSON, and IBM's `.asr`."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import even_pace
from pipeline.records import Word
from pipeline.system.files import read_text

DEBATE_SUFFIX = ".json"
# A debate is known by what so many of its first bytes name.
_BEGINNING = 4096


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
    return all(re.search(rb'"%b"\s*:' % name, begins) for name in (b"motion", b"for", b"against"))


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
    said = ((word, speaker) for speaker, sentences in debate.turns for text in sentences for word in text.split())
    return tuple(even_pace(said))


# IBM's `.asr`: a recogniser's words with their times, each as `word[start,end]`.


_TIMES = re.compile(r"\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")


def read_asr(path: Path) -> tuple[Word, ...]:
    """The words of a `.asr` file, without silences and hesitations. (The times of some of those run backwards.)"""
    return tuple(
        Word(text=text, start=start, end=end)
        for text, start, end in _timed_tokens(path, without_controls(read_text(path, fallback="iso-8859-1")))
        if not text.startswith(("~", "%", "<"))
    )


def _timed_tokens(path: Path, text: str) -> Iterator[tuple[str, float, float]]:
    """(word, start, end) of every token with times. A word may have brackets of its own: the last times count."""
    for token in text.split():
        if matches := list(_TIMES.finditer(token, 1)):
            last = matches[-1]
            start, end = float(last[1]), float(last[2])
            if not math.isfinite(start + end):
                raise RostrumError(f"{path}: a time in it is not a number of seconds: {last[0]}")
            yield token[: last.start()], start, end

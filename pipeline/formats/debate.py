"""Transcripts of whole debates, as Intelligence Squared's were collected: one JSON file per debate."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import RostrumError
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

"""Claims and the very sentences in which people heard them: two tables of IBM's release.

One has general-purpose claims, the other arguments of iDebate. Both refer to sentences of one more transcript.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.corpus.ibm import CLAIMS, read_table
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.records.corpus import Stance

ClaimsFrom = Literal["general-purpose", "iDebate"]
_SPEECHES = "speech-transcripts.csv"
_TABLES: dict[ClaimsFrom, tuple[str, str, str]] = {
    "general-purpose": ("GP-claim-to-sentence-matching.csv", "GPR-KB-id", "GP-claim-text-for-motion"),
    "iDebate": ("idebate-claim-to-sentence-matching.csv", "idebate-point-id", "claim-text"),
}
# The name of the transcript that the tables refer to.
TRANSCRIPT = "speech-transcripts"


@dataclass(frozen=True)
class HeardSentences:
    """A claim and a speech: `heard` says of the sentences that people were asked about whether they carry it."""

    motion: str
    motion_text: str
    stance: Stance
    speech: str
    claim: str
    title: str
    sentences: tuple[str, ...]
    heard: dict[int, bool]


def has_heard_sentences(folder: Path) -> bool:
    """Whether the folder has the tables."""
    return all((folder / CLAIMS / name).is_file() for name, _, _ in _TABLES.values())


@dataclass(frozen=True)
class Spoken:
    """A speech as the release's own transcript has it: its side, and its sentences."""

    stance: Stance
    sentences: tuple[str, ...]


def read_speeches(folder: Path) -> dict[str, Spoken]:
    """Every speech of the release's transcripts, by its id."""
    return {
        row["speech-id"]: Spoken(
            "pro" if row["speech-to-motion-polarity"] == "PRO" else "con",
            tuple(part.strip() for part in row["speech-text"].split("\n\n")),
        )
        for _, row in read_table(folder, _SPEECHES, "speech-id", "speech-text", "speech-to-motion-polarity")
    }


def read_heard_sentences(folder: Path, claims: ClaimsFrom) -> list[HeardSentences]:
    """The pairs of a speech and a claim in one table, each once, in the table's order."""
    name, id_column, title_column = _TABLES[claims]
    speeches = read_speeches(folder)
    columns = ("motion-id", "motion-text", "speech-id", id_column, title_column, *_LABEL)
    rows = grouped(
        ((row["speech-id"], row[id_column]), (line, row)) for line, row in read_table(folder, name, *columns)
    )
    for (speech, _), ((line, _), *_) in rows.items():
        if speech not in speeches:
            raise RostrumError(f"{name}:{line}: there is no speech {speech} in {_SPEECHES}")
    return [
        HeardSentences(
            motion=labelled[0][1]["motion-id"],
            motion_text=labelled[0][1]["motion-text"],
            stance=speeches[speech].stance,
            speech=speech,
            claim=claim,
            title=labelled[0][1][title_column].strip(),
            sentences=speeches[speech].sentences,
            heard=dict(_labels(name, labelled, len(speeches[speech].sentences))),
        )
        for (speech, claim), labelled in rows.items()
    ]


_LABEL = ("sentence-index", "is-claim-mentioned-in-sentence")


def _labels(name: str, rows: Sequence[tuple[int, dict[str, str]]], sentences: int) -> Iterator[tuple[int, bool]]:
    for line, row in rows:
        place, label = row["sentence-index"], row["is-claim-mentioned-in-sentence"].lower()
        if not place.isdecimal() or int(place) >= sentences or label not in ("true", "false"):
            raise RostrumError(f"{name}:{line}: not the number of a sentence of the speech, and true or false")
        yield int(place), label == "true"


def as_listening(heard: list[HeardSentences]) -> Listening:
    """Speeches and claims as for the table: a speech mentions a claim that people heard in one of its sentences.

    Beside the labelled ones a speech's list has all claims of its motion and side.
    """
    claims = grouped(((each.motion, each.stance), (each.claim, each.title)) for each in heard)
    asked = grouped((each.speech, each.claim) for each in heard)
    return Listening(
        pairs=tuple(_pair(each) for each in heard),
        transcripts={TRANSCRIPT: {each.speech: each.sentences for each in heard}},
        unlabelled={
            each.speech: tuple(
                title
                for claim, title in dict(claims[each.motion, each.stance]).items()
                if claim not in asked[each.speech]
            )
            for each in heard
        },
    )


def _pair(heard: HeardSentences) -> Pair:
    return Pair(
        motion=heard.motion,
        motion_text=heard.motion_text,
        stance=heard.stance,
        speech=heard.speech,
        argument=heard.claim,
        title=heard.title,
        text=(),
        mentioned=any(heard.heard.values()),
    )

"""Speeches, arguments and labels to evaluate mention detection on: IBM's debates, or a corpus with labels.csv."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pipeline.corpus import Corpus, read_corpus
from pipeline.corpus.ibm_debates import Kind, find_speeches, rows
from pipeline.errors import RostrumError
from pipeline.text.sentences import punkt

LABELS = "GP-claims-mentioned-in-speeches.csv"
IBM_TRANSCRIPTS: tuple[Kind, ...] = ("asr.txt", "trs.txt")
REFERENCE = "reference"


@dataclass(frozen=True)
class Pair:
    """A speech and an argument on its motion, and what people said of them. `text` is in sentences."""

    motion: str
    motion_text: str
    speech: str
    argument: str
    title: str
    text: tuple[str, ...]
    mentioned: bool
    how: Literal["explicit", "implicit"] | None = None
    votes_yes: int | None = None
    votes_no: int | None = None


@dataclass(frozen=True)
class Listening:
    """The labelled pairs, and the sentences of each speech in each kind of transcript."""

    pairs: tuple[Pair, ...]
    transcripts: dict[str, dict[str, tuple[str, ...]]]

    @property
    def motions(self) -> list[str]:
        return sorted({pair.motion for pair in self.pairs}, key=lambda motion: (len(motion), motion))

    def on(self, motions: Container[str]) -> "Listening":
        """The part on some of the motions."""
        return replace(self, pairs=tuple(pair for pair in self.pairs if pair.motion in motions))

    def lists(self) -> list[list[Pair]]:
        """The pairs of each speech: the list of arguments that it is asked about."""
        found: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.speech, []).append(pair)
        return list(found.values())


def split(motions: Sequence[str]) -> tuple[list[str], list[str]]:
    """Motions to learn from and to test on: of every five in order of their ids, the second and the fourth are test."""
    test = [motion for place, motion in enumerate(motions) if place % 5 in (1, 3)]
    return [motion for motion in motions if motion not in test], test


def read_listening(folder: Path) -> Listening:
    """What is in a folder of the layout of IBM's Recorded Debating Dataset, or in a corpus with labels."""
    if (folder / "GPR-KB-55").is_dir():
        return _read_ibm(folder)
    if (folder / "labels.csv").is_file():
        return _from_corpus(read_corpus(folder))
    raise RostrumError(f"{folder}: has neither GPR-KB-55/{LABELS} nor labels.csv, so nobody says what is mentioned")


def _read_ibm(folder: Path) -> Listening:
    speeches = find_speeches(folder)
    lacking = next((each for each in speeches if not each.files.keys() & set(IBM_TRANSCRIPTS)), None)
    if lacking:
        raise RostrumError(f"{folder}: the speech {lacking.id} has neither asr.txt nor trs.txt")
    pairs = tuple(_ibm_pairs(folder, {speech.id for speech in speeches}))
    labelled = {pair.speech for pair in pairs}
    transcripts: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind in IBM_TRANSCRIPTS:
        found = {each.id: tuple(each.sentences(kind)) for each in speeches if kind in each.files}
        if labelled <= found.keys():
            transcripts[kind] = found
    if not transcripts:
        raise RostrumError(f"{folder}: no kind of transcript is there for all the speeches that have labels")
    return Listening(pairs, transcripts)


def _ibm_pairs(folder: Path, speeches: set[str]) -> Iterator[Pair]:
    """The release has no longer texts of the claims: the knowledge base's rebuttal, which takes the claim up in a
    sentence or two, stands for the text.
    """
    rebuttals = {row["id"]: tuple(punkt.split(row["rebuttal"])) for row in rows(folder, "GPR-KB-55.csv")}
    seen: set[tuple[str, str]] = set()
    for line, row in enumerate(rows(folder, LABELS), start=2):
        try:
            pair = _ibm_pair(row, rebuttals)
        except (KeyError, TypeError, ValueError) as error:
            raise RostrumError(f"{LABELS}:{line}: not a row of the release's table ({error})") from error
        if pair.speech not in speeches:
            raise RostrumError(f"{LABELS}:{line}: there is no speech {pair.speech} below speeches/")
        if (pair.speech, pair.argument) in seen:
            raise RostrumError(f"{LABELS}:{line}: {pair.argument} has a label for {pair.speech} already")
        if not pair.title:
            raise RostrumError(f"{LABELS}:{line}: the claim {pair.argument} has no text")
        seen.add((pair.speech, pair.argument))
        yield pair


def _ibm_pair(row: dict[str, str], rebuttals: dict[str, tuple[str, ...]]) -> Pair:
    how: dict[str, Literal["explicit", "implicit"] | None]
    how = {"Explicit": "explicit", "Implicit": "implicit", "Negative": None}
    return Pair(
        motion=row["motion-id"],
        motion_text=row["motion-text"],
        speech=row["speech-id"],
        argument=row["GPR-KB-id"],
        title=row["GP-claim-text-for-motion"].strip(),
        text=rebuttals[row["GPR-KB-id"]],
        mentioned={"true": True, "false": False}[row["is-claim-mentioned-in-speech"].lower()],
        how=how[row["label"]],
        votes_yes=int(row["explicit-count"]) + int(row["implicit-count"]),
        votes_no=int(row["reject-count"]),
    )


def _from_corpus(corpus: Corpus) -> Listening:
    if corpus.problems:
        raise RostrumError(f"{corpus.folder}: {corpus.problems[0]}; `rostrum check` lists all that is wrong")
    arguments = {argument.id: argument for argument in corpus.arguments}
    speeches = {entry.speech.id: entry for entry in corpus.entries}
    pairs = []
    for label in corpus.labels:
        argument = arguments[label.argument]
        pairs.append(
            Pair(
                motion=argument.motion,
                motion_text=corpus.motions[argument.motion].text,
                speech=label.speech,
                argument=argument.id,
                title=argument.title,
                text=tuple(punkt.split(argument.text)),
                mentioned=label.mentioned,
                how=label.how,
                votes_yes=label.votes_yes,
                votes_no=label.votes_no,
            )
        )
    sentences = {pair.speech: _reference(speeches[pair.speech].reference, pair.speech) for pair in pairs}
    return Listening(tuple(pairs), {REFERENCE: sentences})


def _reference(path: Path | None, speech: str) -> tuple[str, ...]:
    from pipeline.corpus.ibm_debates import read_text

    if path is None:
        raise RostrumError(f"{speech}: has labels and no reference transcript to evaluate on")
    lines = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    return tuple(lines) if len(lines) > 1 else tuple(punkt.split(" ".join(lines)))

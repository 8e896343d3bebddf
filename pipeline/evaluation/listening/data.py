"""Speeches, arguments and labels to evaluate mention detection on: IBM's debates, or a corpus with labels.csv."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pipeline.corpus import Corpus, open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.sentences import sentences_of
from pipeline.records import Argument, Label
from pipeline.text.sentences import punkt

# The transcripts that have sentences: IBM's by a recogniser and by a person, and those of any other corpus.
TRANSCRIPTS = ("asr.txt", "trs.txt", "reference")


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
    corpus = open_corpus(folder).without_problems()
    if not corpus.labels:
        raise RostrumError(f"{folder}: has neither labels.csv nor IBM's labels, so nobody says what is mentioned")
    arguments = {argument.id: argument for argument in corpus.arguments}
    pairs = tuple(_pair(corpus, label, arguments[label.argument]) for label in corpus.labels)
    return Listening(pairs, _transcripts(corpus, {pair.speech for pair in pairs}))


def _pair(corpus: Corpus, label: Label, argument: Argument) -> Pair:
    """IBM's release has no longer texts of the claims: the knowledge base's rebuttal, which takes the claim up in a
    sentence or two, stands for the text.
    """
    claim = corpus.claims.get(argument.id)
    return Pair(
        motion=argument.motion,
        motion_text=corpus.motions[argument.motion].text,
        speech=label.speech,
        argument=claim.id if claim else argument.id,
        title=argument.title,
        text=tuple(punkt.split(claim.rebuttal if claim else argument.text)),
        mentioned=label.mentioned,
        how=label.how,
        votes_yes=label.votes_yes,
        votes_no=label.votes_no,
    )


def _transcripts(corpus: Corpus, labelled: set[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The sentences of the labelled speeches, in each kind of transcript that all of them have."""
    speeches = [entry for entry in corpus.entries if entry.speech.id in labelled]
    kinds = [kind for kind in TRANSCRIPTS if all(kind in entry.transcripts for entry in speeches)]
    if not kinds:
        lacking = next((each for each in speeches if not each.transcripts.keys() & set(TRANSCRIPTS)), speeches[0])
        raise RostrumError(f"{corpus.folder}: {lacking.speech.id} has labels and no transcript to evaluate on")
    return {kind: {entry.speech.id: sentences_of(entry, kind) for entry in speeches} for kind in kinds}

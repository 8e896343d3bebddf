"""Speeches, arguments and labels to evaluate mention detection on: IBM's debates, or a corpus with labels.csv."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.arrays import Mask
from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, is_run, sentences_of
from pipeline.grouping import grouped
from pipeline.records import Argument, Label, Stance
from pipeline.run.finished import FinishedRun
from pipeline.text import sentences

# The transcripts that have sentences: IBM's by a recogniser and by a person, and those of any other corpus.
TRANSCRIPTS = ("asr.txt", "trs.txt", "reference")
# The transcript that a run of rostrum made.
RECOGNISED = "recognised"
Transcripts = dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Pair:
    """A speech and an argument on its motion, with people's label. `text` is in sentences."""

    motion: str
    motion_text: str
    stance: Stance
    speech: str
    argument: str
    title: str
    text: tuple[str, ...]
    mentioned: bool
    how: Literal["explicit", "implicit"] | None = None
    votes_yes: int | None = None
    votes_no: int | None = None

    @property
    def votes(self) -> tuple[int, int] | None:
        """(yes, no), where there were votes."""
        if self.votes_yes is None or self.votes_no is None or not self.votes_yes + self.votes_no:
            return None
        return self.votes_yes, self.votes_no

    @property
    def share(self) -> float | None:
        """The share of yes among the votes."""
        return self.votes[0] / sum(self.votes) if self.votes else None


@dataclass(frozen=True)
class Listening:
    """The labelled pairs, and the sentences of each speech in each kind of transcript.

    `unlabelled` has the titles of each speech's list that people were not asked about. A detector compares with them,
    too.
    """

    pairs: tuple[Pair, ...]
    transcripts: Transcripts
    unlabelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def motions(self) -> list[str]:
        return sorted({pair.motion for pair in self.pairs}, key=lambda motion: (len(motion), motion))

    def on(self, motions: Container[str]) -> "Listening":
        """The part on some of the motions."""
        return replace(self, pairs=tuple(pair for pair in self.pairs if pair.motion in motions))

    def lists(self) -> list[tuple[Pair, ...]]:
        """The pairs of each speech: the list of arguments that it is asked about."""
        return list(grouped((pair.speech, pair) for pair in self.pairs).values())

    def in_lists(self) -> list[Pair]:
        """All pairs, list by list."""
        return [pair for pairs in self.lists() for pair in pairs]

    def labels(self) -> Mask:
        """Whether each pair of `in_lists` is labelled as a mention."""
        return np.array([pair.mentioned for pair in self.in_lists()])

    def sentences(self, transcript: str) -> list[str]:
        """All sentences of the labelled speeches."""
        speeches = dict.fromkeys(pair.speech for pair in self.pairs)
        return [sentence for speech in speeches for sentence in self.transcripts[transcript][speech]]


def split(motions: Sequence[str]) -> tuple[list[str], list[str]]:
    """Motions to learn from and to test on: of every five in order of their ids, the second and the fourth are test."""
    test = [motion for index, motion in enumerate(motions) if index % 5 in (1, 3)]
    return [motion for motion in motions if motion not in test], test


def refuse_too_few_motions(data: Listening, folder: Path, others: bool = False) -> None:
    """Raise an error where motions are too few: two to learn from, and one to test on unless there are `others`."""
    count, needed = len(data.motions), 2 if others else 3
    if count < needed:
        test = "" if others else ", and is tested on one that it has not seen"
        raise RostrumError(
            f"{folder}: has labels on {count} motion{'s' if count > 1 else ''}, and {needed} are needed: a detector "
            f"learns from two or more{test}"
        )


def read_listening(folder: Path, run: Path | None = None) -> Listening:
    """The labelled speeches of a folder: IBM's Recorded Debating Dataset, a corpus with labels, or a run of one.

    With a `run` of that corpus the transcripts that it made are there as well; then it need not have any itself.
    """
    if is_run(folder):
        return read_listening(corpus_of(FinishedRun(folder)).path, folder)
    corpus = open_corpus(folder).without_problems()
    if not corpus.labels:
        raise RostrumError(f"{folder}: has no labels of mentions; it needs labels.csv, or IBM's own tables of labels")
    arguments = {argument.id: argument for argument in corpus.arguments}
    pairs = tuple(_pair(corpus, label, arguments[label.argument]) for label in corpus.labels)
    labelled = list(dict.fromkeys(pair.speech for pair in pairs))
    entries = {entry.speech.id: entry for entry in corpus.entries}
    has = {speech: entries[speech].transcripts.keys() if speech in entries else set() for speech in labelled}
    # The kinds of transcript that all of these speeches have. Only a run knows what one person of a recording says.
    kinds = [kind for kind in TRANSCRIPTS if all(kind in own for own in has.values())]
    transcripts = {kind: {speech: sentences_of(entries[speech], kind) for speech in labelled} for kind in kinds}
    if run:
        transcripts[RECOGNISED] = _recognised(run, labelled)
    if not transcripts:
        lacking = next(speech for speech, own in has.items() if not own & set(TRANSCRIPTS))
        raise RostrumError(
            f"{folder}: {lacking} has labels and no transcript to evaluate on; process the corpus with `rostrum run`, "
            "and give the run"
        )
    return Listening(pairs, transcripts, _unlabelled(corpus, pairs))


def _unlabelled(corpus: Corpus, pairs: Sequence[Pair]) -> dict[str, tuple[str, ...]]:
    """The titles of each speech's list without a label: those of the same sides on its motion."""
    lists = grouped((pair.speech, pair) for pair in pairs)
    arguments = grouped((argument.motion, argument) for argument in corpus.arguments)
    return {
        speech: tuple(
            argument.title
            for argument in arguments[own[0].motion]
            if argument.stance in {pair.stance for pair in own}
            and corpus.claims.get(argument.id, argument.id) not in {pair.argument for pair in own}
        )
        for speech, own in lists.items()
    }


def _pair(corpus: Corpus, label: Label, argument: Argument) -> Pair:
    return Pair(
        motion=argument.motion,
        motion_text=corpus.motions[argument.motion].text,
        stance=argument.stance,
        speech=label.speech,
        argument=corpus.claims.get(argument.id, argument.id),
        title=argument.title,
        text=tuple(sentences.split(argument.text)),
        mentioned=label.mentioned,
        how=label.how,
        votes_yes=label.votes_yes,
        votes_no=label.votes_no,
    )


def _recognised(folder: Path, labelled: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The sentences that a run recognised in each labelled speech."""
    run = FinishedRun(folder)
    recognised: dict[str, tuple[str, ...]] = {}
    for speech in labelled:
        said = run.sentences_of(speech)
        if not said:
            raise RostrumError(f"{folder}: has no sentences of {speech}, which has labels; run the stage segment on it")
        recognised[speech] = tuple(sentence.text for sentence in said)
    return recognised

"""Debates in which it is known who answers whom, the questions that they ask, and how well scores answer them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.corpus import Corpus, Entry, open_corpus
from pipeline.counter.texts import SpeechText, allowed_pairs
from pipeline.errors import RostrumError
from pipeline.evaluation.data import sentences_of
from pipeline.grouping import grouped
from pipeline.records import ResponseKind


@dataclass(frozen=True, eq=False)
class AnsweredDebate:
    """The speeches on a motion, who may have answered whom (`allowed`), and who has (`answers`).

    Both have one row per supporting speech and one column per opposing one. `kinds` says how each opposing speech
    answers, where that is known.
    """

    motion: str
    supporting: tuple[SpeechText, ...]
    opposing: tuple[SpeechText, ...]
    allowed: Mask
    answers: Mask
    kinds: tuple[ResponseKind | None, ...]

    @property
    def speeches(self) -> tuple[SpeechText, ...]:
        return self.supporting + self.opposing

    @property
    def judged(self) -> Mask:
        """The opposing speeches that may answer somebody here."""
        return np.asarray(self.allowed.any(axis=0))

    @property
    def answers_somebody(self) -> Mask:
        """The opposing speeches that answer somebody here."""
        return np.asarray((self.answers & self.allowed).any(axis=0))

    def asked(self) -> Iterator[tuple[int, Mask, Mask]]:
        """(row, its candidates, which are right) of each speech that one candidate answers and one does not.

        The paper's rule: whose candidates are all answers is not asked, as chance would be right. Where only answers of
        one kind are asked about, the speech's other answers are gone already; those that do not answer it never are, so
        that the rule decides there as it does among all.
        """
        for row, allowed in enumerate(self.allowed):
            correct = self.answers[row, allowed]
            if correct.any() and not correct.all():
                yield row, allowed, correct

    def chosen(self, candidates: Mask) -> tuple[SpeechText, ...]:
        """These of the opposing speeches."""
        return tuple(self.opposing[column] for column in np.flatnonzero(candidates))


@dataclass(frozen=True, eq=False)
class Question:
    """A supporting speech, the candidates that may answer it, and which of them do (`correct`)."""

    supporting: SpeechText
    candidates: tuple[SpeechText, ...]
    correct: Mask


def questions(debates: Iterable[AnsweredDebate]) -> list[Question]:
    """One question for each supporting speech with a candidate that answers it and one that does not."""
    return [
        Question(debate.supporting[row], debate.chosen(candidates), correct)
        for debate in debates
        for row, candidates, correct in debate.asked()
    ]


def answer_pairs(debates: Iterable[AnsweredDebate]) -> list[tuple[SpeechText, SpeechText]]:
    """Every supporting speech with its answer."""
    return [
        (debate.supporting[row], debate.opposing[column])
        for debate in debates
        for row, column in np.argwhere(debate.answers)
    ]


# Debates with known answers: IBM's recorded debates, or a corpus folder whose manifest says who answers whom.

# The transcripts that have sentences, in this order: by a person, by a recogniser, and those of any other corpus.
TRANSCRIPTS = ("trs.txt", "asr.txt", "reference")


def transcripts(folder: Path) -> tuple[str, ...]:
    """The kinds of transcript that the folder has."""
    return _kinds(open_corpus(folder))


def _kinds(corpus: Corpus) -> tuple[str, ...]:
    return tuple(kind for kind in TRANSCRIPTS if corpus.with_transcripts(kind)) or ("reference",)


def read_debates(folder: Path, transcript: str) -> list[AnsweredDebate]:
    """The motions of the folder that have supporting speeches and opposing ones, in the order of their ids."""
    corpus = open_corpus(folder).without_problems()
    if transcript not in (kinds := _kinds(corpus)):
        raise RostrumError(f"{folder}: no transcripts called {transcript!r}; there are {', '.join(kinds)}")
    speeches = sorted(corpus.with_transcripts(transcript), key=lambda entry: entry.speech.id)
    by_motion = grouped((entry.speech.motion, entry) for entry in speeches if entry.speech.motion)
    debates = [_debate(motion, entries, transcript) for motion, entries in sorted(by_motion.items())]
    debates = [debate for debate in debates if debate.supporting and debate.opposing]
    if not any(debate.answers.any() for debate in debates):
        raise RostrumError(
            f"{folder}: nothing says which speech answers which; give it in the column answers of speeches.csv"
        )
    return debates


def _debate(motion: str, entries: Sequence[Entry], transcript: str) -> AnsweredDebate:
    pro, con = ([entry for entry in entries if entry.speech.stance == stance] for stance in ("pro", "con"))
    supporting, opposing = (
        tuple(SpeechText(entry.speech.id, sentences_of(entry, transcript), entry.speech.speakers) for entry in side)
        for side in (pro, con)
    )
    answers = [[other.speech.answers == one.speech.id for other in con] for one in pro]
    return AnsweredDebate(
        motion,
        supporting,
        opposing,
        allowed_pairs(supporting, opposing),
        np.array(answers, dtype=np.bool_).reshape(len(pro), len(con)),
        tuple(entry.speech.response for entry in con),
    )


def folds(debates: Sequence[AnsweredDebate], seed: int, count: int = 5) -> list[list[AnsweredDebate]]:
    """The motions in random order, cut into `count` parts, or into fewer if there are fewer motions."""
    order = [debates[index] for index in np.random.default_rng(seed).permutation(len(debates))]
    return [order[start::count] for start in range(min(count, len(order)))]


# How good the answers to questions are.


def accuracy(scores: Vector, correct: Mask) -> float:
    """Whether the highest score is that of a correct candidate; of equal ones, the share that is correct."""
    best = scores == scores.max()
    return float(correct[best].mean())


def reciprocal_rank(scores: Vector, correct: Mask) -> float:
    """1 / the rank of the first correct candidate, expected over the orders in which equal scores may stand."""
    top = scores[correct].max()
    before = int((scores > top).sum())
    tied = scores == top
    size, hits = int(tied.sum()), int(correct[tied].sum())
    first = range(1, size - hits + 2)
    return sum(comb(size - rank, hits - 1) / comb(size, hits) / (before + rank) for rank in first)


def outcomes(debate: AnsweredDebate, scores: Matrix) -> list[tuple[float, float]]:
    """Accuracy and reciprocal rank of each question of a debate."""
    return [
        (accuracy(scores[row, candidates], correct), reciprocal_rank(scores[row, candidates], correct))
        for row, candidates, correct in debate.asked()
    ]


def mean_accuracy(scores: Sequence[Vector], questions: Sequence[Question]) -> float:
    """The mean over questions of the accuracy of their scores; 0 without questions."""
    right = [accuracy(values, question.correct) for values, question in zip(scores, questions, strict=True)]
    return float(np.mean(right)) if right else 0.0

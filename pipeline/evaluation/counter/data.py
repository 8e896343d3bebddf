"""Debates with known answers: IBM's recorded debates, or a corpus folder whose manifest says who answers whom."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText, allowed_pairs
from pipeline.corpus import Corpus, Entry, open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.corpora import sentences_of
from pipeline.evaluation.counter.debates import AnsweredDebate
from pipeline.grouping import grouped

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
    if transcript not in _kinds(corpus):
        raise RostrumError(f"{folder}: no transcripts called {transcript!r}; there are {', '.join(_kinds(corpus))}")
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
        tuple(SpeechText(each.speech.id, sentences_of(each, transcript), each.speech.speakers) for each in side)
        for side in (pro, con)
    )
    answers = [[other.speech.answers == one.speech.id for other in con] for one in pro]
    return AnsweredDebate(
        motion,
        supporting,
        opposing,
        allowed_pairs(supporting, opposing),
        np.array(answers, dtype=np.bool_).reshape(len(pro), len(con)),
        tuple(each.speech.response for each in con),
    )

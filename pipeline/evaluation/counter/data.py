"""Debates with known answers: IBM's recorded debates, or a corpus folder whose manifest says who answers whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.corpus import Corpus, open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.corpora import sentences_of
from pipeline.evaluation.counter.debates import AnsweredDebate
from pipeline.records import Speech

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
    speeches = corpus.with_transcripts(transcript)
    sentences = {entry.speech.id: sentences_of(entry, transcript) for entry in speeches}
    debates = debates_of((entry.speech for entry in speeches), sentences)
    debates = [debate for debate in debates if debate.supporting and debate.opposing]
    if not any(debate.answers.any() for debate in debates):
        raise RostrumError(
            f"{folder}: nothing says which speech answers which; give it in the column answers of speeches.csv"
        )
    return debates


def debates_of(speeches: Iterable[Speech], sentences: Mapping[str, tuple[str, ...]]) -> list[AnsweredDebate]:
    """Speeches by motion; those without sentences, motion or stance are left out."""
    by_motion: dict[str, list[Speech]] = defaultdict(list)
    for speech in sorted(speeches, key=lambda speech: speech.id):
        if speech.motion and speech.stance and speech.id in sentences:
            by_motion[speech.motion].append(speech)
    return [_debate(motion, found, sentences) for motion, found in sorted(by_motion.items())]


def _debate(motion: str, speeches: list[Speech], sentences: Mapping[str, tuple[str, ...]]) -> AnsweredDebate:
    supporting, opposing = ([speech for speech in speeches if speech.stance == stance] for stance in ("pro", "con"))
    answers = [[other.answers == one.id for other in opposing] for one in supporting]
    texts = {speech.id: SpeechText(speech.id, sentences[speech.id], speech.speakers) for speech in speeches}
    return AnsweredDebate(
        motion,
        tuple(texts[speech.id] for speech in supporting),
        tuple(texts[speech.id] for speech in opposing),
        np.array(answers, dtype=np.bool_).reshape(len(supporting), len(opposing)),
        tuple(speech.response for speech in opposing),
    )

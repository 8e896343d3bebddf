"""Learning how a recogniser mishears words, for simulated recognition errors."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.wer.data import recorded
from pipeline.evaluation.wer.recognition import recognised
from pipeline.progress import Progress, no_progress
from pipeline.text.noise import Confusions, learn
from pipeline.text.terms import tokens


def learn_confusions(folder: Path, levels: Sequence[float] = (), progress: Progress = no_progress) -> Confusions:
    """The confusions of IBM's recogniser, from `.asr` and `.trs.txt`; or those of Whisper, if there are recordings.

    Whisper also transcribes each recording with others in the background, at each of the `levels` in decibels.
    """
    corpus = open_corpus(folder)
    given = [(each.text("trs.txt"), each.text("asr")) for each in corpus.with_transcripts("asr", "trs.txt")]
    if not given and not (recordings := recorded(corpus)):
        raise RostrumError(f"{folder}: no speech has .asr and .trs.txt, or a recording and what is said in it")
    pairs = given or recognised(recordings, levels, progress)
    return learn((tokens(said), tokens(heard)) for said, heard in pairs)

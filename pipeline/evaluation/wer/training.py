"""Learning what a recogniser makes of words, for simulated recognition errors."""

from pathlib import Path

from pipeline.corpus import open_corpus
from pipeline.text.noise import Confusions, learn
from pipeline.text.terms import tokens


def learn_confusions(folder: Path) -> Confusions:
    """Confusions of IBM's recogniser: its `.asr` against what people wrote down in `.trs.txt`."""
    speeches = open_corpus(folder).with_transcripts("asr", "trs.txt")
    return learn((tokens(speech.text("trs.txt")), tokens(speech.text("asr"))) for speech in speeches)

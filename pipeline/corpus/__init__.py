"""A folder of audio is a corpus: the one door to the files in it."""

from pipeline.corpus.reader import AUDIO_SUFFIXES, Corpus, Entry, GivenReference, read_corpus

__all__ = ["AUDIO_SUFFIXES", "Corpus", "Entry", "GivenReference", "read_corpus"]

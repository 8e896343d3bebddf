"""Opens a corpus: finds its files, reports its problems, and gives its records to the stages.

`open_corpus` takes a folder of recordings, IBM's Recorded Debating Dataset, or a single recording.
"""

from pipeline.corpus.contents import Corpus, Entry, ExpectedText
from pipeline.corpus.files import AUDIO_SUFFIXES, snapshot
from pipeline.corpus.given import how_to_give
from pipeline.corpus.manifest import Problem
from pipeline.corpus.opening import open_corpus

__all__ = [
    "AUDIO_SUFFIXES",
    "Corpus",
    "Entry",
    "ExpectedText",
    "Problem",
    "how_to_give",
    "open_corpus",
    "snapshot",
]

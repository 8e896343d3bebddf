"""A transcript against its reference: what is compared, and what is not."""

import resource

import pytest

from pipeline.records import ReferenceTranscript, Word
from pipeline.score.stage import ScoreSettings, score
from pipeline.stage import Skip
from pipeline.transcribe.record import Transcript


def heard(*words: str) -> Transcript:
    spoken = tuple(Word(text=word, start=i, end=i + 1, probability=1.0) for i, word in enumerate(words))
    return Transcript(words=spoken, language="en", recogniser="tests", device="cpu", punctuated=True)


def test_a_speech_of_which_nothing_was_heard_is_all_deletions() -> None:
    """Only what nobody can have said in one speech is left out."""
    errors = score(heard(), ReferenceTranscript(text="we should ban zoos " * 500), settings=ScoreSettings())
    assert (errors.wer, errors.words.deletions) == (1.0, 2_000)


def test_a_reference_out_of_all_proportion_is_skipped_with_its_size() -> None:
    """Ten million words took 5.9 GB, and came to no end."""
    endless = ReferenceTranscript(text="we should ban zoos " * 2_500_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Skip, match=r"47,500,000 characters, the transcript 7: it is not of this recording"):
        score(heard("we", "shou"), endless, settings=ScoreSettings())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kilobytes"

"""A transcript that came with the corpus: its language and hesitations are those that are known."""

import pytest

from pipeline.records import Correction, GivenTranscript, Word
from pipeline.transcribe.stage import TranscribeSettings, transcribe

WORDS = (Word(text="ja", start=0, end=1),)


@pytest.mark.parametrize(
    ("said_by_corpus", "said_by_settings", "expected"),
    [("en", None, "en"), ("en", "de", "en"), (None, "de", "de"), (None, None, "und")],
)
def test_the_language_of_a_given_transcript_is_the_one_that_is_known(
    said_by_corpus: str | None, said_by_settings: str | None, expected: str
) -> None:
    given = GivenTranscript(words=WORDS, source="given: a.ctm", language=said_by_corpus)
    settings = TranscribeSettings(model="base", language=said_by_settings)
    assert transcribe(None, None, None, given, settings=settings).language == expected


@pytest.mark.parametrize("keeps", [True, False])
def test_a_given_transcript_says_whether_it_keeps_hesitations(keeps: bool) -> None:
    given = GivenTranscript(words=WORDS, source="given: a.ctm", keeps_hesitations=keeps)
    assert transcribe(None, None, None, given, settings=TranscribeSettings()).keeps_hesitations == keeps


def test_corrected_words_keep_what_was_known_of_the_recognised_ones() -> None:
    ends = (len(WORDS),)
    correction = Correction(
        speech="a", words=WORDS, sentence_ends=ends, recognised=WORDS, language="de", keeps_hesitations=True
    )
    given = GivenTranscript(words=(), source="corrected", correction=correction)
    found = transcribe(None, None, None, given, settings=TranscribeSettings())
    assert (found.language, found.keeps_hesitations, found.is_corrected) == ("de", True, True)

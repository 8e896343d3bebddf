import pytest

from pipeline.records import Word
from pipeline.score.word_errors import word_errors
from pipeline.transcribe.record import Transcript
from pipeline.transcribe.show import Mark, marks


def marked(said: str, heard: str, normaliser: str = "plain"):
    words = tuple(Word(text=text, start=place, end=place + 1) for place, text in enumerate(heard.split()))
    transcript = Transcript(words=words, language="en", recogniser="r", device="cpu", punctuated=True)
    return marks(transcript, word_errors(said, transcript.text, normaliser))  # type: ignore[arg-type]


def test_misheard_missed_and_made_up() -> None:
    found = marked("we should never ban all phones", "We could ban, all the phones.")
    assert found.words == {
        1: Mark("substitute", "should"),
        2: Mark(None, "", "never"),
        4: Mark("insert"),
    }
    assert found.missed_at_end == ""


def test_missed_at_the_end() -> None:
    found = marked("we should go now", "We should")
    assert (found.words, found.missed_at_end) == ({}, "go now")


def test_words_that_the_normaliser_joins() -> None:
    """Whisper's rules make 'twenty one' 21: what follows keeps its place."""
    found = marked("there are 21 good reasons", "There are twenty one bad reasons", "whisper")
    assert found.words == {4: Mark("substitute", "good")}


@pytest.mark.parametrize(("said", "heard"), [("", "some words"), ("some words", "")])
def test_nothing_on_one_side(said: str, heard: str) -> None:
    found = marked(said, heard)
    assert len(found.words) == len(heard.split())
    assert found.missed_at_end == said

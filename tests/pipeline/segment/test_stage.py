import pytest

from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.report.markdown import page
from pipeline.segment.stage import SegmentSettings, segment
from pipeline.stage import Skip
from pipeline.system.logs import warn_once
from pipeline.text import sentences
from pipeline.transcribe.stage import Transcript
from tests.models import needs


def transcript(text: str, punctuated: bool, speaker: str | None = None) -> Transcript:
    """A word each half second; `/` is a pause of a second."""
    words, time = [], 0.0
    for word in text.split():
        if word == "/":
            time += 1.0
        else:
            words.append(Word(text=word, start=time, end=time + 0.5, speaker=speaker))
            time += 0.5
    return Transcript(words=tuple(words), language="en", recogniser="none", device="cpu", punctuated=punctuated)


def test_unpunctuated_words_are_cut_at_pauses() -> None:
    found = segment(transcript("we agree / they do not", False), settings=SegmentSettings(method="pauses"))
    assert [sentence.text for sentence in found.sentences] == ["we agree", "they do not"]
    assert [(sentence.start, sentence.end) for sentence in found.sentences] == [(0.0, 1.0), (2.0, 3.5)]
    assert found.method == "pauses of 0.25 s"


def test_why_words_are_cut_at_pauses_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    warn_once.cache_clear()
    german = transcript("das ist so", False).model_copy(update={"language": "de"})
    for _ in range(3):
        assert "as the tagger reads English only" in segment(german, settings=SegmentSettings()).method
    assert [record.message.partition(":")[0] for record in caplog.records] == ["no punctuation"]


def test_punctuated_words_are_cut_at_punctuation_whatever_the_pauses() -> None:
    try:
        sentences.punkt_folder()
    except RostrumError as error:
        pytest.skip(str(error))
    found = segment(transcript("We / agree. They do not.", True), settings=SegmentSettings())
    assert [sentence.text for sentence in found.sentences] == ["We agree.", "They do not."]
    assert found.method == "punkt"


def test_no_words_no_sentences() -> None:
    found = segment(transcript("", False), settings=SegmentSettings(method="pauses"))
    assert found.sentences == ()
    assert page("segment", found) == "No words, so no sentences."


def test_the_page_shows_each_sentence_with_its_time_and_speaker() -> None:
    settings = SegmentSettings(method="pauses")
    text = page("segment", segment(transcript("a|b c / <d>", False, "anna"), settings=settings))
    assert "2 sentences of 1 to 2 words (median 2), cut by pauses of 0.25 s." in text
    assert "| 0:00 | anna | 2 | a\\|b c |" in text
    assert "| 0:02 | anna | 1 | &lt;d&gt; |" in text
    assert "speaker" not in page("segment", segment(transcript("a b", False), settings=settings))


@needs("german")
def test_german_is_cut_by_german_tables() -> None:
    text = "Am 3. Oktober ist frei. Das gilt z.B. hier."
    found = segment(transcript(text, True).model_copy(update={"language": "de"}), settings=SegmentSettings())
    assert [sentence.text for sentence in found.sentences] == ["Am 3. Oktober ist frei.", "Das gilt z.B. hier."]
    assert (found.method, found.language, found.used("punkt")) == ("punkt (german)", "de", False)


def test_a_language_without_tables_says_that_it_was_cut_at_marks() -> None:
    found = segment(transcript("Tak. Nie!", True).model_copy(update={"language": "pl"}), settings=SegmentSettings())
    assert ([sentence.text for sentence in found.sentences], found.method) == (["Tak.", "Nie!"], "marks")


def test_the_tagger_does_not_read_german() -> None:
    german = transcript("wir sind / dafür", False).model_copy(update={"language": "de"})
    with pytest.raises(Skip, match="English only"):
        segment(german, settings=SegmentSettings(method="tagger"))
    found = segment(german, settings=SegmentSettings())
    assert found.method == "pauses of 0.25 s, as the tagger reads English only"

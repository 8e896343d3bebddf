"""The reference transcript as the text that later stages read: its words get the times of the recognised ones."""

from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.records import Correction, GivenTranscript, ReferenceTranscript, Word
from pipeline.score.stage import ScoreSettings, score
from pipeline.stage import Skip
from pipeline.transcribe import Transcript
from pipeline.transcribe.reference import reference_words, timed
from pipeline.transcribe.stage import TranscribeSettings, transcribe

SETTINGS = TranscribeSettings(text="reference")


def heard(text: str, seconds: float = 1.0) -> tuple[Word, ...]:
    return tuple(
        Word(text=word, start=index * seconds, end=(index + 1) * seconds) for index, word in enumerate(text.split())
    )


def given(text: str) -> GivenTranscript:
    return GivenTranscript(words=heard(text), source="given: a.asr", language="en")


def transcribed(said: str, recognised: str = "") -> Transcript:
    transcript = given(recognised) if recognised else None
    return transcribe(None, None, None, transcript, ReferenceTranscript(text=said), settings=SETTINGS)


def test_a_word_has_the_time_of_the_recognised_one_that_it_stands_against() -> None:
    found = transcribed("We should ban whaling.", "we could ban whaling")
    assert [(word.text, word.start, word.end) for word in found.words] == [
        ("We", 0, 1),
        ("should", 1, 2),
        ("ban", 2, 3),
        ("whaling.", 3, 4),
    ]
    assert (found.punctuated, found.from_reference, found.is_corrected) == (True, True, False)


def test_words_that_were_not_recognised_share_the_time_between_their_neighbours() -> None:
    words = timed(
        ["we", "never", "ever", "ban", "it"], (heard("we")[0], *(w.model_copy() for w in heard("a a a ban it")[3:]))
    )
    assert [word.start for word in words] == pytest.approx([0, 1, 1.444, 3, 4], abs=0.001)
    assert words[2].end <= words[3].start


def test_times_never_run_backwards() -> None:
    words = timed(["one", "hundred", "and", "five", "percent", "of", "it", "is"], heard("105 % of it it is"))
    assert all(one.end <= other.start for one, other in zip(words, words[1:], strict=False))
    assert all(word.start <= word.end for word in words)


def test_the_words_of_a_text_that_names_its_speakers_have_them(tmp_path: Path) -> None:
    (tmp_path / "debate.txt").write_text("ANNA: Ban it now.\nBEN: Why?\nANNA: It kills.", encoding="utf-8")
    (tmp_path / "speeches.csv").write_text("id,file,reference\ndebate,,debate.txt\n", encoding="utf-8")
    corpus = open_corpus(tmp_path)
    reference = corpus.given(ReferenceTranscript, corpus.entries[0])
    found = transcribe(None, None, None, None, reference, settings=SETTINGS)
    assert [(word.speaker, word.text, word.start) for word in found.words] == [
        ("Anna", "Ban", 0.0),
        ("Anna", "it", 0.4),
        ("Anna", "now.", 0.8),
        ("Ben", "Why?", 1.2),
        ("Anna", "It", 1.6),
        ("Anna", "kills.", 2.0),
    ]


def test_without_a_recognised_word_the_pace_is_even() -> None:
    found = transcribed("So we agree. It is time.")
    assert [(word.start, word.end) for word in found.words[:2]] == [(0, 0.4), (0.4, 0.8)]
    assert found.recognised is None


def test_what_was_meant_is_read_and_a_text_in_small_letters_gets_capitals() -> None:
    assert reference_words("um i'm proud to opp- oppose it . um it 's bad ,") == (
        ["I'm", "proud", "to", "oppose", "it.", "It", "'s", "bad,"]
    )
    assert reference_words("NATO is here") == ["NATO", "is", "here"]


def test_the_recognised_words_are_still_scored() -> None:
    said = "We should ban whaling."
    found = score(transcribed(said, "we could ban whaling"), ReferenceTranscript(text=said), settings=ScoreSettings())
    assert found.words.substitutions == 1
    with pytest.raises(Skip, match="the reference itself"):
        score(transcribed(said), ReferenceTranscript(text=said), settings=ScoreSettings())


def test_a_speech_without_a_reference_is_skipped() -> None:
    with pytest.raises(Skip, match="leave the setting out to read the given transcript"):
        transcribe(None, None, None, given("yes"), None, settings=SETTINGS)
    with pytest.raises(Skip, match="no reference transcript.* column reference of speeches.csv, or leave .* out$"):
        transcribe(None, None, None, None, None, settings=SETTINGS)


def test_a_reference_of_another_recording_is_not_used() -> None:
    with pytest.raises(Skip, match="of another recording"):
        transcribed("whales " * 60, "we should talk about taxes " * 12)


def test_a_corrected_transcript_goes_before_the_reference() -> None:
    correction = Correction(speech="a", words=heard("corrected"), sentence_ends=(1,), recognised=heard("said"))
    transcript = GivenTranscript(words=(), source="corrected", correction=correction)
    found = transcribe(None, None, None, transcript, ReferenceTranscript(text="said"), settings=SETTINGS)
    assert (found.text, found.from_reference) == ("corrected", False)

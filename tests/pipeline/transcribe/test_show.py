"""How a transcript is shown: its page, and recognition errors at its words."""

import pytest

from pipeline.records import Word
from pipeline.score.stage import NormaliserName, word_errors
from pipeline.transcribe.show import Mark, Marks, marks, page
from pipeline.transcribe.stage import Transcript


def transcript(*said: tuple[str, float, str | None, float]) -> Transcript:
    words = tuple(
        Word(text=text, start=start, end=start + 0.5, probability=probability, speaker=speaker)
        for text, start, speaker, probability in said
    )
    return Transcript(words=words, language="en", recogniser="tiny.en", device="cpu", punctuated=True)


def paragraphs(record: Transcript) -> list[str]:
    return page(record).split("\n\n")[1:]


def test_a_paragraph_ends_where_a_sentence_does() -> None:
    record = transcript(("We", 0, "Ann", 1), ("go.", 16, "Ann", 1), ("They", 17, "Ann", 1), ("stay.", 18, "Ann", 1))
    assert paragraphs(record) == ["**0:00** Ann: We go.", "**0:17** Ann: They stay."]


def test_without_sentences_too_it_ends() -> None:
    record = transcript(*((f"w{second}", float(second), None, 1.0) for second in range(0, 100, 10)))
    assert paragraphs(record) == ["**0:00** w0 w10 w20 w30 w40", "**0:50** w50 w60 w70 w80 w90"]


def test_another_speaker_begins_another_paragraph() -> None:
    record = transcript(("Yes", 0, "Ann", 1), ("no", 1, "Bob", 1))
    assert paragraphs(record) == ["**0:00** Ann: Yes", "**0:01** Bob: no"]


def test_doubtful_words_are_marked_and_marks_are_text() -> None:
    record = transcript(("*a_b*", 0, None, 0.2), ("<b>", 1, None, 0.9))
    assert paragraphs(record) == [r"**0:00** *\*a_b\** &lt;b&gt;"]


def marked(said: str, heard: str, normaliser: NormaliserName = "plain") -> Marks:
    return marks(word_errors(said, heard, normaliser))


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


def test_a_wrong_number_of_several_words_marks_all_of_them() -> None:
    found = marked("we have 22 reasons and time", "We have twenty one reasons, and no time", "whisper")
    assert found.words == {
        2: Mark("substitute", "22"),
        3: Mark("substitute"),
        6: Mark("insert"),
    }


@pytest.mark.parametrize(("said", "heard"), [("", "some words"), ("some words", "")])
def test_nothing_on_one_side(said: str, heard: str) -> None:
    found = marked(said, heard)
    assert len(found.words) == len(heard.split())
    assert found.missed_at_end == said

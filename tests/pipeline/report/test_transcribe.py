from pipeline.records import Word
from pipeline.transcribe.record import Transcript
from pipeline.transcribe.show import page


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

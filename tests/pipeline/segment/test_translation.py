"""The translation of a speech: which English sentence belongs to which spoken one, and who reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.content.stage import ContentSettings, content
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch
from pipeline.records import ExpectedTexts, Passage, Sentence, Speech, Word
from pipeline.segment import ANOTHER_LANGUAGE, Sentences, in_english, segment
from pipeline.segment.show import headline, page
from pipeline.segment.stage import with_translation
from pipeline.speakers import GivenSpeaker, GivenSpeakers, speakers
from pipeline.stage import Skip
from pipeline.transcribe.stage import Transcript, Translation
from tests.models import needs

pytestmark = needs("punkt")


def said(*times: tuple[float, float], speakers: str = "") -> tuple[Sentence, ...]:
    """Sentences of two words each, at these times."""
    return tuple(
        Sentence(text=f"Satz {place}.", start=start, end=end, first=2 * place, last=2 * place + 2, speaker=speaker)
        for place, ((start, end), speaker) in enumerate(zip(times, speakers or "A" * len(times), strict=True))
    )


def english(*sentences: tuple[str, float, float]) -> list[Word]:
    """The words of these sentences, which share its time."""
    words = []
    for text, start, end in sentences:
        parts = text.split()
        step = (end - start) / len(parts)
        words += [Word(text=part, start=start + i * step, end=start + (i + 1) * step) for i, part in enumerate(parts)]
    return words


def test_each_sentence_has_the_english_that_is_spoken_at_its_time() -> None:
    words = english(("We agree.", 0.1, 1.8), ("They do not.", 2.3, 4.1))
    found = with_translation(said((0, 2), (2.2, 4)), words)
    assert [one.translation for one in found] == ["We agree.", "They do not."]
    assert [(one.first, one.last) for one in found] == [(0, 2), (2, 4)]


def test_two_sentences_that_were_translated_as_one_become_one() -> None:
    found = with_translation(said((0, 2), (2.2, 4), (4.5, 6)), english(("We agree with it.", 0.1, 3.9), ("No.", 5, 6)))
    assert [(one.text, one.translation, one.first, one.last) for one in found] == [
        ("Satz 0. Satz 1.", "We agree with it.", 0, 4),
        ("Satz 2.", "No.", 4, 6),
    ]
    assert (found[0].start, found[0].end) == (0, 4)


def test_a_translation_that_the_model_doubts_says_nothing() -> None:
    words = english(("Handbags are drinking the school.", 0, 2), ("They learn again.", 2.2, 4))
    probabilities = (0.78, 0.13, 0.04, 0.64, 0.32, 0.76, 0.36, 0.99)
    doubted = [word.model_copy(update={"probability": p}) for word, p in zip(words, probabilities, strict=True)]
    found = with_translation(said((0, 2), (2.2, 4)), doubted)
    assert [one.translation for one in found] == ["…", "They learn again."]
    read = Sentences(sentences=found, method="x", language="de", translated_by="y").in_english()
    assert [one.text for one in read.sentences] == ["…", "They learn again."]


def test_two_english_sentences_may_be_one() -> None:
    found = with_translation(said((0, 4)), english(("We agree.", 0, 2), ("Now.", 2, 4)))
    assert found[0].translation == "We agree. Now."


def test_sentences_of_two_speakers_are_never_joined() -> None:
    found = with_translation(said((0, 2), (2.2, 4), speakers="AB"), english(("We agree with it.", 0.1, 2.0)))
    assert [(one.speaker, one.translation) for one in found] == [("A", "We agree with it."), ("B", "")]


times = st.lists(st.integers(1, 40), min_size=1, max_size=8)


@given(times, times, st.data())
def test_every_word_stays_in_one_sentence_and_no_english_is_lost(
    spoken: list[int], heard: list[int], data: st.DataObject
) -> None:
    ends = [sum(spoken[: place + 1]) / 4 for place in range(len(spoken))]
    voices = data.draw(st.text("AB", min_size=len(spoken), max_size=len(spoken)))
    original = said(*zip([0.0, *ends[:-1]], ends, strict=True), speakers=voices)
    starts = [sum(heard[:place]) / 4 for place in range(len(heard))]
    words = english(*((f"Word{i} yes.", start, start + heard[i] / 4) for i, start in enumerate(starts)))
    found = with_translation(original, words)
    assert [found[0].first, *(one.last for one in found)] == sorted({0, *(one.last for one in found)})
    assert found[-1].last == 2 * len(spoken)
    assert all(one.last == other.first for one, other in zip(found, found[1:], strict=False))
    assert sorted(" ".join(one.translation or "" for one in found).split()) == sorted(word.text for word in words)


GERMAN = Sentences(sentences=said((0, 2), (2.2, 4)), method="punkt (german)", language="de")
TRANSLATED = GERMAN.model_copy(
    update={
        "sentences": with_translation(GERMAN.sentences, english(("We agree.", 0, 2), ("No.", 2.2, 4))),
        "translated_by": "whisper",
    }
)


def test_what_is_quoted_of_a_translation_is_marked() -> None:
    read = TRANSLATED.in_english()
    assert [one.text for one in read.sentences] == ["We agree.", "No."]
    passage = Passage.of(*read.sentences)
    assert (passage.translated, passage.quoted) == (True, "[translated] We agree. No.")
    assert not Passage.of(*TRANSLATED.sentences).translated, "the words that were spoken"
    match = KeyPointMatch(speech="a", sentence=0, speaker=None, said=passage, score=1)
    point = KeyPoint(
        id="1",
        text="We agree",
        stance=None,
        source="a",
        sentence=0,
        matches=(match,),
        speeches=1,
        speakers=1,
        minutes=0,
        answers=(),
    )
    assert point.quoted == "[translated] We agree"


def test_the_page_shows_both_texts() -> None:
    assert "Satz 0. | [translated] We agree. |" in page(TRANSLATED).replace("\\", "")
    assert headline(TRANSLATED) == "2 sentences, cut by punkt (german), translated by whisper"


def test_the_stages_of_arguments_skip_what_they_cannot_read() -> None:
    with pytest.raises(Skip, match=rf"{ANOTHER_LANGUAGE} \(de\).*transcribe.translate=true"):
        GERMAN.in_english()
    spoken_english = GERMAN.model_copy(update={"language": "en"})
    assert list(in_english({"a": GERMAN, "b": spoken_english, "c": TRANSLATED})) == ["b", "c"]
    with pytest.raises(Skip, match=ANOTHER_LANGUAGE):
        in_english({"a": GERMAN})
    assert in_english({}) == {}


def test_who_is_who_needs_no_english_if_the_corpus_says_it() -> None:
    two = GERMAN.model_copy(update={"sentences": said((0, 2), (2.2, 4), speakers="AB")})
    with pytest.raises(Skip, match=ANOTHER_LANGUAGE):
        speakers(None, Speech(id="d"), two, None)
    rows = (
        GivenSpeaker(voice="A", name="Anna", role="debater", side="pro"),
        GivenSpeaker(voice="B", name="Ben", role="debater", side="con"),
    )
    found = speakers(None, Speech(id="d"), two, GivenSpeakers(items=rows))
    assert [(one.name, one.role, one.side) for one in found.people] == [
        ("Anna", "debater", "pro"),
        ("Ben", "debater", "con"),
    ]


@needs("german")
def test_german_is_compared_with_german_by_words() -> None:
    texts = ["Kinder lernen in den Schulen.", "Alle sind dafür."]
    sentences = [Sentence(text=text, start=at, end=at + 1, first=at, last=at + 1) for at, text in enumerate(texts)]
    spoken = Sentences(sentences=tuple(sentences), method="marks", language="de")
    expected = ExpectedTexts(texts=("Das Kind lernt in der Schule. Es kostet viel.",))
    found = content(Speech(id="a"), spoken, expected, None, settings=ContentSettings(encoder=None))
    assert [one.covered for one in found.sentences] == [True, False], "by German stems: Kinder, Kind; Schulen, Schule"
    with pytest.raises(Skip, match=ANOTHER_LANGUAGE):
        content(Speech(id="a"), spoken, expected, None, settings=ContentSettings())


def test_a_transcript_with_its_translation_becomes_sentences_with_theirs() -> None:
    words = tuple(
        Word(text=text, start=at, end=at + 0.9) for at, text in enumerate(["Wir", "sollen.", "Sie", "nicht!"])
    )
    translation = Translation(
        words=tuple(english(("We should.", 0, 2), ("Not they!", 2, 4))), recogniser="whisper small"
    )
    heard = Transcript(
        words=words, language="pl", recogniser="x", device="cpu", punctuated=True, translation=translation
    )
    found = segment(heard)
    assert [(one.text, one.translation) for one in found.sentences] == [
        ("Wir sollen.", "We should."),
        ("Sie nicht!", "Not they!"),
    ]
    assert (found.translated_by, found.figures()) == ("whisper small", {"translated": 1.0})

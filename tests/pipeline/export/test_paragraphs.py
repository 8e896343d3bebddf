from hypothesis import given
from hypothesis import strategies as st

from pipeline.export.cues import Paragraph, paragraphs
from tests.pipeline.report.speeches import speech


def test_one_speaker_is_not_named_and_several_are() -> None:
    assert paragraphs(speech("One two.", "Three.")) == [Paragraph(0.0, "", "One two. Three.")]
    found = paragraphs(speech("One two.", "Three.", "Four.", speakers=("Anna", None, None)))
    assert found == [Paragraph(0.0, "Anna", "One two."), Paragraph(0.8, "unknown", "Three. Four.")]


def test_a_long_turn_is_cut_at_its_longest_pause() -> None:
    twelve = " ".join(["word"] * 12)
    made = speech(*[twelve] * 12)
    later = [each.model_copy(update={"start": each.start + 1.0, "end": each.end + 1.0}) for each in made.sentences[5:]]
    found = paragraphs(type(made)(**{**vars(made), "sentences": (*made.sentences[:5], *later)}))
    assert [len(each.text.split()) for each in found] == [60, 84]


def test_a_silence_begins_a_paragraph() -> None:
    made = speech("One.", "Two.")
    second = made.sentences[1].model_copy(update={"start": 4.0, "end": 5.0})
    found = paragraphs(type(made)(**{**vars(made), "sentences": (made.sentences[0], second)}))
    assert [each.text for each in found] == ["One.", "Two."]


@given(st.lists(st.tuples(st.integers(1, 150), st.sampled_from(["Anna", "Ben", None])), min_size=1, max_size=30))
def test_every_sentence_is_in_one_paragraph_in_order(spoken: list[tuple[int, str | None]]) -> None:
    made = speech(*[" ".join(["w"] * length) for length, _ in spoken], speakers=tuple(who for _, who in spoken))
    found = paragraphs(made)
    assert " ".join(each.text for each in found) == " ".join(each.text for each in made.sentences)
    assert all(len(each.text.split()) <= 120 or len(each.text.split()) in dict(spoken) for each in found)

"""Names for voices that are known from other recordings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.diarize import Turns, Voice
from pipeline.records import Motion, Sentence, Speech
from pipeline.segment import Sentences
from pipeline.speakers import KnownVoice, KnownVoices, SpeakersSettings
from pipeline.speakers import speakers as find_speakers
from pipeline.speakers.stage import Recognised, probabilities, recognise


def vector(degrees: float) -> tuple[float, ...]:
    """A direction in a plane: the cosine of two of them is that of the angle between them."""
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def voice(degrees: float, speaker: str = "S1", embedding: str = "e") -> Voice:
    return Voice(speaker=speaker, vector=vector(degrees), embedding=embedding)


def known(*people: tuple[str, float], embedding: str = "e") -> KnownVoices:
    items = (KnownVoice(name=name, vector=vector(degrees), embedding=embedding) for name, degrees in people)
    return KnownVoices(items=tuple(items))


@pytest.mark.parametrize(("cosine", "probability"), [(0.4, 0.1), (0.5, 0.5), (0.6, 0.9), (0.7, 81 / 82)])
def test_the_probability_of_one_known_person(cosine: float, probability: float) -> None:
    names, chances = probabilities([voice(math.degrees(math.acos(cosine)))], known(("Anna", 0)))
    assert names == ["Anna"]
    assert chances[0, 0] == pytest.approx(probability, abs=1e-6)


def test_several_samples_of_a_person_add_up() -> None:
    """A voice between two samples is like their mean, and less like each of them."""
    between = [voice(60)]
    [[one]] = probabilities(between, known(("Anna", 0)))[1]
    [[both]] = probabilities(between, known(("Anna", 0), ("Anna", 120)))[1]
    assert one == pytest.approx(0.5)
    assert both > 0.999


def test_a_name_goes_to_the_voice_that_is_most_alike() -> None:
    voices = [voice(20, "S1"), voice(2, "S2"), voice(90, "S3")]
    assert set(recognise(voices, known(("Anna", 0)), 0.9)) == {"S2"}


def test_everybody_gets_the_own_name() -> None:
    found = recognise([voice(91, "S1"), voice(1, "S2")], known(("Anna", 0), ("Ben", 90)), 0.9)
    assert {label: one.name for label, one in found.items()} == {"S1": "Ben", "S2": "Anna"}


def test_between_two_known_people_nobody_is_named() -> None:
    assert recognise([voice(20)], known(("Anna", 0), ("Ben", 40)), 0.9) == {}


def test_vectors_of_another_embedding_are_not_compared() -> None:
    assert recognise([voice(0)], known(("Anna", 0), embedding="other"), 0.5) == {}


def test_a_threshold_of_1_names_nobody() -> None:
    assert recognise([voice(0)], known(("Anna", 0)), 0.999) == {"S1": Recognised("Anna", 0.999)}
    assert recognise([voice(0)], known(("Anna", 0)), 1.0) == {}


ANGLES = st.floats(0, 360)


@given(st.lists(ANGLES, min_size=1, max_size=4), st.lists(ANGLES, min_size=1, max_size=4))
def test_the_probabilities_of_a_voice_are_at_most_1_together(voices: list[float], people: list[float]) -> None:
    register = known(*((f"P{number}", angle) for number, angle in enumerate(people)))
    names, chances = probabilities([voice(angle) for angle in voices], register)
    assert chances.shape == (len(voices), len(names))
    assert (chances >= 0).all()
    assert (chances.sum(axis=1) <= 1 + 1e-9).all()


def test_who_does_not_speak_by_the_corpus_is_not_recognised() -> None:
    """The sample exchange of Clara and Victor was given to Amara of another recording, who sounds like Clara."""
    said = [
        Sentence(text="Phones distract.", start=0, end=1, first=0, last=2, speaker="S1"),
        Sentence(text="They do not.", start=1, end=2, first=2, last=5, speaker="S2"),
    ]
    sentences = Sentences(sentences=tuple(said), method="punkt")
    turns = Turns(turns=(), exclusive=(), speakers=("S1", "S2"), method="m", voices=(voice(0), voice(90, "S2")))
    settings = SpeakersSettings(own_words="rules")
    for speakers, named in (((), "Amara"), (("Clara", "Victor"), None), (("Amara", "Victor"), "Amara")):
        speech = Speech(id="a", motion="m", speakers=speakers)
        motion = Motion(id="m", text="We should ban phones.")
        found = find_speakers(motion, speech, sentences, None, turns, known(("Amara", 0)), settings=settings)
        recognised = {person.voice: person.name for person in found.people if person.recognised}
        assert recognised.get("S1") == named

"""Names for voices: of people who were named in other recordings, and from a reference that says who speaks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.diarize import Turns, Voice
from pipeline.records import Motion, ReferenceTranscript, Sentence, Speech
from pipeline.segment import Sentences
from pipeline.speakers import GivenSpeaker, GivenSpeakers, KnownVoice, KnownVoices, SpeakersSettings
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


HEARD = [
    ("S1", "phones distract pupils from learning and they cost hours of sleep every night"),
    ("S2", "no they do not pupils learn to use them well if somebody shows them how"),
    ("S3", "thank you both"),
]
WRITTEN = (
    ("Anna_Bell", "Phones distract the pupils from learning, and they cost hours of sleep every night."),
    ("Audience_Member_2", "No, they do not! Pupils learn to use them well if somebody shows them how."),
    ("Carla", "Thank you both."),
)


def named(given: GivenSpeakers | None = None) -> dict[str, tuple[str | None, bool]]:
    """The name of each voice, and whether it was given, by a reference that names Anna, somebody and Carla."""
    said = [
        Sentence(text=text, start=place, end=place + 1, first=place, last=place + 1, speaker=voice)
        for place, (voice, text) in enumerate(HEARD)
    ]
    found = find_speakers(
        Motion(id="m", text="We should ban phones."),
        Speech(id="a", motion="m"),
        Sentences(sentences=tuple(said), method="punkt"),
        given,
        reference=ReferenceTranscript(text=" ".join(text for _, text in WRITTEN), turns=WRITTEN),
        settings=SpeakersSettings(own_words="rules"),
    )
    return {person.voice: (person.name, "name" in person.given) for person in found.people}


def test_a_voice_has_the_name_that_a_reference_has_for_its_words() -> None:
    """But not if that is no name, or if few words tell it."""
    assert named() == {"S1": ("Anna Bell", True), "S2": (None, False), "S3": (None, False)}


def test_a_name_of_the_manifest_wins_over_that_of_a_reference() -> None:
    assert named(GivenSpeakers(items=(GivenSpeaker(voice="S1", name="Ruth"),)))["S1"] == ("Ruth", True)

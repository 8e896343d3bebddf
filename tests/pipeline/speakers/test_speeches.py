"""What each debater says in a recording is a speech."""

import pytest

from pipeline.records import Motion, Sentence, Speech
from pipeline.segment import Sentences
from pipeline.speakers import (
    GivenSpeaker,
    GivenSpeakers,
    Speakers,
    SpeakersSettings,
    speakers,
    speeches_in,
    speeches_of,
    speeches_on,
)
from tests.pipeline.speakers.debates import OXFORD, told

MOTION = Motion(id="zoos", text="Zoos should be closed")
RULES = SpeakersSettings(own_words="rules")
DEBATE = Speech(id="debate", motion="zoos")


def said(*lines: tuple[str | None, str]) -> Sentences:
    """Sentences of two seconds, each with its voice."""
    items = tuple(
        Sentence(text=text, start=2.0 * i, end=2.0 * i + 2, first=i, last=i + 1, speaker=voice)
        for i, (voice, text) in enumerate(lines)
    )
    return Sentences(sentences=items, method="lines")


LED = said(
    ("V1", "Good evening, and welcome to this debate."),
    ("V1", "Arguing for the motion, Ann Lee, and against the motion, Bob Roe."),
    ("V1", "Ann Lee, please."),
    ("V2", "Thank you, and good evening to all of you who came here tonight to hear about animals and their cages."),
    ("V1", "Thank you, Ann. Bob Roe."),
    ("V3", "Thank you, I have worked with elephants for twenty years, and I have seen a great many of them grow old."),
    ("V2", "Cages make animals ill."),
)
GIVEN = GivenSpeakers(
    items=(
        GivenSpeaker(name="Grace", role="moderator", start=0.0),
        GivenSpeaker(name="Ann Lee", role="debater", side="pro", start=6.0),
        GivenSpeaker(name="Bob Roe", role="debater", side="con", start=10.0, answers=("Ann",), response="explicit"),
    )
)


def who(given: GivenSpeakers | None = None, recording: Speech = DEBATE, sentences: Sentences = LED) -> Speakers:
    return speakers(MOTION, recording, sentences, given, settings=RULES)


def test_a_row_without_a_voice_means_the_voice_that_is_heard_then() -> None:
    people = {person.voice: person for person in who(GIVEN).people}
    assert {voice: person.name for voice, person in people.items()} == {"V1": "Grace", "V2": "Ann Lee", "V3": "Bob Roe"}
    assert (people["V3"].side, people["V3"].side_probability) == ("con", 1.0)
    assert {"name", "role", "side"} <= set(people["V3"].given)


def test_each_debater_has_a_speech_and_the_moderator_none() -> None:
    ann, bob = speeches_in(DEBATE, LED, who(GIVEN))
    assert (ann.id, ann.speech.stance, ann.speech.speakers, ann.indices) == (
        "debate/ann-lee",
        "pro",
        ("Ann Lee",),
        (3, 6),
    )
    assert (bob.id, bob.speech.stance, bob.speech.recording) == ("debate/bob-roe", "con", "debate")
    assert (bob.speech.answers, bob.speech.response) == ("debate/ann-lee", "explicit")
    assert ann.in_recording(0, 2) == (3, 7)
    assert ann.in_recording(1, 2) == (6, 7)


def test_without_a_manifest_sides_are_found_by_what_is_said() -> None:
    sentences = said(*((one.voice, text) for one in told(OXFORD) for text in one.sentences))
    people = who(sentences=sentences)
    assert {speech.id: speech.stance for speech in speeches_of(DEBATE, people)} == {
        "debate/hannah-price": "pro",
        "debate/omar-nasser": "pro",
        "debate/tom-becker": "con",
        "debate/lucy-shaw": "con",
    }
    assert all(not person.given for person in people.people)


def test_a_recording_with_a_side_is_one_speech_whoever_speaks() -> None:
    recording = DEBATE.model_copy(update={"stance": "con", "speakers": ("Ann",)})
    people = who(recording=recording)
    assert people.is_one_speech
    (speech,) = speeches_in(recording, LED, people)
    assert speech.speech == recording
    assert speech.sentences == LED


def test_one_voice_is_one_speech_and_its_side_is_found() -> None:
    sentences = said(("V1", "Zoos should be closed."), ("V1", "I urge you to vote for the motion."))
    people = who(recording=DEBATE.model_copy(update={"speakers": ("Ann",)}), sentences=sentences)
    (speech,) = speeches_of(DEBATE, people)
    assert (speech.id, speech.stance) == ("debate", "pro")
    assert people.people[0].name == "Ann"


def test_speeches_of_a_motion_are_those_of_all_recordings() -> None:
    alone = Speech(id="alone", motion="zoos", stance="pro")
    sentences = {"debate": LED, "alone": said((None, "Cages make animals ill."))}
    spoken = speeches_on([DEBATE, alone], sentences, {"debate": who(GIVEN)})
    assert [one.id for one in spoken] == ["alone", "debate/ann-lee", "debate/bob-roe"]


@pytest.mark.parametrize("names", [("Ann", "Ann"), ("", "")])
def test_two_people_never_share_a_key(names: tuple[str, str]) -> None:
    sentences = said(("V1", "Yes."), ("V2", "No."))
    rows = tuple(GivenSpeaker(voice=f"V{i}", role="debater", name=name or None) for i, name in enumerate(names, 1))
    people = who(GivenSpeakers(items=rows), sentences=sentences).people
    keys = {person.key for person in people}
    assert len(keys) == (1 if names[0] else 2), "voices of one name are one person"


# Several motions in one recording.

TWO_MOTIONS = GivenSpeakers(
    items=(
        GivenSpeaker(voice="V1", name="Grace", role="moderator"),
        GivenSpeaker(voice="V2", name="Ann Lee", role="debater", side="pro", motion="zoos", start=6.0, end=8.0),
        GivenSpeaker(voice="V2", name="Ann Lee", role="debater", side="con", motion="cars", start=12.0, end=14.0),
        GivenSpeaker(voice="V3", name="Bob Roe", role="debater", side="con", motion="cars", start=10.0, end=12.0),
    )
)


def test_a_person_speaks_on_a_motion_in_the_times_that_are_given() -> None:
    on_zoos = speeches_in(DEBATE, LED, who(TWO_MOTIONS))
    assert [(one.id, one.speech.stance, one.indices) for one in on_zoos] == [("debate/ann-lee", "pro", (3,))]
    cars, other = Motion(id="cars", text="We should ban cars."), Speech(id="debate-cars", motion="cars")
    people = speakers(cars, other, LED, TWO_MOTIONS, settings=RULES)
    assert [(one.id, one.speech.stance, one.indices) for one in speeches_in(other, LED, people)] == [
        ("debate-cars/ann-lee", "con", (6,)),
        ("debate-cars/bob-roe", "con", (5,)),
    ]


def test_one_speaker_on_two_motions() -> None:
    alone = said(("V1", "Zoos are cages."), ("V1", "Now cars."), ("V1", "Cars are loud."))
    given = GivenSpeakers(
        items=(
            GivenSpeaker(voice="V1", role="debater", side="pro", motion="zoos", start=0.0, end=2.0),
            GivenSpeaker(voice="V1", role="debater", side="pro", motion="cars", start=2.0, end=6.0),
        )
    )
    (spoken,) = speeches_in(DEBATE, alone, who(given, sentences=alone))
    assert (spoken.id, spoken.indices) == ("debate", (0,))

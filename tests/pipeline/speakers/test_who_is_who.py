"""Roles and sides in small debates of several kinds."""

import pytest

from pipeline.records import Motion
from pipeline.speakers.stage import GivenSpeaker, GivenSpeakers, SpeakersSettings
from tests.pipeline.speakers.debates import OXFORD, RULES, TOWN_HALL, ZOOS, found, long, people

LABELS = {
    "PAULA REED": "S4",
    "HANNAH PRICE": "S1",
    "TOM BECKER": "S0",
    "OMAR NASSER": "S5",
    "LUCY SHAW": "S2",
    "WOMAN": "S3",
}


def unnamed(text: str) -> str:
    for name, label in LABELS.items():
        text = text.replace(f"\n{name}:", f"\n{label}:")
    return text


def test_two_sides_with_a_moderator() -> None:
    who = people(found(OXFORD))
    assert {voice: person.role for voice, person in who.items()} == {
        "PAULA REED": "moderator",
        "HANNAH PRICE": "debater",
        "TOM BECKER": "debater",
        "OMAR NASSER": "debater",
        "LUCY SHAW": "debater",
        "WOMAN": "questioner",
    }
    sides = {"HANNAH PRICE": "pro", "OMAR NASSER": "pro", "TOM BECKER": "con", "LUCY SHAW": "con"}
    assert {voice: person.side for voice, person in who.items() if person.side} == sides


def test_voices_without_names_are_those_who_are_called() -> None:
    named, labelled = people(found(OXFORD)), people(found(unnamed(OXFORD)))
    for name, label in LABELS.items():
        assert (labelled[label].role, labelled[label].side) == (named[name].role, named[name].side)
    assert labelled["S1"].name == "Hannah Price"
    assert labelled["S2"].name == "Lucy Shaw"
    assert labelled["S3"].name is None or labelled["S3"].name not in ("Tom Becker", "Omar Nasser")


def test_who_only_speaks_before_a_long_debate_is_no_questioner_and_no_debater() -> None:
    """A sponsor who welcomed the audience was a questioner, and the pages said that he asked."""
    opening, *rest = OXFORD.strip().splitlines()
    host = "HOST: Good evening. | It is a great pleasure to be here. | We have planned this for a whole year."
    lines = ["PAULA REED: Please welcome our sponsor.", host, opening, *rest]
    lines += ["HANNAH PRICE: Zoos are far too small.", "TOM BECKER: They are large enough."] * 15
    who = people(found("\n".join(lines)))
    assert who["HOST"].role is None
    assert who["HOST"].side is None
    assert {who[name].role for name in ("PAULA REED", "WOMAN", "HANNAH PRICE")} == {
        "moderator",
        "questioner",
        "debater",
    }


def test_a_host_who_talks_with_the_moderator_before_a_long_debate_is_no_questioner() -> None:
    """He was a questioner where the moderator interviewed him: his longest turn came late."""
    opening, *rest = OXFORD.strip().splitlines()
    talk = ["PAULA REED: Please welcome our sponsor. | Hi, Bob."]
    for said in (
        "Good evening, Paula.",
        "It is a pleasure.",
        f"This debate is about zoos. | {long('zoos', 'animals')}",
    ):
        talk += [f"BOB STONE: {said}", "PAULA REED: Why is that?"]
    lines = [*talk, opening, *rest]
    lines += ["HANNAH PRICE: Zoos are far too small.", "TOM BECKER: They are large enough."] * 60
    assert people(found("\n".join(lines)))["BOB STONE"].role is None


def test_a_label_of_many_has_no_name() -> None:
    """'MALE SPEAKER', whom a transcript has in place of every man who asks, was one of them for all their words."""
    asked = "\n".join(
        f"PAULA REED: Yes, {name}, please.\n{voice}: My name is {name}. | What about the keepers of the animals?"
        for voice, name in (("MALE SPEAKER", "John Donahue"), ("AUDIENCE MEMBER 3", "Carla Moss"))
    )
    who = people(found(f"{OXFORD}\n{asked}"))
    assert (who["MALE SPEAKER"].name, who["AUDIENCE MEMBER 3"].name) == (None, "Carla Moss")


def test_the_evidence_is_the_sentence_that_says_the_side() -> None:
    who = people(found(OXFORD))
    assert any("in favour of the motion" in one.text for one in who["HANNAH PRICE"].evidence)
    assert any("support the motion" in one.text for one in who["OMAR NASSER"].evidence)
    assert who["PAULA REED"].evidence == ()


def test_only_the_candidate_of_a_town_hall_is_a_debater() -> None:
    who = people(found(TOWN_HALL, Motion(id="lopez", text="We should elect Maria Lopez")))
    roles = {voice: person.role for voice, person in who.items()}
    assert roles == {"ANCHOR": "moderator", "GUEST_1": "debater", "GUEST_2": "questioner", "GUEST_3": "questioner"}


TWO_PEOPLE = f"""
A: I am glad that we can talk about this. | {long("cages", "elephants", "space", "children")}
| I support the motion, and I hope you will vote for it.
B: I see that differently. | {long("science", "frogs", "keepers", "schools")}
| That is why you should vote against the motion.
A: But that is not true at all. | {long("frogs", "numbers")}
B: You said that before. | {long("keepers", "money")}
"""


def test_two_people_without_a_moderator() -> None:
    who = people(found(TWO_PEOPLE))
    assert [(person.role, person.side) for person in who.values()] == [("debater", "pro"), ("debater", "con")]


def test_one_declared_side_tells_the_other() -> None:
    text = TWO_PEOPLE.replace("That is why you should vote against the motion.", "That is all for now.")
    assert people(found(text))["B"].side == "con"


def test_without_any_hint_no_side_is_known() -> None:
    who = people(found(f"A: {long('cages', 'space', 'children', 'science', 'noise', 'vets', 'frogs', 'money')}"))
    assert (who["A"].role, who["A"].side) == ("debater", None)


def test_what_is_given_wins_and_tells_of_the_others() -> None:
    given = GivenSpeakers(items=(GivenSpeaker(voice="B", name="Ruth Levi", side="pro"),))
    who = people(
        found(TWO_PEOPLE.replace("I support the motion, and I hope you will vote for it.", "So much."), given=given)
    )
    assert (who["B"].side, who["B"].side_probability, who["B"].name) == ("pro", 1.0, "Ruth Levi")
    assert set(who["B"].given) == {"name", "side"}
    assert who["A"].side == "con"


def test_a_given_role_is_kept() -> None:
    given = GivenSpeakers(items=(GivenSpeaker(voice="GUEST_1", role="moderator"),))
    assert people(found(TOWN_HALL, given=given))["GUEST_1"].role == "moderator"


def test_several_labels_of_one_person_have_one_side() -> None:
    text = OXFORD.replace("TOM BECKER: Omar,", "TOM BEKER: Omar,")
    assert people(found(text))["TOM BEKER"].side == "con"


@pytest.mark.parametrize(
    ("introduction", "first", "second"),
    [
        ("On my left, arguing that zoos should be closed, is Mia Wells. | On the other side, Jan Novak.", "pro", "con"),
        ("Mia Wells will oppose the motion and Jan Novak will defend it.", "con", "pro"),
        ("For the proposition, Mia Wells. | For the opposition, Jan Novak.", "pro", "con"),
        ("The affirmative team is Mia Wells. | The negative team is Jan Novak.", "pro", "con"),
        ("Against closing zoos we have Mia Wells, and her opponent is Jan Novak.", "con", "pro"),
        ("Mia Wells is in favour of closing zoos, Jan Novak is opposed to it.", "pro", "con"),
        ("First proposition speaker is Mia Wells, first opposition speaker is Jan Novak.", "pro", "con"),
        ("Mia, you are against the motion. | Jan Novak, you are for the motion.", "con", "pro"),
    ],
)
def test_moderators_introduce_in_many_ways(introduction: str, first: str, second: str) -> None:
    text = f"""
HOST: Welcome to our debate. | {introduction} | Mia Wells, your opening statement.
MIA WELLS: {long("cages", "space", "children", "frogs", "schools", "money", "vets", "laws")}
HOST: Thank you, Mia. | Jan Novak, your response.
JAN NOVAK: {long("science", "frogs", "keepers", "schools", "noise", "glass", "tigers", "families")}
HOST: Thank you both.
"""
    who = people(found(text))
    assert (who["MIA WELLS"].side, who["JAN NOVAK"].side) == (first, second)
    unlabelled = people(found(text.replace("MIA WELLS:", "B:").replace("JAN NOVAK:", "C:").replace("HOST:", "A:")))
    assert (unlabelled["B"].side, unlabelled["C"].side) == (first, second)
    assert unlabelled["A"].role == "moderator"


def test_the_side_of_the_next_speaker_without_any_name() -> None:
    text = f"""
A: Welcome to the final. | We now hear the first speaker for the motion.
B: {long("cages", "space", "children", "frogs", "schools", "money", "vets", "laws", "tigers", "noise", "glass")}
A: Thank you. | And now, to speak against the motion, our next debater.
C: {long("science", "frogs", "keepers", "schools", "noise", "glass", "tigers", "families", "cats", "the sea", "fish")}
A: Thank you both. | Let's go to questions.
"""
    who = people(found(text))
    assert (who["A"].role, who["B"].side, who["C"].side) == ("moderator", "pro", "con")


def test_text_without_capitals() -> None:
    text = unnamed(OXFORD)
    lowered = "\n".join(
        line.split(":", 1)[0] + ":" + line.split(":", 1)[1].lower() if ":" in line else line
        for line in text.splitlines()
    )
    who = people(found(lowered))
    assert who["S4"].role == "moderator"
    assert who["S5"].side == "pro"
    assert {who[label].side for label in ("S0", "S2")} <= {"con", None}


def test_a_preview_of_the_next_debate_is_no_introduction() -> None:
    text = OXFORD.rstrip() + (
        "\nPAULA REED: Next week's motion is that cars should be banned. | Arguing for that motion will be Lucy Shaw."
    )
    assert people(found(text))["LUCY SHAW"].side == "con"


def test_the_motion_can_be_one_of_abolishing() -> None:
    motion = Motion(id="wage", text="Abolish the minimum wage")
    text = f"""
HOST: Good evening. | Defending the minimum wage is Ann Cole. | Arguing against the minimum wage is Ben Dorn.
| Ann Cole, please begin.
ANN COLE: {long("work", "rent", "families", "shops", "the poor", "prices", "jobs", "unions")}
HOST: Ben Dorn, go ahead.
BEN DORN: {long("jobs", "the young", "prices", "robots", "shops", "choice", "wages", "towns")}
"""
    who = people(found(text, motion))
    assert (who["ANN COLE"].side, who["BEN DORN"].side) == ("con", "pro")


def test_thresholds_leave_out_what_is_not_sure() -> None:
    strict = SpeakersSettings(own_words="rules", side_threshold=1.0, role_threshold=1.0)
    who = people(found(OXFORD, settings=strict))
    assert all(person.side is None and person.role is None for person in who.values())
    assert who["HANNAH PRICE"].side_probability is not None


def test_without_a_motion_there_are_roles_and_no_sides() -> None:
    who = people(found(OXFORD, None))
    assert who["PAULA REED"].role == "moderator"
    assert all(person.side is None and person.motion is None for person in who.values())


def test_nothing_said_is_nobody() -> None:
    assert found("", ZOOS, settings=RULES).people == ()


def test_what_is_given_by_name_is_for_the_voice_of_that_name() -> None:
    given = GivenSpeakers(items=(GivenSpeaker(voice="Lucy Shaw", side="pro"),))
    who = people(found(unnamed(OXFORD), given=given))
    assert (who["S2"].side, who["S2"].given) == ("pro", ("side",))


def test_what_is_given_on_another_motion_does_not_count() -> None:
    given = GivenSpeakers(items=(GivenSpeaker(voice="LUCY SHAW", side="pro", motion="cars"),))
    assert people(found(OXFORD, given=given))["LUCY SHAW"].side == "con"


@pytest.mark.parametrize(
    ("motion", "side"), [("We should elect Joe Biden.", "pro"), ("We should not elect Joe Biden.", "con")]
)
def test_who_is_named_in_the_motion_is_for_himself(motion: str, side: str) -> None:
    text = f"""
    HOST: Good evening, and welcome to our town hall with Joe Biden. | Your first question, please.
    JOE BIDEN: {long("work", "schools", "the climate", "the cost")}
    """
    who = people(found(text, Motion(id="biden", text=motion)))
    assert (who["JOE BIDEN"].role, who["JOE BIDEN"].side) == ("debater", side)

"""Small debates, written for these tests."""

import re

from pipeline.records import Motion
from pipeline.speakers.stage import GivenSpeakers, Person, Speakers, SpeakersSettings
from pipeline.speakers.utterances import Said, Utterance, utterances
from pipeline.speakers.who_is_who import who_is_who

ZOOS = Motion(id="zoos", text="Zoos should be closed")
RULES = SpeakersSettings(own_words="rules")


def told(text: str) -> tuple[Utterance, ...]:
    """The utterances of a text with one turn per line, `VOICE: sentence
    | sentence`; a line with `|` first goes on."""
    lines = [line.split(":", 1) for line in re.sub(r"\n\s*\|", " |", text).strip().splitlines() if line.strip()]
    return utterances(Said(voice.strip(), one.strip()) for voice, words in lines for one in words.split("|"))


def found(
    text: str, motion: Motion | None = ZOOS, given: GivenSpeakers | None = None, settings: SpeakersSettings = RULES
) -> Speakers:
    """Who is who in such a text."""
    return who_is_who(motion, told(text), given, settings=settings)


def people(speakers: Speakers) -> dict[str, Person]:
    return {person.voice: person for person in speakers.people}


def long(*points: str) -> str:
    """A speech of some length that takes no side by its words."""
    return " | ".join(
        f"There is something to be said about {point}, and I have thought about it for a long time" for point in points
    )


OXFORD = f"""
PAULA REED: Good evening, everyone, and welcome to our debate. | The motion tonight is that zoos should be closed.
| Speaking in favour of the motion we have Hannah Price, a vet, and Omar Nasser, who runs a sanctuary.
| Opposing it are Tom Becker and Lucy Shaw. | Let's begin. | Hannah Price, you have seven minutes.
HANNAH PRICE: Thank you, Paula.
| {long("cages", "space", "the elephants", "the children", "the cost", "the wild", "our duty", "breeding")}
PAULA REED: Thank you, Hannah. | To answer her, please welcome Tom Becker.
TOM BECKER: Thank you very much.
| {long("science", "rare animals", "the keepers", "money", "schools", "the law", "our cities", "families")}
PAULA REED: Our next speaker is Hannah's partner. | Omar Nasser, the floor is yours.
OMAR NASSER: {
    long("the sanctuary", "tigers", "glass walls", "noise", "the summer", "the vets", "the laws", "a life")
} | So I ask you to support the motion.
PAULA REED: And finally, Lucy Shaw.
LUCY SHAW: {long("frogs", "research", "visitors", "the young", "frozen seeds", "the future", "pandas", "the sea")}
TOM BECKER: Omar, may I ask what you would do with the animals?
OMAR NASSER: They would come to places like mine, Tom.
PAULA REED: Let's take a question from the audience. | The lady in the blue coat, please.
WOMAN: Hello, my name is Grace. | I have a question for Lucy. | How many frogs have you saved?
LUCY SHAW: Some four thousand in ten years, and that is only our zoo.
PAULA REED: Thank you all. | We'll be right back after the break.
"""

TOWN_HALL = f"""
ANCHOR: Welcome back to our town hall with Senator Maria Lopez.
| The next question comes from Dan Whitfield, a teacher from Ohio.
GUEST_2: Good evening, Senator. | What will you do for schools in small towns?
GUEST_1: Thank you, Dan.
| {long("schools", "teachers", "small towns", "buses", "books", "taxes", "parents", "the county", "pay", "roofs")}
ANCHOR: Senator, will you raise taxes for that?
GUEST_1: I will not raise them for families.
| {long("the budget", "the rich", "fairness", "the debt", "savings", "roads")}
ANCHOR: Let's go to another question. | Ellen Burke is a nurse. | Ellen, go ahead.
GUEST_3: Thank you. | How would you keep our clinic open?
GUEST_1: My own mother was a nurse.
| {long("clinics", "nurses", "the night shift", "medicine", "insurance", "the governor", "rural care")}
ANCHOR: One more break. | We'll be right back.
"""

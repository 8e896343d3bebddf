"""Who replies to whom."""

from pipeline.speakers.names import Names
from pipeline.speakers.replies import People, replies
from pipeline.speakers.utterances import Said, utterances
from tests.pipeline.speakers.debates import OXFORD, TOWN_HALL, found, told


def test_an_answer_replies_to_the_question() -> None:
    said = told(TOWN_HALL)
    speakers = found(TOWN_HALL)
    answers = {(reply.voice, reply.to, said_from(said, reply.to_first)) for reply in speakers.replies}
    assert ("GUEST_1", "GUEST_2", "Good evening, Senator.") in answers
    assert ("GUEST_1", "GUEST_3", "Thank you.") in answers


def test_a_name_tells_whom_a_debater_answers() -> None:
    replies = {said_from(told(OXFORD), reply.first): reply.to for reply in found(OXFORD).replies}
    assert replies["They would come to places like mine, Tom."] == "TOM BECKER"
    assert replies["Omar, may I ask what you would do with the animals?"] == "OMAR NASSER"


def test_whom_the_moderator_names_is_answered() -> None:
    """Without the moderator's words it would be whoever spoke last of the other side."""
    turns = [("MOD", ["Max, what do you say?"]), ("MAX", ["Deer are safe here in the park."])]
    turns += [
        ("NIR", ["Deer want to run far, not just around a park."]),
        ("IDA", ["They also need woods all around, and clean water."]),
    ]
    turns += [("MOD", ["Max, your opponent, Nir, says that you have not been there."]), ("MAX", ["I have been there."])]
    said = utterances(Said(voice, sentence) for voice, sentences in turns for sentence in sentences)
    voices = {"Max": "MAX", "Nir": "NIR", "Ida": "IDA"}
    people = People({"MOD": "moderator"}, {"MAX": 0.0, "NIR": 1.0, "IDA": 1.0}, voices, Names(list(voices)))
    assert [reply.to for reply in replies(said, people)][-1] == "NIR"


def test_a_closing_statement_answers_nobody_whom_it_thanks() -> None:
    """It was a reply to the speaker before, whom the moderator names and the statement thanks."""
    turns = [("MAX", ["Deer are safe here in the park.", "So please vote against the motion."])]
    turns += [("MOD", ["Thank you, Max.", "And here to summarize his position, Nir Adler."])]
    turns += [
        ("NIR", ["Thank you, and thank you, Max, for this discussion.", "I hope that you have seen our reasons."])
    ]
    turns += [("IDA", ["Thank you, Max, but that is not true of the park."])]
    said = utterances(Said(voice, sentence) for voice, sentences in turns for sentence in sentences)
    voices = {"Max": "MAX", "Nir": "NIR", "Ida": "IDA"}
    people = People({"MOD": "moderator"}, {"MAX": 0.0, "NIR": 1.0, "IDA": 1.0}, voices, Names(list(voices)))
    surest = {reply.voice: (reply.to, reply.probability) for reply in replies(said, people)}
    assert surest["NIR"][1] < 0.5
    assert surest["IDA"][0] == "MAX"
    assert surest["IDA"][1] > 0.9


def test_the_moderator_replies_to_nobody() -> None:
    assert "PAULA REED" not in {reply.voice for reply in found(OXFORD).replies}


def test_a_reply_is_to_what_was_said_before() -> None:
    for reply in found(OXFORD).replies:
        assert reply.to_first < reply.to_last <= reply.first < reply.last
        assert reply.voice != reply.to


def said_from(said: tuple, first: int) -> str:  # type: ignore[type-arg]
    return next(utterance.sentences[0] for utterance in said if utterance.first == first)

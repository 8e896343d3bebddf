"""Who replies to whom within a recording."""

import numpy as np

from pipeline.counter.replies import speech_replies, turns_of_pairs, weight_of_turns
from pipeline.records import Sentence, Speech
from pipeline.segment import Sentences
from pipeline.speakers import Person, Reply, Speakers, speeches_in


def person(voice: str, side: str | None, role: str = "debater") -> Person:
    facts = {"voice": voice, "key": voice.lower(), "name": voice, "role": role, "role_probability": 1.0, "side": side}
    return Person.model_validate(
        {**facts, "side_probability": 1.0 if side else None, "motion": None, "first": 0.0, "words": 10}
    )


def reply(voice: str, first: int, to: str, to_first: int, probability: float) -> Reply:
    return Reply(
        voice=voice,
        first=first,
        last=first + 1,
        to=to,
        to_first=to_first,
        to_last=to_first + 1,
        probability=probability,
    )


VOICES = ("Ann", "Bob", "Ann", "Bob", "Cid", "Ann")
SENTENCES = Sentences(
    sentences=tuple(
        Sentence(text=f"{voice} {i}.", start=float(i), end=i + 1.0, first=i, last=i + 1, speaker=voice)
        for i, voice in enumerate(VOICES)
    ),
    method="lines",
)
PEOPLE = Speakers(
    people=(person("Ann", "pro"), person("Bob", "con"), person("Cid", None, "moderator")),
    replies=(
        reply("Bob", 1, "Ann", 0, 0.6),
        reply("Ann", 2, "Bob", 1, 0.9),
        reply("Bob", 3, "Ann", 2, 0.8),
        reply("Ann", 5, "Cid", 4, 0.7),
    ),
)


def test_turns_are_counted_and_the_surest_reply_is_shown() -> None:
    recording = Speech(id="debate", motion="zoos")
    spoken = speeches_in(recording, SENTENCES, PEOPLE)
    one, other = speech_replies(spoken, {"debate": SENTENCES}, {"debate": PEOPLE})
    assert (one.replying, one.to_speech, one.turns, one.probability) == ("debate/bob", "debate/ann", 2, 0.8)
    assert (one.said.text, one.to.text) == ("Bob 3.", "Ann 2.")
    assert (other.replying, other.to_speech, other.turns) == ("debate/ann", "debate/bob", 1)
    assert turns_of_pairs((one, other), ["debate/ann"], ["debate/bob"]).tolist() == [[2.0]]


def test_a_reply_of_some_words_is_shown_rather_than_one_that_is_broken_off() -> None:
    said = tuple(
        one.model_copy(update={"first": 9 * i, "last": 9 * i + (9 if i == 1 else 2)})
        for i, one in enumerate(SENTENCES.sentences)
    )
    sentences = SENTENCES.model_copy(update={"sentences": said})
    spoken = speeches_in(Speech(id="debate", motion="zoos"), sentences, PEOPLE)
    one, _ = speech_replies(spoken, {"debate": sentences}, {"debate": PEOPLE})
    assert (one.said.text, one.turns, one.probability) == ("Bob 1.", 2, 0.6)


def test_turns_add_most_where_there_are_many_and_nothing_where_there_are_none() -> None:
    weights = weight_of_turns(np.array([[8.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    assert weights[0, 0] > weights[0, 1] > 0
    assert weights[:, 2].tolist() == [0.0, 0.0]
    assert weights[1].tolist() == [0.0, 0.0, 0.0]

"""Who replies to whom within a recording of several people: turns that answer another one's turns."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pipeline.arrays import Matrix
from pipeline.counter.stage import SpeechReply
from pipeline.grouping import grouped
from pipeline.records import Passage, Sentence
from pipeline.segment import Sentences
from pipeline.speakers import Reply, Speakers, SpokenSpeech, speech_id

# What it adds to the score of a pair if all of many turns reply to the other speech, chosen by hand. Scores of shared
# rare words are mostly below it. One turn counts a third of that.
_WEIGHT = 0.3
_FEW = 2
# The reply that is shown has so many words, if there is one: "And I don't -- can I --" tells nothing.
_TELLING = 8


def speech_replies(
    spoken: Sequence[SpokenSpeech], sentences: Mapping[str, Sentences], people: Mapping[str, Speakers]
) -> tuple[SpeechReply, ...]:
    """Every two speeches of a recording of which one replies to the other."""
    recordings = dict.fromkeys(one.speech.recording for one in spoken if one.speech.recording)
    known = {one.id for one in spoken}
    replies = [
        reply
        for recording in recordings
        for reply in _in_recording(recording, sentences[recording].sentences, people[recording])
        if {reply.replying, reply.to_speech} <= known
    ]
    return tuple(sorted(replies, key=lambda reply: (-reply.turns, reply.replying, reply.to_speech)))


def _in_recording(recording: str, said: Sequence[Sentence], people: Speakers) -> Iterator[SpeechReply]:
    key = {person.voice: person.key for person in people.people}
    pairs = grouped(((key[one.voice], key[one.to]), one) for one in people.replies)
    for (replying, to), replies in pairs.items():
        if replying != to:
            surest = max(replies, key=lambda reply: (_words(reply, said) >= _TELLING, reply.probability))
            yield SpeechReply(
                replying=speech_id(recording, replying),
                to_speech=speech_id(recording, to),
                turns=len(replies),
                probability=surest.probability,
                **_passages(surest, said),
            )


def _words(reply: Reply, said: Sequence[Sentence]) -> int:
    """How many words the passage of a reply has."""
    return sum(one.last - one.first for one in said[reply.first : min(reply.last, reply.first + _FEW)])


def _passages(reply: Reply, said: Sequence[Sentence]) -> dict[str, Passage]:
    """The first sentences of a reply, and the last ones of the turn that it replies to."""
    return {
        "said": Passage.of(*said[reply.first : min(reply.last, reply.first + _FEW)]),
        "to": Passage.of(*said[max(reply.to_first, reply.to_last - _FEW) : reply.to_last]),
    }


def turns_of_pairs(replies: Sequence[SpeechReply], supporting: Sequence[str], opposing: Sequence[str]) -> Matrix:
    """In how many turns each opposing speech (column) replies to each supporting one (row)."""
    turns = {(reply.to_speech, reply.replying): reply.turns for reply in replies}
    return np.array([[turns.get((one, other), 0) for other in opposing] for one in supporting], dtype=np.float64)


def weight_of_turns(turns: Matrix) -> Matrix:
    """What turns add to the scores of pairs: the share of the opposing speech's turns, less if there are few."""
    total = turns.sum(axis=0)
    return np.asarray(_WEIGHT * turns / np.maximum(total, 1) * total / (total + _FEW))

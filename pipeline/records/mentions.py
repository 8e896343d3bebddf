"""Which known arguments a speech mentions."""

from typing import Literal

from pipeline.records.base import Record
from pipeline.records.corpus import Stance
from pipeline.records.passages import LlmUse, Passage


class Carrier(Record):
    """Sentences of a speech that carry an argument: `first` up to, not including, `last`.

    `similarity` is the encoder's cosine with the argument's title; `entailment`, the probability that the argument
    follows from what is said, is there where a cross-encoder was asked.
    """

    first: int
    last: int
    said: Passage
    similarity: float
    entailment: float | None


class Mention(Record):
    """How probable it is that people would hear a known argument in a speech, and where.

    `side` is whose argument it is, None where the speech's stance is not known. One of the other side or of another
    motion is scored, to see what a speech takes up, but never counts as `mentioned`: that a speech makes it. Arguments
    are compared within their list, those of one stance on one motion; `likeness` is in standard deviations of that
    list. `counter` is the id of the argument that rebuts this one, `counter_title` its
    title, or the text that rebuts it. `how` says of one that is mentioned whether a sentence makes it outright, where
    the detector can tell.
    """

    argument: str
    title: str
    stance: Stance
    side: Literal["own", "other", "another motion"] | None
    likeness: float
    probability: float
    mentioned: bool
    carriers: tuple[Carrier, ...]
    counter: str | None
    counter_title: str | None
    how: Literal["explicit", "implicit"] | None = None


class Mentions(Record):
    """Every known argument of a motion, as it is or is not mentioned in one speech; the most probable first.

    `detector` is 'shipped', 'trained' or a file's name, and `trained_on` what it learned from. `llm` is what a large
    language model was asked about the carriers, None where none was.
    """

    motion: str
    mentions: tuple[Mention, ...]
    encoder: str
    detector: str
    trained_on: str
    threshold: float
    llm: LlmUse | None = None

"""What a debate comes down to."""

from pipeline.records.base import Record
from pipeline.records.corpus import Stance
from pipeline.records.passages import LlmUse, Passage


class KeyPointMatch(Record):
    """A sentence that makes a key point, and where to hear it. `sentence` is its index in the speech."""

    speech: str
    sentence: int
    speaker: str | None
    said: Passage
    score: float


class KeyPoint(Record):
    """A point that one side makes: who made it, in how many speeches, and for how long; and who took it up.

    `matches` come best first. `answers` are sentences of the other side on the same matter, and `concessions` those in
    which it grants the point before it turns to its own. `source` is the speech
    and `sentence` the index of the sentence that the point's text was taken from. `leaning` is how much better the
    point fits its own side's sentences than the other side's; below 0 it may belong to the other side. It is None
    where there is no other side.
    """

    id: str
    text: str
    stance: Stance | None
    source: str
    sentence: int
    matches: tuple[KeyPointMatch, ...]
    speeches: int
    speakers: int
    minutes: float
    answers: tuple[KeyPointMatch, ...]
    concessions: tuple[KeyPointMatch, ...] = ()
    leaning: float | None = None


class KeyPointSide(Record):
    """What one side of a motion was made of: `argued` of its sentences claim something, `covered` make a key point."""

    stance: Stance | None
    speeches: int
    speakers: int
    minutes: float
    sentences: int
    argued: int
    covered: int


class KeyPoints(Record):
    """The key points of the debate on one motion, the point of the most speeches first.

    `llm` is what a large language model was asked for them, None where none was.
    """

    motion: str
    points: tuple[KeyPoint, ...]
    sides: tuple[KeyPointSide, ...]
    matcher: str
    threshold: float
    llm: LlmUse | None = None

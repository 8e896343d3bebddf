"""What was argued: the records of the detectors."""

from typing import Literal

from pipeline.records.base import Record, Seconds


class Passage(Record):
    """A sentence as somebody spoke it."""

    text: str
    start: Seconds
    end: Seconds


class SentencePair(Record):
    """A sentence of a supporting speech and the one that meets it in an opposing speech."""

    supporting: Passage
    opposing: Passage
    similarity: float
    quotes: bool
    opposes: bool


class SharedNgram(Record):
    """Words that, of all candidates, only this opposing speech shares with the supporting one."""

    text: str
    supporting: Passage
    opposing: Passage


class Reason(Record):
    """One method's score, and its share in the combined one."""

    name: str
    score: float
    share: float


class CounterPair(Record):
    """How well an opposing speech fits as the answer to a supporting one, and why.

    `score` combines all methods. `worth` is what the pair is worth to the best assignment of the whole motion, by
    which it is ranked; it is None where nobody was eliminated, or where nothing else was possible.
    """

    supporting: str
    opposing: str
    rank: int
    score: float
    worth: float | None
    reasons: tuple[Reason, ...]
    sentences: tuple[SentencePair, ...]
    ngrams: tuple[SharedNgram, ...]


class Response(Record):
    """Whether an opposing speech says that it answers somebody, and the sentences that say so."""

    opposing: str
    kind: Literal["explicit", "implicit"]
    probability: float
    reports: tuple[Passage, ...]


class CounterScores(Record):
    """Who answers whom on one motion: every possible pair, by supporting speech and rank."""

    motion: str
    pairs: tuple[CounterPair, ...]
    responses: tuple[Response, ...]
    ranker: str
    elimination: bool

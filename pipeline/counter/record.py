"""Who answers whom."""

from typing import Literal

from pipeline.records import Passage, Record, ResponseKind


class SentencePair(Record):
    """A sentence of a supporting speech, and the sentence of an opposing speech that matches it."""

    supporting: Passage
    opposing: Passage
    similarity: float
    quotes: bool
    opposes: bool


class SharedNgram(Record):
    """A word sequence of the supporting speech that, of all candidates, only this opposing speech has, too."""

    text: str
    supporting: Passage
    opposing: Passage


class Reason(Record):
    """One method's score, and its share in the scores of all methods together."""

    name: str
    score: float
    share: float


class CounterPair(Record):
    """How well an opposing speech fits as the answer to a supporting one, and why.

    `score` is the ranker's. Pairs are ranked by `marginal_value`: the total score of the motion's best assignment with
    the pair, minus that of the best one without it. It is None if nothing was assigned, or if no other assignment is
    possible. `turns` is in how many turns of one recording the opposing speech replies to the supporting one; they
    are part of the score.
    """

    supporting: str
    opposing: str
    rank: int
    score: float
    marginal_value: float | None
    reasons: tuple[Reason, ...]
    sentences: tuple[SentencePair, ...]
    ngrams: tuple[SharedNgram, ...]
    turns: int = 0


class DetectedResponse(Record):
    """Whether an opposing speech says that it answers somebody, and the sentences that say so.

    `answers` is the supporting speech that it most probably answers; None if it probably answers nobody.
    `answers_somebody` is the probability that it answers any. Both are None without a trained ranker.
    """

    opposing: str
    kind: ResponseKind
    probability: float
    reports: tuple[Passage, ...]
    answers: str | None = None
    answers_somebody: float | None = None


class SpeechReply(Record):
    """One speech replies to another in the same recording, of whichever sides: in so many turns.

    `said` is the beginning of the surest reply, `to` the turn that it replies to, `probability` how sure it is.
    """

    replying: str
    to_speech: str
    turns: int
    probability: float
    said: Passage
    to: Passage


class CounterScores(Record):
    """Who answers whom on one motion: every possible pair, by supporting speech and rank.

    `replies` says who replies to whom within recordings of several people, those with the most turns first.
    """

    motion: str
    pairs: tuple[CounterPair, ...]
    responses: tuple[DetectedResponse, ...]
    ranker: str
    assignment: Literal["off", "one answer", "several answers"]
    replies: tuple[SpeechReply, ...] = ()

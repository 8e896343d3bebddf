"""What was argued: the records of the detectors."""

from typing import Literal

from pipeline.records.base import Record, Seconds
from pipeline.records.corpus import ResponseKind, Stance
from pipeline.records.spans import Timed
from pipeline.records.speech import Sentence


class Passage(Timed, Record):
    """What somebody said, and when."""

    text: str
    start: Seconds
    end: Seconds

    @classmethod
    def of(cls, *sentences: Sentence) -> "Passage":
        """These sentences, one after the other, as one passage."""
        return cls(
            text=" ".join(each.text for each in sentences),
            start=sentences[0].start,
            end=max(each.end for each in sentences),
        )


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
    """One method's score, and its share in the scores of all methods together."""

    name: str
    score: float
    share: float


class CounterPair(Record):
    """How well an opposing speech fits as the answer to a supporting one, and why.

    `score` is the ranker's. `marginal_value` is the best assignment of the whole motion with the pair, less the
    best without it, by which the pair is ranked. It is None where nothing was assigned or nothing else was possible.
    """

    supporting: str
    opposing: str
    rank: int
    score: float
    marginal_value: float | None
    reasons: tuple[Reason, ...]
    sentences: tuple[SentencePair, ...]
    ngrams: tuple[SharedNgram, ...]


class DetectedResponse(Record):
    """Whether an opposing speech says that it answers somebody, and the sentences that say so.

    `answers` is the supporting speech that it most probably answers, None where it is more probable that it answers
    nobody; `answers_somebody` is how probable it is that it answers any. Both are None without a trained ranker.
    """

    opposing: str
    kind: ResponseKind
    probability: float
    reports: tuple[Passage, ...]
    answers: str | None = None
    answers_somebody: float | None = None


class CounterScores(Record):
    """Who answers whom on one motion: every possible pair, by supporting speech and rank."""

    motion: str
    pairs: tuple[CounterPair, ...]
    responses: tuple[DetectedResponse, ...]
    ranker: str
    assignment: Literal["off", "one answer", "several answers"]


class LlmUse(Record):
    """What a large language model was asked for a record: how many answers were used, and the tokens these took.

    Answers that were kept from before count too. `cost` is by the prices in the settings, None without any.
    """

    model: str
    answers: int
    sent_tokens: int
    answered_tokens: int
    cost: float | None

    def told(self) -> str:
        """The record in one line, for a person."""
        cost = "" if self.cost is None else f", cost {self.cost:g}"
        return f"{self.model}: {self.answers} answers, {self.sent_tokens} + {self.answered_tokens} tokens{cost}"


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


class ExpectedSentence(Record):
    """A sentence of what was expected, and the sentence of the speech that comes nearest to it.

    `part` is what it belongs to: an argument's id, or the number of the reference. `similarity` is the encoder's,
    None without one; `words` the share of its content words in that sentence, rare words weighing more.
    """

    part: str
    text: str
    covered: bool
    similarity: float | None
    words: float
    said: Passage | None


class Coverage(Record):
    """How much of what was expected a speech covers, as a whole and sentence by sentence.

    `base_rouge` is the mean over the parts, `best_rouge` that of the best part. A measure that is not defined is None.
    `left_out` are content words that were expected and never said, the most expected first.
    """

    expected: Literal["references", "arguments"]
    parts: int
    base_rouge: float | None
    new_rouge: float | None
    best_rouge: float | None
    content_vector: float | None
    soft_recall: float | None
    covered: float
    sentences: tuple[ExpectedSentence, ...]
    left_out: tuple[str, ...]
    encoder: str | None


class GradeReason(Record):
    """What one feature of an answer adds to the score of the average answer, or takes from it.

    `share` is its part in all that features add and take.
    """

    name: str
    kind: Literal["content", "language", "delivery"]
    value: float
    points: float
    share: float


class Grade(Record):
    """The score of a spoken answer in a model's opinion: `low` to `high` holds nine of ten scores that people give.

    `lowest` and `highest` are the scores that people gave, `average` that of the average answer. `kappa` is the
    quadratic weighted kappa of model and people on prompts that it had not seen, `second_person_kappa` that of two
    people, where two had scored.
    """

    score: float
    low: float
    high: float
    lowest: float
    highest: float
    average: float
    reasons: tuple[GradeReason, ...]
    trained_on: str
    responses: int
    kappa: float | None
    second_person_kappa: float | None


class RankedPoint(Record):
    """An argument as somebody made it, and its place among the points of its motion, 1 being the most convincing.

    `of` is the id of the known argument or key point. `strength` is the mean probability that it convinces more than
    another point of the motion. `delivery` is how it was said, in standard deviations of its speaker's sentences; it is
    None, and so are the figures with delivery, where no prosody was measured.
    """

    source: Literal["mention", "key point"]
    of: str
    title: str
    stance: Stance | None
    speech: str
    speaker: str | None
    said: Passage
    strength: float
    place: int
    delivery: float | None
    strength_with_delivery: float | None
    place_with_delivery: int | None


class PointPair(Record):
    """How probable it is that one point convinces more than another, and what speaks for it most.

    `first` and `second` are indices of the ranking's points; `reasons` speak for the likelier one, by words alone.
    `across_stances` marks points of opposite sides.
    """

    first: int
    second: int
    across_stances: bool = False
    probability: float
    probability_with_delivery: float | None
    reasons: tuple[Reason, ...]


class SideStrength(Record):
    """The mean probability that a point of this side convinces more than one of the other side.

    These are judgements across stances: `Agreement.across_stances` says how often such ones were right.
    """

    stance: Stance
    points: int
    strength: float
    strength_with_delivery: float | None


class Agreement(Record):
    """How often a model chose as people did, between two arguments of a collection that it did not learn from.

    `across_stances` says whether the two were of opposite stances. The ends of the interval are those of 95 %, drawn by
    topic. `confidence` is the mean probability that the model gave to its choices, calibrated on other collections than
    this; None if there is no other one. Equal to `accuracy` it is honest, above it is too sure.
    """

    collection: str
    across_stances: bool
    pairs: int
    accuracy: float
    accuracy_low: float | None
    accuracy_high: float | None
    confidence: float | None


class Ranking(Record):
    """Which points of a debate convince, in a model's opinion.

    `elsewhere` says how often such opinions were right on other collections of arguments: that is what to expect.
    `accuracy`, with the ends of its 95 % interval, is on topics left out of the collection that the model learned from,
    and is higher. Both are known for the words alone: `delivery_weight`, the log odds of a standard deviation of
    delivery, was set by hand.
    """

    motion: str
    points: tuple[RankedPoint, ...]
    pairs: tuple[PointPair, ...]
    sides: tuple[SideStrength, ...]
    model: str
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    elsewhere: tuple[Agreement, ...] = ()
    delivery_weight: float


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

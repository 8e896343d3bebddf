"""How much of the expected content a speech covers, and its grade."""

from typing import Literal

from pipeline.records.base import Record
from pipeline.records.passages import Passage


class ExpectedSentence(Record):
    """An expected sentence, and the most similar sentence of the speech.

    `part` is the id of its argument, or the number of its reference. `similarity` is the encoder's, None without one.
    `words` is the share of its content words that the speech's sentence has; rare words weigh more.
    """

    part: str
    text: str
    covered: bool
    similarity: float | None
    words: float
    said: Passage | None


class Coverage(Record):
    """How much of the expected content a speech covers, as a whole and sentence by sentence.

    `base_rouge` is the mean over the parts, `best_rouge` that of the best part. A measure that is not defined is None.
    `left_out` are content words that were expected and not said, the most expected first.
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
    """How many points one feature of an answer adds to the score of the average answer, or takes from it.

    `share` is its share in all points that features add and take.
    """

    name: str
    kind: Literal["content", "language", "delivery"]
    value: float
    points: float
    share: float


class Grade(Record):
    """The score that a model gives to a spoken answer. Nine of ten scores of people are between `low` and `high`.

    `lowest` and `highest` are the ends of the scale of the people, `average` is the score of the average answer.
    `kappa` is the quadratic weighted kappa between model and people, on prompts that the model had not seen.
    `second_person_kappa` is that between two people; None if only one person scored.
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

"""How much of the expected content a speech covers, and its grade."""

from typing import Literal

from pipeline.records.base import Record
from pipeline.records.passages import Passage


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

"""The record of `grade`."""

from typing import Literal

from pipeline.records import Record


class GradeReason(Record):
    """How many points one feature of an answer adds to the score of the average answer, or takes from it.

    `share` is its share in all points that features add and take.
    """

    name: str
    kind: Literal["content", "argument", "language", "delivery"]
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

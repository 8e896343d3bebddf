"""A score for a spoken answer, by a model that learned from answers that people scored."""

from pipeline.grade.model import (
    ARGUMENT,
    LENGTH,
    argument_features,
    content_features,
    delivery_features,
    language_features,
)
from pipeline.grade.stage import Grade, GradeReason

__all__ = [
    "ARGUMENT",
    "Grade",
    "GradeReason",
    "LENGTH",
    "argument_features",
    "content_features",
    "delivery_features",
    "language_features",
]

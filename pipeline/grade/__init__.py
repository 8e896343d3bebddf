"""A score for a spoken answer, by a model that learned from answers that people scored."""

from pipeline.grade.model import LENGTH, content_features, delivery_features, language_features
from pipeline.grade.record import Grade, GradeReason

__all__ = ["Grade", "GradeReason", "LENGTH", "content_features", "delivery_features", "language_features"]

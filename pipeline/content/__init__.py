"""How much of the expected content a speech covers (ROUGE for spoken content, ETS)."""

from pipeline.content.rouge import (
    Terms,
    content_vector,
    overlap,
    similarities,
    smoothed_idf,
    soft_recall,
    word_recalls,
)
from pipeline.content.stage import Coverage, ExpectedSentence

__all__ = [
    "Coverage",
    "ExpectedSentence",
    "Terms",
    "content_vector",
    "overlap",
    "similarities",
    "smoothed_idf",
    "soft_recall",
    "word_recalls",
]

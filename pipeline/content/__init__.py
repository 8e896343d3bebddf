"""How much of the expected content a speech covers (ROUGE for spoken content, ETS)."""

from pipeline.content.coverage import Terms, content_vector, overlap, smoothed_idf
from pipeline.content.record import Coverage, ExpectedSentence

__all__ = ["Coverage", "ExpectedSentence", "Terms", "content_vector", "overlap", "smoothed_idf"]

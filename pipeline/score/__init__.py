"""How many words a Transcript gets wrong: it is compared with the reference, and becomes WordErrors."""

from pipeline.score.stage import AlignedChunk, WordErrors, aligned_positions, normaliser, word_errors

__all__ = ["AlignedChunk", "WordErrors", "aligned_positions", "normaliser", "word_errors"]

"""Sentence boundaries in unpunctuated transcripts."""

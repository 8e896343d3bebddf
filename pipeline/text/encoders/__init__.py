"""Texts and words as vectors, and models that read two texts together."""

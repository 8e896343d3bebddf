"""Which known arguments a speech mentions (Mirkin et al. 2018, Listening Comprehension over Argumentative Content)."""

from pipeline.mentions.stage import Carrier, Mention, Mentions

__all__ = ["Carrier", "Mention", "Mentions"]

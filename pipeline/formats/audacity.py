"""Audacity's label tracks (.txt): start and end in seconds, label."""

from pipeline.formats.annotation import Tier


def audacity(tier: Tier) -> str:
    """One tier as a label track."""
    return "".join(f"{each.start:.6f}\t{each.end:.6f}\t{' '.join(each.text.split())}\n" for each in tier.intervals)

"""Key points out of the arguments themselves: short sentences that many of them match."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.keypoints.candidates import Candidate, Style, candidates
from pipeline.argue.keypoints.matcher import Matcher, standing_out
from pipeline.argue.keypoints.selection import select
from pipeline.arrays import Scores

# Two key points that say the same score higher than an argument with its key point, for both are short. So near to one
# another are, of the experts' key points of one side in dev of ArgKP, one pair in ten.
SAME_ABOVE_THRESHOLD = 0.1


@dataclass(frozen=True)
class Generated:
    """Key points of one side of a topic, and the scores of all its texts with them: one row per text."""

    key_points: tuple[Candidate, ...]
    scores: Scores


def generate(
    topic: str,
    texts: Sequence[str],
    matcher: Matcher,
    *,
    style: Style = "written",
    fewest: int = 5,
    most: int = 10,
    most_words: int = 15,
    threshold: float | None = None,
) -> Generated:
    """Write key points for texts of one side of a topic, the one that most texts match first.

    `threshold` is the score from which on a text makes a key point; without it, the matcher's own.
    """
    pool = candidates(texts, topic, style=style, most_words=most_words)
    if not pool:
        return Generated((), np.zeros((len(texts), 0)))
    threshold = matcher.threshold if threshold is None else threshold
    written = [candidate.text for candidate in pool]
    matches = matcher.scores(topic, texts, written)
    similar = matcher.scores(topic, written, written)
    central = _centrality(matches)
    if style == "spoken":
        matches = standing_out(matches)
    chosen = select(
        matches,
        np.array([candidate.quality for candidate in pool]) * central,
        similar,
        threshold=threshold,
        same=threshold + SAME_ABOVE_THRESHOLD,
        fewest=fewest,
        most=most,
    )
    by_support = sorted(chosen, key=lambda column: -int((matches[:, column] >= threshold).sum()))
    return Generated(tuple(pool[column] for column in by_support), matches[:, by_support])


def _centrality(matches: Scores) -> Scores:
    """How near each candidate is to all that is said, against the one that is nearest: an aside is far from it."""
    nearness = np.clip(matches.mean(axis=0), 0, None)
    return np.asarray(nearness / (nearness.max() or 1.0), dtype=np.float64)

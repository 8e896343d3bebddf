"""Which candidates become key points.

The objective is a facility location: the sum, over all texts, of the score of the best key point that the text matches,
times how well that key point reads. It is submodular, so that picking greedily comes within 1 - 1/e of the best choice.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Scores

# After the fewest, a candidate must add at least this share of the number of texts to the objective.
_LEAST_SHARE = 0.02


def select(
    matches: Scores,
    quality: Sequence[float] | Scores,
    similar: Scores,
    *,
    threshold: float,
    same: float,
    fewest: int = 5,
    most: int = 10,
    least_texts: int = 1,
) -> list[int]:
    """The chosen columns of `matches`, in the order of what each adds.

    `matches` are the scores of texts (rows) with candidates (columns), `similar` those of candidates with one another.
    A candidate that scores `same` with a chosen one, in either direction, says the same and is not taken. After
    `fewest`, a candidate must add enough. One that fewer than `least_texts` match is taken only after all others, and
    only up to `fewest`.
    """
    covered = np.where(matches >= threshold, np.clip(matches, 0, None), 0.0) * np.asarray(quality)
    alike = np.maximum(similar, similar.T) >= same
    open_ = np.ones(matches.shape[1], dtype=bool)
    several = (matches >= threshold).sum(axis=0) >= least_texts
    reached = np.zeros(matches.shape[0])
    chosen: list[int] = []
    while open_.any() and len(chosen) < most:
        gains = np.where(open_, np.maximum(covered - reached[:, None], 0.0).sum(axis=0), -1.0)
        if len(chosen) >= fewest or gains[several].max(initial=0) > 0:
            gains = np.where(several, gains, -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0 or (len(chosen) >= fewest and gains[best] < _LEAST_SHARE * len(matches)):
            break
        chosen.append(best)
        reached = np.maximum(reached, covered[:, best])
        open_ &= ~alike[best]
        open_[best] = False
    return chosen

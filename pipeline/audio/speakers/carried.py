"""Which voices are known already: a speaker who is heard in one window is heard again in those that overlap it."""

import numpy as np
from numpy.typing import NDArray

# A speaker of one window is that of another if they speak together for at least this share of what the first says.
_SAME = 0.5


def voice_sources(active: NDArray[np.floating], step: float, every: int) -> NDArray[np.intp]:
    """Where the voice of each speaker of each window is taken from: (windows, speakers, 2) with window and speaker.

    `active` (windows, frames, speakers) says who speaks when in each window; a window begins `step` of its length after
    the one before. Voices are taken from every so many windows and from the last one. Between them, a speaker has the
    voice of whom they speak together with in one of the two nearest of these windows, otherwise a voice of their own.
    """
    windows, _, speakers = active.shape
    sources = np.stack(np.meshgrid(np.arange(windows), np.arange(speakers), indexing="ij"), axis=-1)
    known = np.unique([*range(0, windows, every), windows - 1])
    for window in np.setdiff1d(np.arange(windows), known):
        shares = np.zeros(speakers)
        place = int(np.searchsorted(known, window))
        around = known[max(0, place - 2) : place + 2]
        for nearest in around[np.argsort(np.abs(around - window), kind="stable")[:2]]:
            for mine, theirs, share in _matches(active[window], active[nearest], (window - nearest) * step):
                if share >= max(_SAME, shares[mine] + 1e-9):
                    shares[mine] = share
                    sources[window, mine] = nearest, theirs
    return sources


def _matches(later: NDArray[np.floating], earlier: NDArray[np.floating], shift: float) -> list[tuple[int, int, float]]:
    """Speakers of two windows that are the same: both, and the share of the first one's speech that is common.

    The first window begins `shift` of a window's length after the second.
    """
    from scipy.optimize import linear_sum_assignment

    frames = round(abs(shift) * len(later))
    mine, theirs = (later, earlier[frames:]) if shift >= 0 else (later[frames:], earlier)
    length = min(len(mine), len(theirs))
    common = mine[:length].T @ theirs[:length]
    spoken = np.maximum(1, later.sum(axis=0))
    return [(i, j, common[i, j] / spoken[i]) for i, j in zip(*linear_sum_assignment(-common), strict=True)]

"""Which voices of a recording are the same speaker's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyannote.audio.pipelines.clustering import AgglomerativeClustering
from scipy.spatial.distance import cdist

# Which voices of a recording are the same speaker's, in memory that does not grow with the recording.
#
# Import it by `pipeline.diarize.diarization`.

# Voices that are compared with one another: about as many as an hour has. Their distances take 200 MB.
MOST_VOICES = 5000
# A voice that is heard once or twice is no speaker, however few of all voices are looked at.
_FEWEST_VOICES = 3


class BoundedClustering(AgglomerativeClustering):  # type: ignore[misc]
    """pyannote's clustering. Of more than MOST_VOICES voices only so many, evenly spread in time, make the speakers.

    Each voice is then the speaker's whose mean voice is nearest.
    """

    def cluster(self, embeddings: NDArray[np.floating[Any]], **bounds: int | None) -> NDArray[np.integer[Any]]:
        """The speaker of each voice (voices, dimension), from 0."""
        voices = len(embeddings)
        if voices <= MOST_VOICES:
            found: NDArray[np.integer[Any]] = super().cluster(embeddings, **bounds)
            return found
        sample = embeddings[np.linspace(0, voices - 1, MOST_VOICES).astype(int)]
        fewest = max(_FEWEST_VOICES, round(self.min_cluster_size * MOST_VOICES / voices))
        of_sample = AgglomerativeClustering(metric=self.metric).instantiate(
            {"method": self.method, "threshold": self.threshold, "min_cluster_size": min(self.min_cluster_size, fewest)}
        )
        found = of_sample.cluster(sample, **bounds)  # which brings the sample to unit length
        means = np.stack([sample[found == speaker].mean(axis=0) for speaker in range(found.max() + 1)])
        return np.asarray(cdist(embeddings, means, metric=self.metric).argmin(axis=1))


# Which voices are known already: a speaker who is heard in one window is heard again in those that overlap it.

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

"""Which voices of a recording are the same speaker's, in memory that does not grow with the recording.

Import it by `pipeline.audio.speakers.diarization`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyannote.audio.pipelines.clustering import AgglomerativeClustering
from scipy.spatial.distance import cdist

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

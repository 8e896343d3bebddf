"""Voices of a long recording are put together to speakers by a bounded number of them."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

DIMENSION = 192
PARAMETERS = {"method": "centroid", "threshold": 0.7, "min_cluster_size": 12}
Voices = NDArray[np.float64]


@pytest.fixture(autouse=True)
def few_voices(monkeypatch: pytest.MonkeyPatch) -> int:
    from pipeline.diarize.diarization import import_pyannote

    import_pyannote()
    from pipeline.diarize import clustering

    monkeypatch.setattr(clustering, "MOST_VOICES", 600)
    return 600


def bounded() -> Any:
    from pipeline.diarize.clustering import BoundedClustering

    return BoundedClustering().instantiate(PARAMETERS)


def voices(shares: tuple[float, ...], count: int) -> tuple[Voices, NDArray[np.int64]]:
    """Voices of as many speakers as there are shares, and whose each is."""
    random = np.random.default_rng(0)
    speakers = random.choice(len(shares), count, p=shares)
    centres = random.normal(size=(len(shares), DIMENSION))
    return centres[speakers] + random.normal(scale=0.4, size=(count, DIMENSION)), speakers


def test_few_voices_are_clustered_as_pyannote_does(few_voices: int) -> None:
    from pyannote.audio.pipelines.clustering import AgglomerativeClustering

    given, _ = voices((0.5, 0.3, 0.2), few_voices)
    theirs = AgglomerativeClustering().instantiate(PARAMETERS)
    for bounds in ({}, {"num_clusters": 2}):
        limits = {"min_clusters": 1, "max_clusters": len(given)} | bounds
        assert np.array_equal(bounded().cluster(given.copy(), **limits), theirs.cluster(given.copy(), **limits))


def test_many_voices_have_their_speakers(few_voices: int) -> None:
    """Also those who speak seldom; a noise that is no voice of anybody's is no speaker of its own."""
    given, speakers = voices((0.4, 0.3, 0.15, 0.1, 0.03, 0.02), 10 * few_voices)
    noises = np.random.default_rng(1).choice(len(given), 20, replace=False)
    given[noises] = np.random.default_rng(2).normal(size=(20, DIMENSION))
    found = bounded().cluster(given, min_clusters=1, max_clusters=len(given))
    clean = np.delete(np.arange(len(given)), noises)
    assert adjusted_rand_score(speakers[clean], found[clean]) == 1.0
    assert len(set(found)) == 6


def test_the_number_of_speakers_of_many_voices_can_be_told(few_voices: int) -> None:
    given, _ = voices((0.4, 0.3, 0.2, 0.1), 3 * few_voices)
    assert len(set(bounded().cluster(given, min_clusters=2, max_clusters=2, num_clusters=2))) == 2


def test_memory_grows_no_faster_than_the_voices(few_voices: int) -> None:
    given, _ = voices((0.5, 0.5), 30 * few_voices)
    tracemalloc.start()
    bounded().cluster(given, min_clusters=1, max_clusters=len(given))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < given.nbytes  # all distances between them would take 47 times as much

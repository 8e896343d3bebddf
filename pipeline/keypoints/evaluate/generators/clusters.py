"""clusters: of each group of similar sentences the one nearest to all the others."""

import numpy as np

from pipeline.keypoints.candidates import candidates
from pipeline.keypoints.evaluate.writing import Generator, Side


def _write(side: Side) -> list[list[str]]:
    from sklearn.cluster import AgglomerativeClustering

    texts = [each.text for each in candidates(side.texts, side.topic, style="written")]
    if len(texts) <= side.count:
        return [texts]
    similar = side.matcher.scores(side.topic, texts, texts)
    similar = (similar + similar.T) / 2
    clustering = AgglomerativeClustering(n_clusters=max(side.count, 1), metric="precomputed", linkage="average")
    labels = clustering.fit_predict(similar.max() - similar)
    central = [
        max(np.flatnonzero(labels == label), key=lambda place: similar[place, labels == label].sum())
        for label in np.unique(labels)
    ]
    return [[texts[place] for place in central]]


GENERATOR = Generator("clusters", place=30, write=_write)

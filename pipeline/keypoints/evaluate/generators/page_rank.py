"""page rank: the most important sentences by PageRank, where sentences that match are linked.

A system of the task wrote like this (Alshomary et al. 2021): a sentence is important if important sentences match it. A
sentence that says the same as an earlier one is left out.
"""

import networkx
import numpy as np

from pipeline.keypoints.candidates import candidates
from pipeline.keypoints.evaluate.writing import Generator, Side
from pipeline.keypoints.generation import SAME_ABOVE_THRESHOLD

_DAMPING = 0.85


def _write(side: Side) -> list[list[str]]:
    pool = candidates(side.texts, side.topic, style="written")
    texts = [each.text for each in pool]
    if not texts:
        return [[]]
    similar = side.matcher.scores(side.topic, texts, texts)
    np.fill_diagonal(similar, 0.0)
    graph = networkx.from_numpy_array(np.where(similar >= side.matcher.threshold, similar, 0.0))
    quality = {place: each.quality for place, each in enumerate(pool)}
    rank = networkx.pagerank(graph, alpha=_DAMPING, personalization=quality, weight="weight")
    same = np.maximum(similar, similar.T) >= side.matcher.threshold + SAME_ABOVE_THRESHOLD
    chosen: list[int] = []
    for place in sorted(rank, key=lambda each: (-rank[each], texts[each])):
        if len(chosen) < side.count and not same[place, chosen].any():
            chosen.append(place)
    return [[texts[place] for place in chosen]]


GENERATOR = Generator("page rank", place=20, write=_write)

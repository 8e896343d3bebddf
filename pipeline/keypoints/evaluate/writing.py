"""Track 2 of KPA 2021: key points written by rostrum and by other methods, beside those of the experts.

Three figures need no people: the share of arguments that make one of the key points, the share of key points that say
the same as another, and the share of the experts' key points that one of them repeats. The matcher that wrote judges
its own work. Other matchers judge it as well, because a matcher is likely to find what it was looking for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import networkx
import numpy as np

from pipeline.arrays import Floats, Indices, Matrix
from pipeline.evaluation.result import Row
from pipeline.keypoints.candidates import candidates
from pipeline.keypoints.evaluate.data import Group, Part, Statement
from pipeline.keypoints.evaluate.matching import Figures, means
from pipeline.keypoints.generation import SAME_ABOVE_THRESHOLD, generate
from pipeline.keypoints.llm_writer import LlmWriter
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matcher import Matcher

EXPERTS = "experts' key points"
WRITTEN = "written key points"
# PageRank's chance of following a link, and how many sets are drawn by chance.
_DAMPING = 0.85
_DRAWS = 20


@dataclass(frozen=True)
class Side:
    """What a way to write key points reads: the texts of one side of a topic, those of the other side, and the matcher.

    `count` is how many key points to write: as many as rostrum writes, so that sets can be compared. `asked` is the
    large language model, if one is to write.
    """

    topic: str
    texts: Sequence[str]
    others: Sequence[str]
    matcher: Matcher
    count: int
    random: np.random.Generator
    asked: LargeModel | None = None


def _by_rostrum(side: Side) -> list[list[str]]:
    generated = generate(side.topic, side.texts, side.matcher, others=side.others)
    return [[candidate.text for candidate in generated.key_points]]


def _by_large_model(side: Side) -> list[list[str]]:
    if side.asked is None:
        return []
    key_points = LlmWriter(side.asked).written(side.topic, side.texts, most=max(side.count, 1))
    return [[key_point.text for key_point in key_points]]


def _by_page_rank(side: Side) -> list[list[str]]:
    """The most important sentences by PageRank, where sentences that match are linked, as by Alshomary et al. (2021).

    A sentence that says the same as an earlier one is left out.
    """
    pool = candidates(side.texts, side.topic)
    texts = [candidate.text for candidate in pool]
    if not texts:
        return [[]]
    similar = side.matcher.scores(side.topic, texts, texts)
    np.fill_diagonal(similar, 0.0)
    graph = networkx.from_numpy_array(np.where(similar >= side.matcher.threshold, similar, 0.0))
    quality = {index: candidate.quality for index, candidate in enumerate(pool)}
    rank = networkx.pagerank(graph, alpha=_DAMPING, personalization=quality, weight="weight")
    same = np.maximum(similar, similar.T) >= side.matcher.threshold + SAME_ABOVE_THRESHOLD
    chosen: list[int] = []
    for index in sorted(rank, key=lambda index: (-rank[index], texts[index])):
        if len(chosen) < side.count and not same[index, chosen].any():
            chosen.append(index)
    return [[texts[index] for index in chosen]]


def _by_clusters(side: Side) -> list[list[str]]:
    """Of each group of similar sentences the one nearest to all the others."""
    from sklearn.cluster import AgglomerativeClustering

    texts = [candidate.text for candidate in candidates(side.texts, side.topic)]
    if len(texts) <= side.count:
        return [texts]
    similar = side.matcher.scores(side.topic, texts, texts)
    similar = (similar + similar.T) / 2
    clustering = AgglomerativeClustering(n_clusters=max(side.count, 1), metric="precomputed", linkage="average")
    labels = clustering.fit_predict(similar.max() - similar)
    np.fill_diagonal(similar, 0.0)
    central = [_central(np.flatnonzero(labels == label), similar, texts) for label in np.unique(labels)]
    return [[texts[index] for index in central]]


def _central(cluster: Indices, similar: Matrix, texts: Sequence[str]) -> int:
    """The sentence nearest to the others; of equal ones, as two always are, the shortest: last bits decide nothing."""
    nearness = similar[np.ix_(cluster, cluster)].sum(axis=1).round(6)
    _, _, central = min(zip(-nearness, (len(texts[index]) for index in cluster), cluster, strict=True))
    return int(central)


def _by_chance(side: Side) -> list[list[str]]:
    """Several sets of candidates drawn by chance."""
    texts = [candidate.text for candidate in candidates(side.texts, side.topic)]
    count = min(side.count, len(texts))
    draws = (side.random.choice(len(texts), size=count, replace=False) for _ in range(_DRAWS))
    return [[texts[index] for index in draw] for draw in draws] if count else [[]]


# Ways to write key points by the names of their rows, in the order of the table. Each returns one set of key points,
# several if it draws by chance, or none if it lacks something.
GENERATORS: dict[str, Callable[[Side], list[list[str]]]] = {
    WRITTEN: _by_rostrum,
    "large language model": _by_large_model,
    "page rank": _by_page_rank,
    "clusters": _by_clusters,
    "random sentences": _by_chance,
}


@dataclass(frozen=True)
class Written:
    """The sets of key points for one group, by method; a method that draws by chance has several."""

    group: Group
    sets: dict[str, list[list[str]]]

    def statements(self, method: str) -> list[Statement]:
        """The first set of a method as the task has it, with ids of their own."""
        topic = "".join(letter if letter.isalnum() else "_" for letter in self.group.topic.lower())
        return [
            Statement(f"kp_{topic}_{self.group.stance}_{number}", text, self.group.topic, self.group.stance)
            for number, text in enumerate(self.sets[method][0])
        ]

    def lines(self, matcher: Matcher) -> Iterator[str]:
        """The written key points beside the experts', each with how many arguments make it best."""
        yield f"{self.group.topic} ({self.group.stance}, {len(self.group.arguments)} arguments)"
        texts = self.sets[WRITTEN][0]
        scores = matcher.scores(self.group.topic, self.group.argument_texts, texts)
        for text, count in zip(texts, _best_counts(scores, matcher.threshold), strict=True):
            yield f"  written  {count:4d}  {text}"
        labelled = (self.group.labels == 1).sum(axis=0)
        for point, count in zip(self.group.key_points, labelled, strict=True):
            yield f"  expert   {count:4d}  {point.text}"


def write_all(part: Part, matcher: Matcher, *, seed: int = 0, asked: LargeModel | None = None) -> list[Written]:
    """Write key points for every group of a part by every method; by a large language model if one is `asked`."""
    return [_written(group, part.groups, matcher, seed, asked) for group in part.groups]


def _written(group: Group, groups: Iterable[Group], matcher: Matcher, seed: int, asked: LargeModel | None) -> Written:
    opponents = [other for other in groups if other.topic == group.topic and other is not group]
    others = [text for other in opponents for text in other.argument_texts]
    sets: dict[str, list[list[str]]] = {}
    for name, write in GENERATORS.items():
        count = len(sets[WRITTEN][0]) if WRITTEN in sets else 0
        random = np.random.default_rng(seed)
        side = Side(group.topic, group.argument_texts, others, matcher, count, random, asked)
        if key_points := write(side):
            sets[name] = key_points
    if group.key_points:
        sets[EXPERTS] = [group.point_texts]
    return Written(group, sets)


def writing_rows(written: Sequence[Written], judges: Sequence[Matcher]) -> Iterator[Row]:
    """The figures by each judge over all groups, then by the first judge, who wrote, group by group."""
    methods = list(dict.fromkeys(method for group in written for method in group.sets))
    for judge in judges:
        for method in methods:
            counts = [_counted(group, method, judge) for group in written if method in group.sets]
            yield {"method": method, "judge": judge.name, **means(counts)}
    for side in written:
        about: Row = {"topic": side.group.topic, "stance": side.group.stance, "arguments": len(side.group.arguments)}
        for method in side.sets:
            yield {"method": method, "judge": judges[0].name, **_counted(side, method, judges[0]), **about}


def _counted(written: Written, method: str, judge: Matcher) -> Figures:
    """The mean figures of the method's sets."""
    return means([_count(written.group, texts, judge) for texts in written.sets[method]])


def _count(group: Group, texts: Sequence[str], judge: Matcher) -> Figures:
    """The figures of a set of key points, by a judge; `experts_found` is None without experts' key points."""
    experts = group.point_texts
    if not texts:
        recall = 0.0 if experts else None
        soft = {"soft_precision": None, "soft_recall": recall, "soft_f1": recall}
        return {"key_points": 0, "covered": 0.0, "redundant": 0.0, "experts_found": recall, **soft}
    covered = judge.scores(group.topic, group.argument_texts, texts).max(axis=1) >= judge.threshold
    among = judge.scores(group.topic, texts, texts)
    np.fill_diagonal(among, -np.inf)
    same = judge.threshold + SAME_ABOVE_THRESHOLD
    matched = judge.scores(group.topic, experts, texts) if experts else None
    repeated = matched.max(axis=1) >= same if matched is not None else None
    return {
        "key_points": len(texts),
        "covered": float(covered.mean()),
        "redundant": float((among.max(axis=1) >= same).mean()),
        "experts_found": None if repeated is None else float(repeated.mean()),
        **soft_matches(matched),
    }


def soft_matches(scores: Matrix | None) -> dict[str, float | None]:
    """Precision, recall and F1 of a set by how similar each key point is to the nearest one of the other set.

    `scores` has one row per reference and one column per key point that was written. Work on generation reports these
    beside thresholds: precision is the mean over what was written, recall the mean over the references.

    >>> soft_matches(np.array([[0.9, 0.1, 0.2], [0.3, 0.2, 0.4]]))["soft_recall"]
    0.65
    """
    if scores is None or not scores.size:
        return {"soft_precision": None, "soft_recall": None, "soft_f1": None}
    within = np.clip(scores, 0.0, 1.0)
    precision, recall = float(within.max(axis=0).mean()), float(within.max(axis=1).mean())
    total = precision + recall
    return {
        "soft_precision": precision,
        "soft_recall": recall,
        "soft_f1": 2 * precision * recall / total if total else 0.0,
    }


def prevalence(group: Group, texts: Sequence[str], matcher: Matcher) -> list[float]:
    """The share of a group's arguments that make each key point, if every argument makes only its best one."""
    scores = matcher.scores(group.topic, group.argument_texts, texts)
    return [count / len(group.arguments) for count in _best_counts(scores, matcher.threshold)]


def _best_counts(scores: Floats, threshold: float) -> list[int]:
    """How many texts make each key point, if every text makes only its best one."""
    if not scores.size:
        return [0] * scores.shape[1]
    best = scores.argmax(axis=1)[scores.max(axis=1) >= threshold]
    return [int(count) for count in np.bincount(best, minlength=scores.shape[1])]

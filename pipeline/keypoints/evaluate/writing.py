"""Track 2 of KPA 2021: key points written by rostrum and by other methods, beside those of the experts.

Three figures need no people: the share of arguments that make one of the key points, the share of key points that say
the same as another, and the share of the experts' key points that one of them repeats. The matcher that wrote judges
its own work. Other matchers judge it as well, because a matcher is likely to find what it was looking for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats
from pipeline.evaluation.result import Row
from pipeline.family import Family
from pipeline.keypoints.evaluate.data import Group, Part, Statement
from pipeline.keypoints.evaluate.scoring import Figures, means
from pipeline.keypoints.generation import SAME_ABOVE_THRESHOLD
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matcher import Matcher

GENERATORS = Family("pipeline.keypoints.evaluate.generators", "way to write key points")
EXPERTS = "experts' key points"
WRITTEN = "written key points"


@dataclass(frozen=True)
class Side:
    """The inputs of a generator: the texts of one side of a topic, those of the other side, and the matcher.

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


@dataclass(frozen=True)
class Generator:
    """A way to write key points, as its file registers it under the name `GENERATOR`.

    `write` returns one set of key points, several if it draws by chance, or none if it lacks something. Rows are in the
    order of `place`.
    """

    name: str
    place: int
    write: Callable[[Side], list[list[str]]]


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
    generators = sorted((module.GENERATOR for module in GENERATORS.all()), key=lambda each: each.place)
    return [_written(group, part.groups, generators, matcher, seed, asked) for group in part.groups]


def _written(
    group: Group,
    groups: Iterable[Group],
    generators: Iterable[Generator],
    matcher: Matcher,
    seed: int,
    asked: LargeModel | None,
) -> Written:
    others = [
        text for each in groups if each.topic == group.topic and each is not group for text in each.argument_texts
    ]
    sets: dict[str, list[list[str]]] = {}
    for generator in generators:
        count = len(sets[WRITTEN][0]) if WRITTEN in sets else 0
        random = np.random.default_rng(seed)
        side = Side(group.topic, group.argument_texts, others, matcher, count, random, asked)
        if found := generator.write(side):
            sets[generator.name] = found
    if group.key_points:
        sets[EXPERTS] = [group.point_texts]
    return Written(group, sets)


def writing_rows(written: Sequence[Written], judges: Sequence[Matcher]) -> Iterator[Row]:
    """The figures by each judge over all groups, then by the first judge, who wrote, group by group."""
    methods = list(dict.fromkeys(method for each in written for method in each.sets))
    for judge in judges:
        for method in methods:
            counts = [_counted(each, method, judge) for each in written if method in each.sets]
            yield {"method": method, "judge": judge.name, **means(counts)}
    for each in written:
        about: Row = {"topic": each.group.topic, "stance": each.group.stance, "arguments": len(each.group.arguments)}
        for method in each.sets:
            yield {"method": method, "judge": judges[0].name, **_counted(each, method, judges[0]), **about}


def _counted(written: Written, method: str, judge: Matcher) -> Figures:
    """The mean figures of the method's sets."""
    return means([_count(written.group, texts, judge) for texts in written.sets[method]])


def _count(group: Group, texts: Sequence[str], judge: Matcher) -> Figures:
    """The figures of a set of key points, by a judge; without experts' key points there is nothing for it to find."""
    experts = group.point_texts
    if not texts:
        return {"key_points": 0, "covered": 0.0, "redundant": 0.0, "experts_found": 0.0 if experts else None}
    covered = judge.scores(group.topic, group.argument_texts, texts).max(axis=1) >= judge.threshold
    among = judge.scores(group.topic, texts, texts)
    np.fill_diagonal(among, -np.inf)
    same = judge.threshold + SAME_ABOVE_THRESHOLD
    found = judge.scores(group.topic, experts, texts).max(axis=1) >= same if experts else None
    return {
        "key_points": len(texts),
        "covered": float(covered.mean()),
        "redundant": float((among.max(axis=1) >= same).mean()),
        "experts_found": None if found is None else float(found.mean()),
    }


def _best_counts(scores: Floats, threshold: float) -> list[int]:
    """How many texts make each key point, if every text makes only its best one."""
    if not scores.size:
        return [0] * scores.shape[1]
    makes = scores.max(axis=1) >= threshold
    best = scores.argmax(axis=1)[makes]
    return [int(count) for count in np.bincount(best, minlength=scores.shape[1])]

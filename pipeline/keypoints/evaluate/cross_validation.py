"""Matching on all labelled topics: by what was learned from the topics of other folds, or by what learns nothing."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import Part, part_names, read_part
from pipeline.keypoints.evaluate.matchers import fine_tuned, learned_weights, unlearned
from pipeline.keypoints.evaluate.matching import READINGS, MethodScores, matching_rows, people_rows
from pipeline.keypoints.evaluate.table import tables
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER


def labelled_parts(data: Path) -> Part:
    """All labelled parts of a folder as one."""
    parts = [part for part in (read_part(data, name) for name in part_names(data)) if part.labels]
    if not parts:
        raise RostrumError(f"{data}: no part of it has labels")
    return Part(
        " and ".join(part.name for part in parts),
        tuple(argument for part in parts for argument in part.arguments),
        tuple(point for part in parts for point in part.key_points),
        {pair: label for part in parts for pair, label in part.labels.items()},
        tuple(remark for part in parts for remark in part.remarks),
    )


def of_topics(part: Part, topics: Sequence[str]) -> Part:
    """The arguments and key points of some topics, with their labels."""
    arguments = tuple(argument for argument in part.arguments if argument.topic in topics)
    key_points = tuple(point for point in part.key_points if point.topic in topics)
    ids = {argument.id for argument in arguments}
    labels = {pair: label for pair, label in part.labels.items() if pair[0] in ids}
    return Part(part.name, arguments, key_points, labels)


def folds(part: Part, count: int, seed: int) -> list[list[str]]:
    """The topics in random order, cut into `count` parts."""
    topics = list(dict.fromkeys(group.topic for group in part.groups))
    if not 2 <= count <= len(topics):
        raise RostrumError(f"--folds {count}: there are {len(topics)} topics; give 2 to {len(topics)}")
    order = [topics[index] for index in np.random.default_rng(seed).permutation(len(topics))]
    return [order[start::count] for start in range(count)]


def evaluate_topics(
    data: Path,
    count: int | None,
    *,
    encoder: str = DEFAULT_ENCODER,
    people: Path | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Evaluation:
    """Matching on all labelled topics in so many folds, and how methods differ. Without folds, nothing is learned.

    `people` has what each person decided on pairs of the data.
    """
    part = labelled_parts(data)
    if count:
        scored = cross_validated(part, count, encoder=encoder, seed=seed, progress=progress)
    else:
        scored = [MethodScores.of(matcher, part) for matcher in unlearned(encoder)]
    rows = tuple(matching_rows(part, scored, seed))
    facts = signature(
        "numpy",
        "sentence-transformers",
        seed=seed,
        figures=f"{part.name} of {data.name}",
        learned_from=f"the topics of the other of {count} folds" if count else "nothing",
        bootstrap="topics",
    )
    notes = (*part.remarks, *differences(rows))
    rows += tuple(people_rows(people, part, scored)) if people else ()
    return Evaluation(name="keypoints", signature=facts, rows=rows, notes=notes, tables=tables(rows))


def cross_validated(part: Part, count: int, *, encoder: str, seed: int, progress: Progress) -> list[MethodScores]:
    """Each group's scores by matchers that have learned from the topics of the other folds."""
    matrices: dict[str, dict[tuple[str, str], tuple[Matrix, ...]]] = {}
    parts = folds(part, count, seed)
    for number, held_out in enumerate(parts):
        training = of_topics(part, [topic for fold in parts for topic in fold if fold is not held_out])

        def in_fold(share: float, what: str, number: int = number) -> None:
            progress((number + share) / count, f"fold {number + 1} of {count}, {what}")

        weights, _ = learned_weights(training, None, encoder, in_fold)
        for matcher in (*unlearned(encoder), *fine_tuned(weights)):
            for group in of_topics(part, held_out).groups:
                matrices.setdefault(matcher.name, {})[group.topic, group.stance] = (group.scores(matcher),)
    return [
        MethodScores(name, tuple(by_group[group.topic, group.stance] for group in part.groups))
        for name, by_group in matrices.items()
    ]


def differences(rows: Sequence[Row]) -> Iterator[str]:
    """For each two methods, the mean difference over groups with its interval over topics, as a line of text."""
    of_groups = [row for row in rows if "topic" in row and row["scorer"] == "leaderboard"]
    by_method = grouped((row["method"], row) for row in of_groups)
    for other, one in combinations(by_method, 2):
        for reading in READINGS:
            difference = _difference(by_method[one], by_method[other], f"{reading}_expected")
            yield f"{one} over {other}, {reading}: {difference}"


def _difference(ours: Sequence[Row], theirs: Sequence[Row], figure: str) -> str:
    figures = ((row["topic"], row[figure], rival[figure]) for row, rival in zip(ours, theirs, strict=True))
    known = ((topic, a - b) for topic, a, b in figures if isinstance(a, float) and isinstance(b, float))
    topics = list(grouped(known).values())
    low, high = bootstrap_interval(topics, pooled_mean)
    mean = float(np.mean([difference for topic in topics for difference in topic]))
    better = sum(float(np.mean(topic)) > 0 for topic in topics)
    interval = f" [{low:+.3f}, {high:+.3f}]" if low is not None else ""
    return f"{mean:+.3f}{interval}, higher on {better} of {len(topics)} topics"

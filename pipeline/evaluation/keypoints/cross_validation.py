"""Matching on all labelled topics: each scored by what was learned from the other topics, or by what learns nothing."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from pipeline.arrays import Matrix
from pipeline.evaluation.keypoints.data import Part
from pipeline.evaluation.keypoints.matchers import fine_tuned, unlearned
from pipeline.evaluation.keypoints.matching_rows import MethodScores, matching_rows
from pipeline.evaluation.keypoints.parts import folds, labelled_parts, of_topics
from pipeline.evaluation.keypoints.scoring import READINGS
from pipeline.evaluation.keypoints.titled_rows import tables
from pipeline.evaluation.keypoints.training.fitting import learned_weights
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures.intervals import bootstrap_interval, pooled_mean
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER


def evaluate_topics(
    data: Path,
    count: int | None,
    *,
    encoder: str = DEFAULT_ENCODER,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Evaluation:
    """Matching on all labelled topics in so many folds, and how methods differ. Without folds, nothing is learned."""
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
        MethodScores(name, tuple(found[group.topic, group.stance] for group in part.groups))
        for name, found in matrices.items()
    ]


def differences(rows: Sequence[Row]) -> Iterator[str]:
    """For each two methods, the mean difference over groups with its interval over topics, as a line of text."""
    of_groups = [row for row in rows if "topic" in row and row["scorer"] == "leaderboard"]
    by_method = grouped((row["method"], row) for row in of_groups)
    for other, one in combinations(by_method, 2):
        for reading in READINGS:
            found = _difference(by_method[one], by_method[other], f"{reading}_expected")
            yield f"{one} over {other}, {reading}: {found}"


def _difference(ours: Sequence[Row], theirs: Sequence[Row], figure: str) -> str:
    figures = ((row["topic"], row[figure], rival[figure]) for row, rival in zip(ours, theirs, strict=True))
    known = ((topic, a - b) for topic, a, b in figures if isinstance(a, float) and isinstance(b, float))
    topics = list(grouped(known).values())
    low, high = bootstrap_interval(topics, pooled_mean)
    mean = float(np.mean([difference for topic in topics for difference in topic]))
    better = sum(float(np.mean(topic)) > 0 for topic in topics)
    interval = f" [{low:+.3f}, {high:+.3f}]" if low is not None else ""
    return f"{mean:+.3f}{interval}, higher on {better} of {len(topics)} topics"

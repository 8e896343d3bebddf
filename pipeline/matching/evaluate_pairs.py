"""Which sentences make one point, and on which side each is, on topics that were not learned from."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Floats, Mask, Matrix
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.keypoints.evaluate.data import UNDECIDED, read_part
from pipeline.matching.evaluate.lessons import Debated, Lesson, lessons_of_clusters, read_claim_stance, read_perspectrum
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.matching.pairs import AGAINST, FOR, PairEncoder, load_pairs
from pipeline.measures import pooled_mean, with_interval
from pipeline.progress import Progress, no_progress


@click.command()
@click.option("--weights", type=result.FILE, help="What `rostrum train pairs` wrote. Default: in the model cache.")
def command(data: Path, test: Path | None, progress: Progress, weights: Path | None) -> Evaluation:
    """Which sentences make one point, and on which side each is, on topics that were not learned from.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance. Nothing is learned here: --test only names
    another folder.
    """
    from pipeline.matching.pairs import trained_file

    return evaluate(test or data, weights or trained_file(), progress=progress)


RIVALS = ("token overlap", "all-MiniLM-L6-v2", "bge-small-en-v1.5-int8", "tuned")
# What the papers report of the same test parts.
PUBLISHED: tuple[Row, ...] = (
    {"task": "side", "data": "claim stance, test", "method": "published: Bar-Haim et al. 2017a", "accuracy": 0.632},
    {"task": "side", "data": "claim stance, test", "method": "published: Bar-Haim et al. 2017b", "accuracy": 0.691},
    {"task": "side", "data": "Perspectrum, test", "method": "published: BERT-base, Chen et al. 2019", "f1": 0.708},
    {"task": "side", "data": "Perspectrum, test", "method": "published: people, Chen et al. 2019", "f1": 0.909},
)
Scorer = Callable[[str, Sequence[str], Sequence[str]], Matrix]


def evaluate(folder: Path, weights: Path, *, progress: Progress = no_progress) -> Evaluation:
    """The figures of both tasks, on parts that nothing was learned from."""
    pairs = load_pairs(weights)
    claims = read_claim_stance(folder / "ibm-claim-stance", "test")
    perspectives = read_perspectrum(folder / "perspectrum", "test")
    rows: list[Row] = []
    for share, (name, debates) in enumerate((("claim stance, test", claims), ("Perspectrum, test", perspectives))):
        progress(share / 4, f"sides: {name}")
        rows += _sides(name, debates, pairs)
    matchers = {name: load_matcher(name) for name in RIVALS}
    progress(0.5, "points")
    rows += _points("ArgKP, dev", list(_of_argkp(folder / "kpa2021")), pairs, matchers)
    rows += _points("Perspectrum, test", [lessons_of_clusters(debated) for debated in perspectives], pairs, matchers)
    return Evaluation(
        name="pairs",
        signature=signature("numpy", "torch", models={pairs.name: pairs.digest[:12]}, data=folder.resolve().name),
        rows=(*rows, *PUBLISHED),
        notes=(
            "accuracy: how often the side of a text on its topic is told; ap: average precision of all pairs of a text "
            "and a point of its topic; intervals are a bootstrap over topics",
        ),
    )


def _sides(name: str, debates: Sequence[Debated], pairs: PairEncoder) -> Iterator[Row]:
    """Accuracy where FOR and AGAINST are the only answers, beside the more frequent one."""
    said = [[(text, stand.supports) for stand in debated.stands for text in stand.texts] for debated in debates]
    supports = [np.array([side for _, side in texts], dtype=bool) for texts in said]
    frequent = np.concatenate(supports).mean() >= 0.5
    right = []
    for debated, texts, labels in zip(debates, said, supports, strict=True):
        shares = pairs.sides(pairs.vectors(debated.topic, [text for text, _ in texts]))
        right.append((shares[:, FOR] >= shares[:, AGAINST]) == labels)
    yield _side_row(name, "majority", [labels == frequent for labels in supports])
    yield _side_row(name, "pairs", right)


def _side_row(data: str, method: str, right: Sequence[Mask]) -> Row:
    row: Row = {"task": "side", "data": data, "method": method, **with_interval("accuracy", right, pooled_mean)}
    return {**row, "pairs": sum(map(len, right)), "topics": len(right)}


def _of_argkp(folder: Path) -> Iterator[Lesson]:
    """The sides of dev: pairs on which people did not agree are left out when they are scored."""
    for group in read_part(folder, "dev").groups:
        same = np.where(group.labels == UNDECIDED, np.nan, group.labels.astype(np.float64))
        none = np.zeros(0, dtype=np.int64)
        yield Lesson(group.topic, tuple(group.argument_texts), tuple(group.point_texts), same, none, none)


def _points(data: str, lessons: Sequence[Lesson], pairs: PairEncoder, matchers: dict[str, Matcher]) -> Iterator[Row]:
    def same(topic: str, texts: Sequence[str], points: Sequence[str]) -> Matrix:
        return pairs.same(pairs.vectors(topic, texts), pairs.vectors(topic, points))

    scorers: dict[str, Scorer] = {name: matcher.scores for name, matcher in matchers.items()} | {"pairs": same}
    usable = [lesson for lesson in lessons if lesson.texts and lesson.points]
    for name, scorer in scorers.items():
        scored = [_labelled(lesson, scorer(lesson.topic, lesson.texts, lesson.points)) for lesson in usable]
        precision = with_interval("ap", scored, _average_precision, samples=200)
        count = sum(len(labels) for labels, _ in scored)
        yield {"task": "point", "data": data, "method": name, **precision, "pairs": count, "topics": len(usable)}


def _labelled(lesson: Lesson, scores: Matrix) -> tuple[Floats, Floats]:
    known = ~np.isnan(lesson.same)
    return lesson.same[known], np.asarray(scores)[known]


def _average_precision(scored: Sequence[tuple[Floats, Floats]]) -> float:
    from sklearn.metrics import average_precision_score

    labels, scores = (np.concatenate(parts) for parts in zip(*scored, strict=True))
    return float(average_precision_score(labels > 0.5, scores)) if labels.any() else float("nan")

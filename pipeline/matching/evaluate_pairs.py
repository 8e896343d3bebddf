"""Which sentences make one point, and on which side each is, on topics that were not learned from.

Nothing is made up: a pair without a label is not learned from.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
import numpy as np
from scipy.linalg import block_diag

from pipeline.arrays import Floats, Integers, Mask, Matrix
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import UNDECIDED, Group, Part, read_part
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.matching.weights import AGAINST, FOR, NEITHER, PairEncoder, load_pairs
from pipeline.measures import pooled_mean, with_interval
from pipeline.progress import Progress, no_progress

ATTRIBUTION = (
    "Learned from ArgKP (IBM Research, CDLA-Sharing-1.0), Perspectrum (Chen et al. 2019, CC-BY-SA 4.0) and IBM's Claim "
    "Stance Dataset (CC-BY-SA 3.0), their training parts"
)
# The middle of the votes that an undecided pair of ArgKP had.
UNDECIDED_VOTES = 0.35
UNKNOWN = -1.0
T = TypeVar("T")


@dataclass(frozen=True)
class Lesson:
    """Texts and points on one topic. `same` has one row per text, one column per point: how much of a match they are,
    or UNKNOWN. `sides` and `point_sides` say FOR, AGAINST or NEITHER.
    """

    topic: str
    texts: tuple[str, ...]
    points: tuple[str, ...]
    same: Floats
    sides: Integers
    point_sides: Integers

    def part(self, rows: Sequence[int], points: Sequence[int]) -> "Lesson":
        """Some of its texts and points."""
        return Lesson(
            self.topic,
            tuple(self.texts[row] for row in rows),
            tuple(self.points[column] for column in points),
            self.same[np.ix_(rows, points)],
            self.sides[list(rows)],
            self.point_sides[list(points)],
        )


# Claims with their stance: IBM's claim stance data and Perspectrum, each in its parts.

PartName = Literal["train", "dev", "test"]


def lessons(folder: Path, part: PartName) -> list[Lesson]:
    """The lessons of all data sets below a folder."""
    return [
        *_of_key_points(read_part(folder / "kpa2021", part)),
        *(lessons_of_clusters(debated) for debated in read_perspectrum(folder / "perspectrum", part)),
        *(_of_claims(debated) for debated in read_claim_stance(folder / "ibm-claim-stance", part)),
    ]


def _of_key_points(part: Part) -> Iterator[Lesson]:
    """Arguments of both sides of a topic with the key points of both; none makes a key point of the other side."""
    for topic, groups in grouped((group.topic, group) for group in part.groups).items():
        sides = [_side(group.stance == "pro") for group in groups]
        yield Lesson(
            topic,
            tuple(text for group in groups for text in group.argument_texts),
            tuple(text for group in groups for text in group.point_texts),
            block_diag(*map(_labelled, groups)),
            np.repeat(sides, [len(group.arguments) for group in groups]),
            np.repeat(sides, [len(group.key_points) for group in groups]),
        )


def _labelled(group: Group) -> Floats:
    """Labels as numbers; UNKNOWN for an argument that nobody was asked about."""
    same = np.where(group.labels == UNDECIDED, UNDECIDED_VOTES, group.labels.astype(np.float64))
    same[(group.labels == UNDECIDED).all(axis=1)] = UNKNOWN
    return np.asarray(same, dtype=np.float64)


@dataclass(frozen=True)
class Stand:
    """Texts that say the same of a topic, and whether they are for it."""

    texts: tuple[str, ...]
    supports: bool


@dataclass(frozen=True)
class Debated:
    """A topic and everything that is said for and against it."""

    topic: str
    stands: tuple[Stand, ...]


def lessons_of_clusters(debated: Debated) -> Lesson:
    """The texts of a cluster make the point of its first one."""
    texts = [(index, text) for index, stand in enumerate(debated.stands) for text in stand.texts[1:]]
    same = [[float(index == other) for other in range(len(debated.stands))] for index, _ in texts]
    point_sides = np.array([_side(stand.supports) for stand in debated.stands])
    return Lesson(
        debated.topic,
        tuple(text for _, text in texts),
        tuple(stand.texts[0] for stand in debated.stands),
        np.array(same).reshape(len(texts), len(debated.stands)),
        point_sides[[index for index, _ in texts]].reshape(-1),
        point_sides,
    )


def _of_claims(debated: Debated) -> Lesson:
    """A lesson on sides alone: nobody was asked which claims make one point."""
    sides = np.array([_side(stand.supports) for stand in debated.stands])
    texts = tuple(stand.texts[0] for stand in debated.stands)
    return Lesson(debated.topic, texts, (), np.zeros((len(texts), 0)), sides, np.zeros(0, dtype=np.int64))


def _side(supports: bool) -> int:
    return FOR if supports else AGAINST


def strays(lesson: Lesson, others: Sequence[Lesson], share: float, random: np.random.Generator) -> Lesson:
    """The lesson with some texts of other topics and some that argue nothing. They are on neither side."""
    count = int(random.binomial(len(lesson.texts), share))
    if not count:
        return lesson
    return replace(
        lesson,
        texts=(*lesson.texts, *(stray(others, lambda other: other.texts + other.points, random) for _ in range(count))),
        same=np.vstack([lesson.same, np.zeros((count, len(lesson.points)))]),
        sides=np.concatenate([lesson.sides, np.full(count, NEITHER)]),
    )


def stray(others: Sequence[T], texts_of: Callable[[T], Sequence[str]], random: np.random.Generator) -> str:
    """A text of one of the others, or, in two of five cases, one that argues nothing."""
    if random.random() < 0.4:
        return ARGUES_NOTHING[int(random.integers(len(ARGUES_NOTHING)))]
    texts = texts_of(others[int(random.integers(len(others)))]) or ARGUES_NOTHING
    return texts[int(random.integers(len(texts)))]


# What speakers say between their arguments.
ARGUES_NOTHING = (
    "Thank you very much, and good evening.",
    "My name is Sam and I am the first speaker.",
    "I have three arguments today.",
    "So let me begin with a definition.",
    "Let us now turn to my second point.",
    "What do I mean by that?",
    "First, I would like to talk about the context of this debate.",
    "Before I come to my own arguments, some responses.",
    "What did the other side tell us?",
    "They said three things in their speech.",
    "Let me give you an example.",
    "I will come back to that later.",
    "Okay, so what is the next question?",
    "Two things about this.",
    "For these reasons I ask you to vote with us.",
    "So that was the first argument.",
    "Now, moving on.",
    "How does this work in practice?",
    "Let us look at the status quo.",
    "I want to explain why that is.",
    "The second thing I want to talk about today.",
    "Ladies and gentlemen, dear judges.",
    "That is all I have to say.",
    "We heard a lot of things from the previous speaker.",
    "Why is this the case?",
    "And then there is another point.",
    "There are a few responses that I want to make to this.",
    "I am very happy to be here today.",
    "So imagine the following.",
    "In the meantime it had begun to rain, and we went home.",
    "He opened the door and looked at her for a long time.",
    "The book was written in the nineteenth century.",
    "It was about six o'clock when the train arrived.",
)


def read_claim_stance(folder: Path, part: PartName) -> list[Debated]:
    """IBM's claims of one part, by topic. It has no dev part."""
    topics: dict[str, list[Stand]] = {}
    columns = ("split", "topicText", "claims.claimCorrectedText", "claims.stance")
    for _, row in read_rows(folder / "claim_stance_dataset.csv", columns):
        if row["split"] == part:
            stand = Stand((row["claims.claimCorrectedText"],), row["claims.stance"] == "PRO")
            topics.setdefault(row["topicText"], []).append(stand)
    return [Debated(topic, tuple(stands)) for topic, stands in topics.items()]


def read_perspectrum(folder: Path, part: PartName) -> list[Debated]:
    """Perspectrum's claims of one part; a stand is a cluster of perspectives."""
    texts = {
        perspective["pId"]: perspective["text"].strip() for perspective in _json(folder / "perspective_pool_v1.0.json")
    }
    parts = _json(folder / "dataset_split_v1.0.json")
    return [
        Debated(claim["text"].strip(), tuple(_stands(claim["perspectives"], texts)))
        for claim in _json(folder / "perspectrum_with_answers_v1.0.json")
        if parts[str(claim["cId"])] == part
    ]


def _stands(clusters: list[dict[str, Any]], texts: dict[int, str]) -> Iterator[Stand]:
    for cluster in clusters:
        perspectives = tuple(dict.fromkeys(texts[number] for number in cluster["pids"] if texts[number]))
        if perspectives and cluster["stance_label_3"] in ("SUPPORT", "UNDERMINE"):
            yield Stand(perspectives, cluster["stance_label_3"] == "SUPPORT")


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RostrumError(f"{file}: cannot be read: {error.strerror}; DIR has the data sets' folders") from error
    except ValueError as error:
        raise RostrumError(f"{file}: not JSON: {error}; copy the data set again") from error


# The evaluation.


@click.command()
@click.option("--weights", type=result.FILE, help="What `rostrum train pairs` wrote. Default: in the model cache.")
def command(data: Path, test: Path | None, progress: Progress, weights: Path | None) -> Evaluation:
    """Which sentences make one point, and on which side each is, on topics that were not learned from.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance. Nothing is learned here: --test only names
    another folder.
    """
    from pipeline.matching.weights import trained_file

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
        scored = [_lesson_labels(lesson, scorer(lesson.topic, lesson.texts, lesson.points)) for lesson in usable]
        precision = with_interval("ap", scored, _average_precision, samples=200)
        count = sum(len(labels) for labels, _ in scored)
        yield {"task": "point", "data": data, "method": name, **precision, "pairs": count, "topics": len(usable)}


def _lesson_labels(lesson: Lesson, scores: Matrix) -> tuple[Floats, Floats]:
    known = ~np.isnan(lesson.same)
    return lesson.same[known], np.asarray(scores)[known]


def _average_precision(scored: Sequence[tuple[Floats, Floats]]) -> float:
    from sklearn.metrics import average_precision_score

    labels, scores = (np.concatenate(parts) for parts in zip(*scored, strict=True))
    return float(average_precision_score(labels > 0.5, scores)) if labels.any() else float("nan")

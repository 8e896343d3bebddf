"""The KPA 2021 task's files: arguments, key points and labels in; `predictions.p` and `key_points.csv` both ways.

A folder holds parts. The name of a part stands in its files' names (`arguments_dev.csv`), or nowhere (`arguments.csv`).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Matrix
from pipeline.corpus import Corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows, write_rows
from pipeline.grouping import grouped
from pipeline.matching.matcher import Matcher
from pipeline.records import Stance

# What a folder's only part is called when its files do not say.
UNNAMED = ""
UNDECIDED = -1
_STANCES: dict[str, Stance] = {"1": "pro", "-1": "con"}
STANCE_NUMBERS = {stance: number for number, stance in _STANCES.items()}

Labels = NDArray[np.int8]
Predictions = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Statement:
    """An argument or a key point of the task."""

    id: str
    text: str
    topic: str
    stance: Stance


@dataclass(frozen=True)
class Group:
    """One side of one topic. `labels` has one row per argument, one column per key point: 1, 0 or UNDECIDED."""

    topic: str
    stance: Stance
    arguments: tuple[Statement, ...]
    key_points: tuple[Statement, ...]
    labels: Labels

    @property
    def argument_texts(self) -> list[str]:
        return [argument.text for argument in self.arguments]

    @property
    def point_texts(self) -> list[str]:
        return [point.text for point in self.key_points]

    def scores(self, matcher: Matcher) -> Matrix:
        """A matcher's scores of the arguments (rows) with the key points (columns)."""
        return matcher.scores(self.topic, self.argument_texts, self.point_texts)


@dataclass(frozen=True)
class Part:
    """One part of the task's data. `remarks` says what in the files does not fit together and was left out."""

    name: str
    arguments: tuple[Statement, ...]
    key_points: tuple[Statement, ...]
    labels: Mapping[tuple[str, str], bool]
    remarks: tuple[str, ...] = ()

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Every side of every topic that has arguments, in the files' order."""
        arguments, key_points = _by_side(self.arguments), _by_side(self.key_points)
        return tuple(self._group(side, members, key_points.get(side, ())) for side, members in arguments.items())

    def _group(
        self, side: tuple[str, Stance], arguments: tuple[Statement, ...], key_points: tuple[Statement, ...]
    ) -> Group:
        labels = [
            [self.labels.get((argument.id, point.id), UNDECIDED) for point in key_points] for argument in arguments
        ]
        shape = len(arguments), len(key_points)
        return Group(*side, arguments, key_points, np.array(labels, dtype=np.int8).reshape(shape))


def part_names(folder: Path) -> list[str]:
    """The parts of a folder: whatever `arguments*.csv` are there."""
    names = sorted(path.stem.removeprefix("arguments").removeprefix("_") for path in folder.glob("arguments*.csv"))
    if not names:
        raise RostrumError(f"{folder}: no arguments.csv and no arguments_<part>.csv in it")
    return names


def read_part(folder: Path, name: str = UNNAMED) -> Part:
    """One part. Key points and labels may be missing: there is then nothing to match, or nothing to score by."""
    suffix = f"_{name}" if name else ""
    files = [folder / f"{kind}{suffix}.csv" for kind in ("arguments", "key_points", "labels")]
    arguments_file, key_points_file, labels_file = files
    arguments = _statements(arguments_file, "arg_id", "argument")
    key_points = _statements(key_points_file, "key_point_id", "key_point") if key_points_file.exists() else {}
    labels: dict[tuple[str, str], bool] = {}
    remarks: list[str] = []
    if labels_file.exists():
        labels, remarks = _labels(labels_file, arguments, key_points)
    if key_points:
        remarks += _lone_sides(_by_side(arguments.values()), _by_side(key_points.values()))
    return Part(name, tuple(arguments.values()), tuple(key_points.values()), labels, tuple(remarks))


@dataclass(frozen=True)
class Parts:
    """The part that the figures are of, the part to learn from, and the one that a threshold is chosen on."""

    figures: Part
    folder: Path
    training: Part | None
    dev: Part | None


def choose_parts(data: Path, test: Path | None) -> Parts:
    """The parts to score, to learn from and to choose a threshold on, from one folder or two."""
    names = part_names(data)
    training, dev = training_parts(data) if test or "train" in names else (None, None)
    if test:
        return Parts(read_part(test, _only_part(part_names(test), test, "test")), test, training, dev)
    others = [name for name in names if name != "train"]
    if not others:
        raise RostrumError(f"{data}: a training part and nothing to score; add dev, or give --test")
    return Parts(read_part(data, _only_part(others, data, "dev" if training else "test")), data, training, dev)


def judged_part(corpus: Corpus) -> Part:
    """What people said of passages in a report's pages: which make a point or an argument, and which do not."""
    titles = {argument.id: argument.title for argument in corpus.arguments}
    arguments: dict[str, Statement] = {}
    points: dict[str, Statement] = {}
    labels = {}
    for each in corpus.judgements:
        title = titles.get(each.of) if each.kind == "mention" else each.of
        topic = corpus.motions.get(each.motion)
        is_of_passage = each.kind in ("match", "mention") and each.judgement != "cannot say" and each.text
        if is_of_passage and title and topic and each.side:
            argument = Statement(f"{each.speech} {each.start}", each.text, topic.text, each.side)
            point = Statement(f"{each.motion} {each.side} {title}", title, topic.text, each.side)
            arguments[argument.id], points[point.id] = argument, point
            labels[argument.id, point.id] = each.judgement == "heard"
    return Part("judged", tuple(arguments.values()), tuple(points.values()), labels)


def speech_of(statement: Statement) -> str:
    """The id of the speech that a judged passage is from."""
    return statement.id.rpartition(" ")[0]


def training_parts(data: Path) -> tuple[Part, Part | None]:
    """The part of a folder to learn from, and dev if it is there."""
    names = part_names(data)
    name = _only_part(names, data, "train")
    return read_part(data, name), read_part(data, "dev") if "dev" in names and name != "dev" else None


def _only_part(names: Sequence[str], folder: Path, preferred: str) -> str:
    """The only part there is, or the preferred one of several."""
    if len(names) == 1:
        return names[0]
    if preferred in names:
        return preferred
    raise RostrumError(f"{folder}: has the parts {', '.join(map(repr, names))}, and none of them is called {preferred}")


def read_predictions(file: Path) -> Predictions:
    """A submission: {argument: {key point: score}}. The task calls it `predictions.p`, and it is JSON."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RostrumError(f"{file}: not JSON: {error}") from error
    if not isinstance(content, dict) or not all(isinstance(scores, dict) for scores in content.values()):
        raise RostrumError(f"{file}: not predictions; they look like {{argument: {{key point: score}}}}")
    for argument, scores in content.items():
        for key_point, score in scores.items():
            if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
                raise RostrumError(f"{file}: the score of {argument} with {key_point} is {score!r}, not a number")
    return content


def write_predictions(file: Path, predictions: Predictions) -> None:
    """A submission, as the task's own tools read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(predictions, allow_nan=False), encoding="utf-8")


def write_key_points(file: Path, key_points: Iterable[Statement]) -> None:
    """`key_points.csv`, as the task's own tools read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = ((point.id, point.text, point.topic, STANCE_NUMBERS[point.stance]) for point in key_points)
    write_rows(file, ("key_point_id", "key_point", "topic", "stance"), rows)


def score_matrix(group: Group, predictions: Predictions) -> Floats:
    """A group's scores out of a submission; nan where the submission has none."""
    rows = [
        [predictions.get(argument.id, {}).get(key_point.id, math.nan) for key_point in group.key_points]
        for argument in group.arguments
    ]
    return np.array(rows, dtype=np.float64).reshape(len(group.arguments), len(group.key_points))


def as_predictions(groups: Iterable[Group], matcher: Matcher) -> Predictions:
    """A matcher's scores of these groups as a submission."""
    return {
        argument.id: {point.id: float(score) for point, score in zip(group.key_points, row, strict=True)}
        for group in groups
        for argument, row in zip(group.arguments, group.scores(matcher), strict=True)
    }


def _by_side(statements: Iterable[Statement]) -> dict[tuple[str, Stance], tuple[Statement, ...]]:
    return grouped(((statement.topic, statement.stance), statement) for statement in statements)


def _statements(file: Path, id_column: str, text_column: str) -> dict[str, Statement]:
    """Statements by id. A line that is not one is an error: no figure would be right without it."""
    statements: dict[str, Statement] = {}
    for line, row in read_rows(file, (id_column, text_column, "topic", "stance")):
        identifier, text, topic = row[id_column], " ".join(row[text_column].split()), row["topic"]
        if not identifier or not text or not topic:
            empty = next(name for name in (id_column, text_column, "topic") if not row[name])
            raise RostrumError(f"{file}:{line}: {empty} is empty")
        if identifier in statements:
            raise RostrumError(f"{file}:{line}: {id_column} {identifier} is there a second time")
        if row["stance"] not in _STANCES:
            raise RostrumError(f"{file}:{line}: stance is {row['stance']!r}; it must be 1 (pro) or -1 (con)")
        statements[identifier] = Statement(identifier, text, topic, _STANCES[row["stance"]])
    if not statements:
        raise RostrumError(f"{file}: nothing in it but the header")
    return statements


def _labels(
    file: Path, arguments: Mapping[str, Statement], key_points: Mapping[str, Statement]
) -> tuple[dict[tuple[str, str], bool], list[str]]:
    """(labels by pair, remarks on labels of pairs that are not there: those are left out)."""
    labels: dict[tuple[str, str], bool] = {}
    strays: list[str] = []
    for line, row in read_rows(file, ("arg_id", "key_point_id", "label")):
        pair = row["arg_id"], row["key_point_id"]
        if row["label"] not in ("0", "1"):
            raise RostrumError(f"{file}:{line}: label is {row['label']!r}; it must be 1 or 0")
        label = row["label"] == "1"
        if labels.get(pair, label) != label:
            raise RostrumError(f"{file}:{line}: {pair[0]} with {pair[1]} is labelled both 1 and 0")
        if stray := _stray(*pair, arguments, key_points):
            strays.append(f"line {line}: {stray}")
        else:
            labels[pair] = label
    if strays and not labels:
        raise RostrumError(f"{file}: no label fits the arguments and key points beside it ({strays[0]})")
    left_out = f"{file.name}: {len(strays)} labels left out of {len(labels) + len(strays)}, the first at "
    return labels, [left_out + strays[0]] if strays else []


def _stray(
    argument: str, key_point: str, arguments: Mapping[str, Statement], key_points: Mapping[str, Statement]
) -> str | None:
    """Why a pair cannot be labelled, or None where it can."""
    if argument not in arguments:
        return f"there is no argument {argument}"
    if key_point not in key_points:
        return f"there is no key point {key_point}"
    one, other = arguments[argument], key_points[key_point]
    if (one.topic, one.stance) != (other.topic, other.stance):
        return f"{argument} and {key_point} are not of the same topic and stance"
    return None


def _lone_sides(arguments: Iterable[tuple[str, Stance]], key_points: Iterable[tuple[str, Stance]]) -> list[str]:
    """Remarks on sides that only one of the two files has."""
    lone = [(side, "arguments, but no key points") for side in arguments if side not in key_points]
    lone += [(side, "key points, but no arguments") for side in key_points if side not in arguments]
    return [f"{topic!r}, {stance}: {what}" for (topic, stance), what in lone]

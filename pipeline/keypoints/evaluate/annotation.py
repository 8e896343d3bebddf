"""Track 2 as it was judged: what people are given to label, and what their labels say.

People label the better-scored half of each system's matches, as on track 1. They also say which of two sets of key
points is the better summary of a side's arguments, each key point with the share of arguments that is said to make it,
which is to be taken as correct. They do not see which system a match or a set is from: `systems.json` says it. A third
sheet is how the task's own labels were made: an argument with the whole list of key points of its side, of which it
makes some, or none.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows, write_rows
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import UNDECIDED, Group, Statement
from pipeline.keypoints.evaluate.matching import READINGS, Half
from pipeline.keypoints.evaluate.writing import WRITTEN, Written, prevalence
from pipeline.matching.matcher import Matcher
from pipeline.measures import mean_of_defined

MATCHES, SETS, CHOICES, SYSTEMS = "matches.csv", "sets.csv", "choices.csv", "systems.json"
LABELS = "labels.csv"
MATCH_COLUMNS = ("match", "topic", "stance", "argument", "key_point", "label")
SET_COLUMNS = ("comparison", "topic", "stance", "left", "right", "better")
_CHOICE_COLUMNS = ("argument_id", "topic", "stance", "argument", "key_points", "made")
# What a person writes who sees none of the key points in an argument.
_NONE = "none"
# Of more matches of a system on one side, people see a sample.
MOST_MATCHES = 200
# A pair is a match from the first share of annotators on, and none up to the second. In between it is undecided.
_MATCH, _NO_MATCH = 0.6, 0.15
# How much of a comparison the set on the left wins.
_BETTER = {"left": 1.0, "right": 0.0, "equal": 0.5}
_ROUNDS = 200


class Match(NamedTuple):
    """An argument's best key point in a system's set, and how sure the system is of it."""

    topic: str
    stance: str
    argument: str
    key_point: str
    score: float


def check_new(folder: Path) -> None:
    """Refuse a folder in which there may be people's labels already."""
    for file in (folder / MATCHES, folder / SETS, folder / CHOICES, folder / SYSTEMS):
        if file.exists():
            raise RostrumError(f"{file}: is there already, perhaps with labels; give --annotate another folder")


def export(
    folder: Path, written: Sequence[Written], matcher: Matcher, *, seed: int = 0, most: int = MOST_MATCHES
) -> list[Path]:
    """Write what people are to label: matches, pairs of sets, and choices. Returns the files.

    Of a system's matches on one side people see a sample of `most`, if there are more.
    """
    check_new(folder)
    random = np.random.default_rng(seed)
    systems = list(dict.fromkeys(method for group in written for method in group.sets))
    matches = {system: list(_better_halves(written, system, matcher, random, most)) for system in systems}
    pairs = sorted({match[:4] for by_system in matches.values() for match in by_system})
    shown = [pairs[index] for index in random.permutation(len(pairs))]
    numbers = {pair: f"m{number}" for number, pair in enumerate(shown)}
    comparisons = list(_comparisons(written, systems, matcher, random))
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / MATCHES, MATCH_COLUMNS, ((numbers[pair], *pair, "") for pair in shown))
    write_rows(
        folder / SETS,
        SET_COLUMNS,
        (
            (f"c{number}", topic, stance, "\n".join(left[1]), "\n".join(right[1]), "")
            for number, (topic, stance, left, right) in enumerate(comparisons)
        ),
    )
    choices = list(_choices(written))
    write_rows(folder / CHOICES, _CHOICE_COLUMNS, choices)
    known = {
        "matches": {
            system: [{"match": numbers[match[:4]], "score": match.score} for match in by_system]
            for system, by_system in matches.items()
        },
        "comparisons": {f"c{number}": [left[0], right[0]] for number, (_, _, left, right) in enumerate(comparisons)},
    }
    (folder / SYSTEMS).write_text(json.dumps(known, indent=1), encoding="utf-8")
    return [folder / MATCHES, folder / SETS, folder / CHOICES, folder / SYSTEMS]


def judged_rows(folder: Path) -> Iterator[Row]:
    """Each system's figures by people's labels. Several rows of one match or comparison are by several people."""
    known = _known(folder)
    matches, groups = _labelled(folder / MATCHES)
    strengths, wins = _preferences(folder / SETS, known["comparisons"])
    for system, by_system in known["matches"].items():
        halves = _halves(by_system, matches, groups)
        yield {
            "method": system,
            "judge": "people",
            "matches": sum(len(half.labels) for half in halves),
            **{
                reading: mean_of_defined(half.precision(reading, "leaderboard") for half in halves)
                for reading in READINGS
            },
            "wins": wins.get(system),
            "strength": strengths.get(system),
        }


def _better_halves(
    written: Sequence[Written], system: str, matcher: Matcher, random: np.random.Generator, most: int
) -> Iterator[Match]:
    """Each group's arguments with their best key points of a system, the better half or a sample of it.

    Chance decides between equal scores.
    """
    for group, sets in ((side.group, side.sets) for side in written):
        texts = sets.get(system, [[]])[0]
        if not texts:
            continue
        scores = matcher.scores(group.topic, group.argument_texts, texts)
        highest = scores.max(axis=1)
        best = np.where(scores == highest[:, None], random.random(scores.shape), -1.0).argmax(axis=1)
        half = np.lexsort((random.random(len(scores)), -highest))[: len(scores) // 2]
        if len(half) > most:
            half = half[np.sort(random.choice(len(half), most, replace=False))]
        for row in half:
            score = float(scores[row, best[row]])
            yield Match(group.topic, group.stance, group.arguments[row].text, texts[best[row]], score)


def _comparisons(
    written: Sequence[Written], systems: Sequence[str], matcher: Matcher, random: np.random.Generator
) -> Iterator[tuple[str, str, tuple[str, list[str]], tuple[str, list[str]]]]:
    """(topic, stance, a system and its set, another and its set) of every two systems, left and right by chance."""
    for group, sets in ((side.group, side.sets) for side in written):
        for pair in combinations([system for system in systems if system in sets], 2):
            left, right = pair if random.random() < 0.5 else pair[::-1]
            left_list, right_list = (_with_prevalence(group, sets[system][0], matcher) for system in (left, right))
            yield group.topic, group.stance, (left, left_list), (right, right_list)


def _with_prevalence(group: Group, texts: Sequence[str], matcher: Matcher) -> list[str]:
    """The key points, the most prevalent first, each with the share of arguments that is said to make it."""
    shares = prevalence(group, texts, matcher) if texts else []
    order = sorted(range(len(texts)), key=lambda index: (-shares[index], index))
    return [f"{texts[index]} ({shares[index]:.0%})" for index in order]


def _choices(written: Sequence[Written]) -> Iterator[tuple[str, ...]]:
    """Each argument with the whole list of its side's key points: the experts', else those that rostrum wrote."""
    for side in written:
        texts = [point.text for point in _offered(side)]
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
        for argument in side.group.arguments if texts else ():
            yield argument.id, side.group.topic, side.group.stance, argument.text, numbered, ""


def _offered(side: Written) -> Sequence[Statement]:
    return side.group.key_points or (side.statements(WRITTEN) if WRITTEN in side.sets else ())


def write_labels(folder: Path, written: Sequence[Written]) -> list[str]:
    """Write labels.csv as the task has it from what people chose of whole lists; a note, or none without choices."""
    labels = chosen_labels(folder, written) if (folder / CHOICES).exists() else []
    if not labels:
        return []
    write_rows(folder / LABELS, ("arg_id", "key_point_id", "label"), labels)
    return [f"written: {folder / LABELS}, {len(labels)} labels by what people chose of whole lists"]


def chosen_labels(folder: Path, written: Sequence[Written]) -> list[tuple[str, str, int]]:
    """(argument, key point, label) of the pairs that people agreed on, by what they chose of whole lists.

    Several rows of one argument are by several people. As in the task, a pair is a match where three of five say so,
    and none where hardly anybody does; what lies in between is left out.
    """
    points = {argument.id: _offered(side) for side in written for argument in side.group.arguments}
    made: dict[str, list[set[int]]] = defaultdict(list)
    for line, row in read_rows(folder / CHOICES, _CHOICE_COLUMNS):
        if row["argument_id"] not in points:
            raise RostrumError(f"{folder / CHOICES}:{line}: there is no argument {row['argument_id']!r} in the data")
        if row["made"]:
            where = f"{folder / CHOICES}:{line}"
            made[row["argument_id"]].append(_numbers(where, row["made"], len(points[row["argument_id"]])))
    shares = (
        (argument, point.id, float(np.mean([number in chosen for chosen in by_person])))
        for argument, by_person in made.items()
        for number, point in enumerate(points[argument], 1)
    )
    labelled = ((argument, point, label_of_share(share)) for argument, point, share in shares)
    return [(argument, point, label) for argument, point, label in labelled if label != UNDECIDED]


def _numbers(where: str, text: str, most: int) -> set[int]:
    if text.strip().casefold() == _NONE:
        return set()
    words = text.replace(",", " ").split()
    if not all(word.isdigit() and 1 <= int(word) <= most for word in words):
        raise RostrumError(f"{where}: made is {text!r}; write numbers of the list from 1 to {most}, or {_NONE}")
    return set(map(int, words))


def _halves(
    scored: Iterable[Mapping[str, Any]], labels: Mapping[str, int], groups: Mapping[str, tuple[str, str]]
) -> list[Half]:
    """The better-scored half of each group, of those matches that are labelled."""
    labelled = [(match["match"], match["score"]) for match in scored if match["match"] in labels]
    by_group = grouped((groups[match], (score, labels[match])) for match, score in labelled)
    return [
        Half(np.array([score for score, _ in group]), np.array([label for _, label in group], dtype=np.int8))
        for group in by_group.values()
    ]


def _labelled(file: Path) -> tuple[dict[str, int], dict[str, tuple[str, str]]]:
    """(the label of each match that has been labelled, the topic and stance of each match)."""
    votes: dict[str, list[int]] = defaultdict(list)
    groups = {}
    for line, row in read_rows(file, MATCH_COLUMNS):
        groups[row["match"]] = row["topic"], row["stance"]
        if row["label"] not in ("", "0", "1"):
            raise RostrumError(f"{file}:{line}: label is {row['label']!r}; write 1 for a match, 0 for none")
        if row["label"]:
            votes[row["match"]].append(int(row["label"]))
    return {match: label_of_share(float(np.mean(labels))) for match, labels in votes.items()}, groups


def label_of_share(share: float) -> int:
    """The label of a pair by the share of people who see a match: 1, 0 or UNDECIDED."""
    return 1 if share >= _MATCH else 0 if share <= _NO_MATCH else UNDECIDED


def _preferences(file: Path, comparisons: Mapping[str, Sequence[str]]) -> tuple[dict[str, float], dict[str, float]]:
    """(the strength of each system by a Bradley-Terry model, the share of its comparisons that it won)."""
    wins: dict[tuple[str, str], float] = defaultdict(float)
    for line, row in read_rows(file, SET_COLUMNS):
        if row["better"] not in ("", *_BETTER):
            raise RostrumError(f"{file}:{line}: better is {row['better']!r}; write left, right or equal")
        if row["better"]:
            if row["comparison"] not in comparisons:
                raise RostrumError(f"{file}:{line}: {SYSTEMS} knows no comparison {row['comparison']!r}")
            left, right = comparisons[row["comparison"]]
            wins[left, right] += _BETTER[row["better"]]
            wins[right, left] += 1 - _BETTER[row["better"]]
    systems = sorted({system for pair in wins for system in pair})
    table = np.array([[wins.get((one, other), 0.0) for other in systems] for one in systems]).reshape(-1, len(systems))
    played = table.sum(axis=1) + table.sum(axis=0)
    shares = {system: float(table[row].sum() / played[row]) for row, system in enumerate(systems)}
    return dict(zip(systems, map(float, strengths(table)), strict=True)), shares


def strengths(wins: Matrix) -> Vector:
    """Bradley-Terry strengths that sum to 1, from how often each (row) won against each (column).

    Half a win and half a defeat against each other system are added, so that nobody's strength is 0 or without bound.

    >>> strengths(np.array([[0.0, 2.5], [0.5, 0.0]])).round(2).tolist()
    [0.75, 0.25]
    """
    size = len(wins)
    wins = wins + 0.5 * (1 - np.eye(size))
    games = wins + wins.T
    estimate = np.full(size, 1 / max(size, 1))
    for _ in range(_ROUNDS):
        rates = np.divide(games, estimate[:, None] + estimate[None, :])
        np.fill_diagonal(rates, 0.0)
        estimate = wins.sum(axis=1) / np.maximum(rates.sum(axis=1), 1e-12)
        estimate = estimate / estimate.sum()
    return estimate


def _known(folder: Path) -> dict[str, Any]:
    file = folder / SYSTEMS
    try:
        known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {"matches": dict(known["matches"]), "comparisons": dict(known["comparisons"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RostrumError(
            f"{file}: not what --annotate wrote, which says whose each match is; give the folder as it was"
        ) from error

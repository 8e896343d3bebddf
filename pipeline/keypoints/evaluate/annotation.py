"""Track 2 as it was judged: what people are given to label, and what their labels say.

People label the better-scored half of each system's matches, as on track 1. They also say which of two sets of key
points is the better summary of a side's arguments. They do not see which system a match or a set is from:
`systems.json` says it.
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
from pipeline.keypoints.evaluate.data import UNDECIDED
from pipeline.keypoints.evaluate.matching import READINGS, Half
from pipeline.keypoints.evaluate.writing import Written
from pipeline.matching.matcher import Matcher
from pipeline.measures import mean_of_defined

MATCHES, SETS, SYSTEMS = "matches.csv", "sets.csv", "systems.json"
_MATCH_COLUMNS = ("match", "topic", "stance", "argument", "key_point", "label")
_SET_COLUMNS = ("comparison", "topic", "stance", "left", "right", "better")
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
    for file in (folder / MATCHES, folder / SETS, folder / SYSTEMS):
        if file.exists():
            raise RostrumError(f"{file}: is there already, perhaps with labels; give --annotate another folder")


def export(folder: Path, written: Sequence[Written], matcher: Matcher, *, seed: int = 0) -> list[Path]:
    """Write what people are to label: matches, and pairs of sets. Returns the files."""
    check_new(folder)
    systems = list(dict.fromkeys(method for group in written for method in group.sets))
    matches = {system: list(_better_halves(written, system, matcher)) for system in systems}
    pairs = sorted({match[:4] for by_system in matches.values() for match in by_system})
    random = np.random.default_rng(seed)
    shown = [pairs[index] for index in random.permutation(len(pairs))]
    numbers = {pair: f"m{number}" for number, pair in enumerate(shown)}
    comparisons = list(_comparisons(written, systems, random))
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / MATCHES, _MATCH_COLUMNS, ((numbers[pair], *pair, "") for pair in shown))
    write_rows(
        folder / SETS,
        _SET_COLUMNS,
        (
            (f"c{number}", topic, stance, "\n".join(left[1]), "\n".join(right[1]), "")
            for number, (topic, stance, left, right) in enumerate(comparisons)
        ),
    )
    known = {
        "matches": {
            system: [{"match": numbers[match[:4]], "score": match.score} for match in by_system]
            for system, by_system in matches.items()
        },
        "comparisons": {f"c{number}": [left[0], right[0]] for number, (_, _, left, right) in enumerate(comparisons)},
    }
    (folder / SYSTEMS).write_text(json.dumps(known, indent=1), encoding="utf-8")
    return [folder / MATCHES, folder / SETS, folder / SYSTEMS]


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


def _better_halves(written: Sequence[Written], system: str, matcher: Matcher) -> Iterator[Match]:
    """Each group's arguments with their best key points of a system, the half with the higher scores."""
    for group, sets in ((side.group, side.sets) for side in written):
        texts = sets.get(system, [[]])[0]
        if not texts:
            continue
        scores = matcher.scores(group.topic, group.argument_texts, texts)
        best = scores.argmax(axis=1)
        order = sorted(range(len(scores)), key=lambda row: (-scores[row, best[row]], group.arguments[row].id))
        for row in order[: len(order) // 2]:
            score = float(scores[row, best[row]])
            yield Match(group.topic, group.stance, group.arguments[row].text, texts[best[row]], score)


def _comparisons(
    written: Sequence[Written], systems: Sequence[str], random: np.random.Generator
) -> Iterator[tuple[str, str, tuple[str, list[str]], tuple[str, list[str]]]]:
    """(topic, stance, a system and its set, another and its set) of every two systems, left and right by chance."""
    for group, sets in ((side.group, side.sets) for side in written):
        for pair in combinations([system for system in systems if system in sets], 2):
            left, right = pair if random.random() < 0.5 else pair[::-1]
            yield group.topic, group.stance, (left, sets[left][0]), (right, sets[right][0])


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
    for line, row in read_rows(file, _MATCH_COLUMNS):
        groups[row["match"]] = row["topic"], row["stance"]
        if row["label"] not in ("", "0", "1"):
            raise RostrumError(f"{file}:{line}: label is {row['label']!r}; write 1 for a match, 0 for none")
        if row["label"]:
            votes[row["match"]].append(int(row["label"]))
    return {match: _label(float(np.mean(labels))) for match, labels in votes.items()}, groups


def _label(share: float) -> int:
    return 1 if share >= _MATCH else 0 if share <= _NO_MATCH else UNDECIDED


def _preferences(file: Path, comparisons: Mapping[str, Sequence[str]]) -> tuple[dict[str, float], dict[str, float]]:
    """(the strength of each system by a Bradley-Terry model, the share of its comparisons that it won)."""
    wins: dict[tuple[str, str], float] = defaultdict(float)
    for line, row in read_rows(file, _SET_COLUMNS):
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

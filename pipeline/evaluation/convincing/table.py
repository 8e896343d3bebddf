"""Which argument convinces: the tables of Habernal and Gurevych (2016), and transfer to other sets.

Every topic is judged by methods that have learned from the other topics, or, with `test`, every topic of that folder by
methods that have learned from all of `data`.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import RostrumError
from pipeline.evaluation.convincing.cache import store, stored
from pipeline.evaluation.convincing.data import ArgumentPairs, read_pairs
from pipeline.evaluation.convincing.methods import BEST, METHODS, Judgement, Method, Pool, Problem
from pipeline.evaluation.convincing.scores import AGAINST, method_rows, wilcoxon_tests
from pipeline.evaluation.result import Evaluation, Row, signature

Progress = Callable[[str, int, int], None]

_READING = (
    "accuracy: share of pairs; 'average' is the mean over topics, as published, 'all' counts every pair once; where a "
    "method sees no difference it counts half. pearson, spearman: predicted against gold ranks."
)


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    methods: Sequence[str] | None = None,
    fast: bool = False,
    cache: Path | None = None,
    progress: Progress = lambda method, done, of: None,
    seed: int = 0,
) -> Evaluation:
    """All methods, or the named ones, or with `fast` those that take seconds.

    What a method makes of a topic is kept in the folder `cache` and not computed again as long as data and method
    are the same.
    """
    chosen, facts, notes = _chosen(methods, fast)
    runs = [_cross_topic(pairs) for pairs in read_pairs(data)] if test is None else _transfers(data, test)
    rows: list[Row] = []
    for run in runs:
        pool = Pool(run.texts, run.topic_of, seed=seed)
        judged = {method.name: _judgements(method, run, pool, cache, progress) for method in chosen}
        tests = wilcoxon_tests(run.judged, judged)
        for name, judgement in judged.items():
            rows += method_rows(name, run.judged, judgement, tests[name])
    return Evaluation(
        name="convincing",
        signature=signature(
            "numpy",
            "scipy",
            "scikit-learn",
            **facts,
            seed=seed,
            split="leave one topic out" if test is None else "trained on --data, judged on --test",
            data=" ".join(run.digest[:12] for run in runs),
        ),
        rows=tuple(rows),
        notes=(_READING, f"fixed in advance as this project's method: {BEST}", *notes),
    )


@dataclass(frozen=True)
class Run:
    """One set to be judged, as problems: a part of its pairs and ranks each. Texts are those of training and test."""

    judged: ArgumentPairs
    texts: tuple[str, ...]
    topic_of: NDArray[np.int64]
    names: tuple[str, ...]
    problems: tuple[Problem, ...]
    pair_places: tuple[NDArray[np.int64], ...]
    rank_places: tuple[NDArray[np.int64], ...]

    @property
    def digest(self) -> str:
        """Of all that methods learn from and judge."""
        content = hashlib.sha256(json.dumps([self.texts, self.topic_of.tolist()]).encode())
        for problem in self.problems:
            for array in (problem.train, problem.first_wins, problem.train_ranked, problem.train_ranks, problem.test):
                content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()


def _cross_topic(pairs: ArgumentPairs) -> Run:
    """A problem a topic, to be learned from the other topics."""
    if len(pairs.topics) < 3:
        raise RostrumError(f"{pairs.name}: {len(pairs.topics)} topics; leaving one out needs three or more")
    both = np.stack([pairs.first, pairs.second], axis=1)
    ranked_topic = pairs.topic_of[pairs.ranked_text]
    problems, pair_places, rank_places = [], [], []
    for topic in range(len(pairs.topics)):
        inside, ranked_inside = pairs.pair_topic == topic, ranked_topic == topic
        problems.append(
            Problem(
                both[~inside],
                pairs.first_wins[~inside],
                pairs.ranked_text[~ranked_inside],
                pairs.rank[~ranked_inside],
                both[inside],
                pairs.ranked_text[ranked_inside],
            )
        )
        pair_places.append(np.flatnonzero(inside))
        rank_places.append(np.flatnonzero(ranked_inside))
    return Run(
        pairs, pairs.texts, pairs.topic_of, pairs.topics, tuple(problems), tuple(pair_places), tuple(rank_places)
    )


def _transfers(data: Path, test: Path) -> list[Run]:
    """Of several sets in `data` the first, cleanest one is learned from; every set in `test` is judged."""
    source = read_pairs(data)[0]
    return [_transfer(source, target) for target in read_pairs(test)]


def _transfer(source: ArgumentPairs, target: ArgumentPairs) -> Run:
    shift = len(source.texts)
    problem = Problem(
        np.stack([source.first, source.second], axis=1),
        source.first_wins,
        source.ranked_text,
        source.rank,
        np.stack([target.first, target.second], axis=1) + shift,
        target.ranked_text + shift,
    )
    return Run(
        target,
        source.texts + target.texts,
        np.concatenate([source.topic_of, target.topic_of + len(source.topics)]),
        ("all",),
        (problem,),
        (np.arange(len(target.first)),),
        (np.arange(len(target.rank)),),
    )


def _chosen(names: Sequence[str] | None, fast: bool) -> tuple[list[Method], dict[str, str], list[str]]:
    """(methods to run, what they use, notes on those that cannot run). What is asked for by name has to run."""
    facts: dict[str, str] = {}
    if names:
        known = {method.name: method for method in METHODS}
        for name in names:
            if name not in known:
                raise RostrumError(f"no method is called {name!r}; there are {', '.join(known)}")
            facts |= known[name].needs()
        return [known[name] for name in names], facts, []
    chosen, notes = [], []
    for method in METHODS:
        if method.chosen and (method.fast or not fast):
            try:
                facts |= method.needs()
                chosen.append(method)
            except RostrumError as error:
                notes.append(f"not run: {method.name}: {error}")
    return chosen, facts, notes


def _judgements(method: Method, run: Run, pool: Pool, cache: Path | None, progress: Progress) -> Judgement:
    """The method's judgement of the whole set, problem by problem."""
    n_pairs, n_ranked = len(run.judged.first), len(run.judged.rank)
    margins, probabilities, ranks = (np.full(n, np.nan) for n in (n_pairs, n_pairs, n_ranked))
    folder = cache / run.digest[:16] / _folder_name(method, pool) if cache else None
    for number, problem in enumerate(run.problems):
        progress(f"{run.judged.name}: {method.name}", number, len(run.problems))
        file = folder / f"{number:03d}.json" if folder else None
        judgement = stored(file) if file and file.is_file() else None
        if judgement is None:
            judgement = method.judge(pool, problem)
            if file:
                store(judgement, file)
        margins[run.pair_places[number]] = judgement.margins
        if judgement.probabilities is not None:
            probabilities[run.pair_places[number]] = judgement.probabilities
        if judgement.ranks is not None:
            ranks[run.rank_places[number]] = judgement.ranks
    progress(f"{run.judged.name}: {method.name}", len(run.problems), len(run.problems))
    return Judgement(margins, _unless_missing(probabilities), _unless_missing(ranks))


def _unless_missing(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    return None if np.isnan(values).any() or not len(values) else values


def _folder_name(method: Method, pool: Pool) -> str:
    plain = "".join(c if c.isalnum() else "-" for c in method.name)
    used = hashlib.sha256(json.dumps(method.needs(), sort_keys=True).encode()).hexdigest()
    return f"{plain}-{method.version}-{used[:8]}-{pool.seed}"


def tables(evaluation: Evaluation) -> Iterator[tuple[str, list[Row]]]:
    """The rows as a person reads them: for each set topics by methods, the totals, and the tests between methods."""
    for name in dict.fromkeys(row["set"] for row in evaluation.rows):
        of_set = [row for row in evaluation.rows if row["set"] == name]
        if topics := _topics_by_methods(row for row in of_set if row["topic"] not in ("all", "average")):
            yield f"{name}: accuracy by topic", topics
        totals = [row for row in of_set if row["topic"] in ("all", "average")]
        yield f"{name}: totals", [{k: v for k, v in row.items() if not k.startswith(AGAINST)} for row in totals]
        if tests := [row for row in totals if any(key.startswith(AGAINST) for key in row)]:
            yield f"{name}: p of Wilcoxon's test over topics", [_tests(row, tests) for row in tests]


def _topics_by_methods(rows: Iterable[Row]) -> list[Row]:
    lines: dict[Any, Row] = {}
    for row in rows:
        lines.setdefault(row["topic"], {"topic": row["topic"]})[str(row["method"])] = row["accuracy"]
    return list(lines.values())


def _tests(row: Row, others: Iterable[Row]) -> Row:
    """One method against each, in the same order."""
    return {"method": row["method"], **{str(o["method"]): row.get(f"{AGAINST}{o['method']}") for o in others}}

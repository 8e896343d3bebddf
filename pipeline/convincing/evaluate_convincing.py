"""Which argument convinces (Habernal and Gurevych 2016)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Floats
from pipeline.convincing.evaluate.data import read_pairs, topics_of_ids
from pipeline.convincing.evaluate.judging import (
    DEFAULT_OPTIONS,
    Experiment,
    Judgement,
    Method,
    MethodOptions,
    Pool,
    cache_folder,
    cross_topic,
    folder_of,
    sets_left_out,
    store,
    stored,
    transfers,
)
from pipeline.convincing.evaluate.methods import BEST, METHODS, SHIPPED_KIND
from pipeline.convincing.evaluate.scores import AGAINST, RANKS_AGAINST, method_rows, rank_tests, wilcoxon_tests
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.graph import PairVotes, read_annotated_pairs, read_votes
from pipeline.grouping import grouped
from pipeline.measures import bootstrap_interval, fleiss_kappa, mean, pooled_mean
from pipeline.progress import Progress, no_progress


@click.command()
@click.option(
    "--fast", is_flag=True, help="Only the methods that take seconds per topic: lengths, linear, Gaussian process."
)
@click.option(
    "--also",
    multiple=True,
    metavar="DIR",
    type=result.FOLDER,
    help="One more set: each set is judged by what was learned from all the others, and from each one. Repeatable.",
)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method. Repeatable.")
@click.option(
    "--people",
    type=click.Path(exists=True, path_type=Path),
    help="Show people beside the methods, on the same pairs: votes.csv, as `rostrum annotate collect` writes it, or "
    "the folder of UKPConvArg1's XML.",
)
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors of the networks.")
@click.option("--anew", is_flag=True, help="Judge every topic again. Default: reuse the judgements of earlier calls.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the networks and of landmark texts.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    fast: bool,
    also: tuple[Path, ...],
    methods: tuple[str, ...],
    people: Path | None,
    vectors: str,
    anew: bool,
    seed: int,
) -> Evaluation:
    """Which of two arguments is more convincing, and in which order a topic's arguments come.

    DIR is UKPConvArg1, IBM-ArgQ or IBM-EviConv; each of its topics is judged by methods that learned from the others.
    With --test the methods learn from all of --data, with --also from several sets at once. An interrupted call
    continues where it stopped.
    """
    return evaluate(
        data,
        test,
        also=also,
        methods=methods,
        people=people,
        fast=fast,
        options=MethodOptions(seed, vectors),
        cache=None if anew else cache_folder(),
        progress=progress,
    )


_READING = (
    "accuracy: share of pairs; 'average' is the mean over topics, as published, 'all' counts every pair once; where a "
    "method sees no difference it counts half. pearson, spearman: predicted against gold ranks."
)


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    also: Sequence[Path] = (),
    methods: Sequence[str] | None = None,
    people: Path | None = None,
    fast: bool = False,
    options: MethodOptions = DEFAULT_OPTIONS,
    cache: Path | None = None,
    progress: Progress = no_progress,
) -> Evaluation:
    """All methods, or the named ones, or with `fast` those that take seconds.

    With the folders `also`, the set of each folder is judged by methods that have learned from the other sets. `people`
    has votes on the pairs of the first set that is judged.
    Judgements are kept in the folder `cache`, and reused as long as data and method are the same.
    """
    chosen, facts, notes = _chosen(methods, fast, options)
    experiments, split = _experiments(data, test, also)
    rows: list[Row] = []
    for experiment in experiments:
        reasons = [_why_not(method, experiment) for method in chosen]
        fair = [method for method, reason in zip(chosen, reasons, strict=True) if not reason]
        notes += [f"not run on {experiment.judged.name}: {reason}" for reason in reasons if reason]
        learned_from: Row = {"learned_from": experiment.learned_from} if also else {}
        rows += ({**learned_from, **row} for row in _rows(experiment, fair, options, cache, progress))
    if people:
        rows += people_rows(people, test or data, experiments[0].judged.name)
        notes.append(f"{PEOPLE}: right is what most of the others say; a tie, or no preference, counts half")
    digests = " ".join(experiment.digest[:12] for experiment in experiments)
    return Evaluation(
        name="convincing",
        signature=signature("numpy", "scipy", "scikit-learn", **facts, seed=options.seed, split=split, data=digests),
        rows=tuple(rows),
        notes=(_READING, f"fixed in advance as this project's method: {BEST}", *notes),
        tables=tuple(_tables(rows)),
    )


def _experiments(data: Path, test: Path | None, also: Sequence[Path]) -> tuple[list[Experiment], str]:
    """(the sets to judge with what methods learn from, the split in words)."""
    if test and also:
        raise RostrumError("--also and --test cannot go together: --also tests on each set in turn; give one of them")
    if also:
        return sets_left_out([data, *also]), "leave one set out"
    if test:
        return transfers(data, test), "trained on --data, judged on --test"
    return [cross_topic(pairs) for pairs in read_pairs(data)], "leave one topic out"


def _rows(
    experiment: Experiment, methods: Sequence[Method], options: MethodOptions, cache: Path | None, progress: Progress
) -> Iterator[Row]:
    """The rows of one set: of every method, and how it compares with the others."""
    pool = Pool(experiment.texts, experiment.topic_of, options)
    judged = {method.name: _judgements(method, experiment, pool, cache, progress) for method in methods}
    accuracy_tests = wilcoxon_tests(experiment.judged, judged)
    tests = {name: accuracy_tests[name] | row for name, row in rank_tests(experiment.judged, judged).items()}
    for method, judgement in judged.items():
        yield from method_rows(method, experiment.judged, judgement, tests[method])


def _chosen(
    names: Sequence[str] | None, fast: bool, options: MethodOptions
) -> tuple[list[Method], dict[str, str], list[str]]:
    """(methods to run, what they use, notes on those that cannot run). A method asked for by name has to run."""
    facts: dict[str, str] = {}
    if names:
        known = {method.name: method for method in METHODS}
        for name in names:
            if name not in known:
                raise RostrumError(f"no method is called {name!r}; there are {', '.join(known)}")
            facts |= known[name].needs(options)
        return [known[name] for name in names], facts, []
    chosen, notes = [], []
    for method in METHODS:
        if method.chosen and (method.fast or not fast):
            try:
                facts |= method.needs(options)
                chosen.append(method)
            except RostrumError as error:
                notes.append(f"not run: {method.name}: {error}")
    return chosen, facts, notes


def _why_not(method: Method, experiment: Experiment) -> str:
    """Why a method has no row for this set; empty if it has one."""
    if experiment.judged.name == method.trained_on:
        return f"{method.name}: it was trained on it; over topics left out its row is {SHIPPED_KIND!r}"
    if method.needs_both_answers and not all(fold.both_answers for fold in experiment.folds):
        return f"{method.name}: in all training pairs the same one of the two wins; put the two texts in random order"
    return ""


def _judgements(
    method: Method, experiment: Experiment, pool: Pool, cache: Path | None, progress: Progress
) -> Judgement:
    """The method's judgement of the whole set, fold by fold."""
    n_pairs, n_ranked = len(experiment.judged.first), len(experiment.judged.rank)
    margins, probabilities, ranks = (np.full(n, np.nan) for n in (n_pairs, n_pairs, n_ranked))
    folder = folder_of(cache, experiment, method, pool.options) if cache else None
    label = f"{experiment.judged.name}: {method.name}"
    for number, fold in enumerate(experiment.folds):
        progress(number / len(experiment.folds), label)
        file = folder / f"{number:03d}.json" if folder else None
        judgement = stored(file) if file and file.is_file() else None
        if judgement is None:
            judgement = method.judge(pool, fold)
            if file:
                store(judgement, file)
        margins[fold.test_places] = judgement.margins
        if judgement.probabilities is not None:
            probabilities[fold.test_places] = judgement.probabilities
        if judgement.ranks is not None:
            ranks[fold.ranked_places] = judgement.ranks
    progress(1.0, label)
    return Judgement(margins, _unless_missing(probabilities), _unless_missing(ranks))


def _unless_missing(values: Floats) -> Floats | None:
    return None if np.isnan(values).any() or not len(values) else values


def _tables(rows: Iterable[Row]) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """The rows as a person reads them: for each set topics by methods, the totals, and the tests between methods."""
    for name, of_set in grouped((_set_name(row), row) for row in rows).items():
        if topics := _topics_by_methods(row for row in of_set if row["topic"] not in ("all", "average")):
            yield f"{name}: accuracy by topic", topics
        totals = [row for row in of_set if row["topic"] in ("all", "average")]
        kinds = {"Wilcoxon's test over topics": AGAINST, "the difference of rank correlations": RANKS_AGAINST}
        yield (
            f"{name}: totals",
            tuple({k: v for k, v in row.items() if not k.startswith(tuple(kinds.values()))} for row in totals),
        )
        for kind, prefix in kinds.items():
            if tests := [row for row in totals if any(key.startswith(prefix) for key in row)]:
                others = [str(row["method"]) for row in tests]
                by_method = ({other: row.get(f"{prefix}{other}") for other in others} for row in tests)
                compared = tuple({"method": own, **p_values} for own, p_values in zip(others, by_method, strict=True))
                yield f"{name}: p of {kind}", compared


def _set_name(row: Row) -> str:
    learned_from = row.get("learned_from")
    return f"{row['set']}, learned from {learned_from}" if learned_from else str(row["set"])


def _topics_by_methods(rows: Iterable[Row]) -> tuple[Row, ...]:
    lines: dict[Any, Row] = {}
    for row in rows:
        lines.setdefault(row["topic"], {"topic": row["topic"]})[str(row["method"])] = row["accuracy"]
    return tuple(lines.values())


# People beside methods: how often one worker's vote on a pair is that of most of the others.


PEOPLE = "people, one against the others"


def people_rows(votes: Path, folder: Path, name: str) -> list[Row]:
    """One row per topic, their average, and all pairs together, of the pairs of a set that people voted on.

    `votes` is the file that `rostrum graph` reads, or the folder of UKPConvArg1's XML. A pair of the set `name` is
    known by the ids of its two arguments.
    """
    ids = topics_of_ids(folder)
    known = (pair for pair in _voted(votes) if len(pair.votes) > 1)
    by_topic = grouped((topic, pair) for pair in known if (topic := _topic_of(ids, pair)) is not None)
    if not by_topic:
        raise RostrumError(f"{votes}: no votes of two people on a pair of {folder}; pairs are known by their column id")
    shares = {topic: [one_right(pair.votes.values()) for pair in pairs] for topic, pairs in sorted(by_topic.items())}
    base: Row = {"method": PEOPLE, "set": name}
    means = [mean(own) for own in shares.values()]
    intervals = bootstrap_interval(means), bootstrap_interval(list(shares.values()), pooled_mean)
    average, everything = ({"accuracy_low": low, "accuracy_high": high} for low, high in intervals)
    kappa = fleiss_kappa(np.array([_counts(pair.votes.values()) for pairs in by_topic.values() for pair in pairs]))
    pairs = sum(map(len, shares.values()))
    return [
        *({**base, "topic": topic, "pairs": len(own), "accuracy": mean(own)} for topic, own in shares.items()),
        {**base, "topic": "average", "pairs": pairs, "accuracy": mean(means), **average},
        {
            **base,
            "topic": "all",
            "pairs": pairs,
            "accuracy": pooled_mean(list(shares.values())),
            **everything,
            "fleiss_kappa": kappa,
        },
    ]


def _voted(votes: Path) -> Iterable[PairVotes]:
    return (pair.votes for pair in read_annotated_pairs(votes)) if votes.is_dir() else read_votes(votes)


def _topic_of(ids: Mapping[str, str], pair: PairVotes) -> str | None:
    return ids.get(f"{pair.first}_{pair.second}", ids.get(f"{pair.second}_{pair.first}"))


def _counts(votes: Iterable[str]) -> list[int]:
    cast = list(votes)
    return [cast.count(vote) for vote in ("a1", "a2", "equal")]


def one_right(votes: Iterable[str]) -> float:
    """The share of the workers who say of a pair what most of the others say, those without a preference aside.

    As of methods, who sees no difference is half right; so is who stands against a tie of the others.

    >>> one_right(["a1", "a1", "a2", "equal"])
    0.375
    """
    first, second, equal = _counts(votes)
    right = first * (np.sign(first - 1 - second) + 1) / 2 + second * (np.sign(second - 1 - first) + 1) / 2 + equal / 2
    return float(right / (first + second + equal))

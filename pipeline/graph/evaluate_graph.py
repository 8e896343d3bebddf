"""From votes on pairs of arguments to gold labels, graphs and ranks (Habernal and Gurevych 2016)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, stdev

import click
import numpy as np

from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_ranks, read_tab_separated
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.graph.build import GoldPair, build_graph, ordered
from pipeline.graph.mace import Gold, gold, gold_pair
from pipeline.graph.measures import cycle_rows, ranked, statistics
from pipeline.graph.votes import VOTES, AnnotatedPair, PairVotes, Vote, read_annotated_pairs
from pipeline.grouping import grouped
from pipeline.measures import pearson
from pipeline.progress import Progress, no_progress


@click.command()
@click.option("--restarts", type=click.IntRange(1), default=50, show_default=True, help="Random starts of MACE.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of MACE and of the random order.")
def command(data: Path, test: Path | None, progress: Progress, restarts: int, seed: int) -> Evaluation:
    """From votes on pairs of arguments to gold labels, graphs and ranks (Habernal and Gurevych 2016).

    DIR has the release of UKPConvArg1, with the folders UKPConvArg1-full-XML, UKPConvArg1Strict-CSV and
    UKPConvArg1-Ranking-CSV. Nothing is learned, so --test only names another folder.
    """

    return evaluate(test or data, restarts=restarts, seed=seed, progress=progress)


# UKPConvArg1 as released: every vote, and the gold labels, strict pairs and ranks that the authors made of them.

# A pair by its arguments' ids, which no two topics share; files of one topic are not always called alike.
PairKey = tuple[str, str]


@dataclass(frozen=True)
class Release:
    """The votes, and what the authors made of them and published."""

    annotated: tuple[AnnotatedPair, ...]
    gold: dict[PairKey, Vote]
    competence: dict[str, float]
    strict: dict[PairKey, Vote]
    ranks: dict[str, float]

    @property
    def voted(self) -> tuple[PairVotes, ...]:
        return tuple(pair.votes for pair in self.annotated)


def key_of(pair: PairVotes) -> PairKey:
    return pair.first, pair.second


def read_release(folder: Path) -> Release:
    """The release in a folder, or below it."""
    ranks = sorted(_below(folder, "UKPConvArg1-Ranking-CSV").glob("*.csv"))
    annotated = list(read_annotated_pairs(_below(folder, "UKPConvArg1-full-XML")))
    return Release(
        annotated=tuple(annotated),
        gold={key_of(pair.votes): pair.gold for pair in annotated if pair.gold is not None},
        competence={worker: value for pair in annotated for worker, value in pair.competence.items()},
        strict=dict(_strict(_below(folder, "UKPConvArg1Strict-CSV"))),
        ranks={argument: rank for path in ranks for argument, rank in read_ranks(path, "id")},
    )


def _below(folder: Path, name: str) -> Path:
    result = next((path for path in sorted(folder.rglob(name)) if path.is_dir()), None)
    if result is None:
        raise RostrumError(f"{folder}: has no folder {name}; give the folder of UKPConvArg1's release")
    return result


def _strict(folder: Path) -> Iterator[tuple[PairKey, Vote]]:
    for path in sorted(folder.glob("*.csv")):
        for line, row in read_tab_separated(path, ("id", "label")):
            first, _, second = row["id"].partition("_")
            if row["label"] not in ("a1", "a2") or not second:
                raise RostrumError(f"{path}: line {line}: not an id of two arguments, and a1 or a2")
            yield (first, second), "a1" if row["label"] == "a1" else "a2"


# The tables of the corpus: gold labels from votes, graphs in every order of building, strict pairs, ranks, people.

# Figures of the paper and of the release.
PUBLISHED: tuple[Row, ...] = (
    {"method": "published: labels", "pairs": 16081, "undecided": 846, "a1": 6398, "a2": 6394, "equal": 3289},
    {
        "method": "published: graph",
        "order": "descending",
        "equal_pairs": "left out",
        "pairs_before_first_cycle": 199,
        "pairs_refused": 35,
        "edges": 365,
        "transitivity_mean": 10.8,
        "transitivity_max": 24.0,
    },
    {"method": "published: strict pairs", "pairs": 11650},
    {"method": "published: ranks", "arguments": 1052},
    {"method": "published: people", "accuracy": 0.93},
    {"method": "published: workers", "stance_none": 0.66, "stance_same": 0.20, "stance_opposite": 0.14},
)


def evaluate(folder: Path, *, restarts: int = 50, seed: int = 0, progress: Progress = no_progress) -> Evaluation:
    """Everything that the paper computes from the votes, beside the published figures."""
    progress(0.0, "reading votes")
    release = read_release(folder)
    progress(0.1, "MACE")
    result = gold(release.voted, restarts=restarts, seed=seed)
    progress(0.8, "graphs")
    rows: list[Row] = [_labels(release, result)]
    rows += [{"method": "graph", **row} for row in statistics(result.pairs, seed)]
    rows += [{"method": "cycles", **row} for row in cycle_rows(result.pairs)]
    for competence, labelled in (("found here", result), ("as released", _released(release))):
        rows.append(_strict_rows(release, labelled, competence))
        rows += [_ranks(release, labelled, competence, left_out) for left_out in (0, 1)]
    rows += [*_people(release, result), *_workers(release), *_sizes(release), *PUBLISHED]
    return Evaluation(
        name="graph",
        signature=signature(
            "numpy", "networkx", data=folder.resolve().name, pairs=len(release.voted), restarts=restarts, seed=seed
        ),
        rows=tuple(rows),
        notes=(_READING,),
        tables=tuple(grouped((_title(row), row) for row in rows).items()),
    )


_READING = (
    "labels: MACE at .95 over all topics. graph: averages over topics. cycles: of up to five arguments if no pair was "
    "refused. strict pairs: kept in descending order without equal pairs, against the released ones. ranks: PageRank "
    "over all kept pairs. people: one worker's votes against the gold labels of the pairs voted on."
)


def _labels(release: Release, result: Gold) -> Row:
    ours = {(pair.first, pair.second): pair.label for pairs in result.pairs.values() for pair in pairs}
    shared = ours.keys() & release.gold.keys()
    counts = Counter(ours.values())
    return {
        "method": "labels",
        "pairs": len(ours),
        "undecided": result.undecided,
        **{vote: counts[vote] for vote in VOTES},
        "shared": len(shared),
        "accuracy": float(np.mean([ours[key] == release.gold[key] for key in shared])) if shared else None,
    }


def _released(release: Release) -> Gold:
    """The labels and competences as released: they show the graph without our MACE."""
    pairs: dict[str, list[GoldPair]] = {pair.topic: [] for pair in release.voted}
    for pair in release.voted:
        if label := release.gold.get(key_of(pair)):
            pairs[pair.topic].append(gold_pair(pair, label, release.competence))
    return Gold(pairs, release.competence, len(release.voted) - len(release.gold))


def _strict_rows(release: Release, result: Gold, competence: str) -> Row:
    kept: dict[PairKey, str] = {}
    for pairs in result.pairs.values():
        built = build_graph(ordered([pair for pair in pairs if pair.label != "equal"], "descending"))
        kept |= {(pair.first, pair.second): pair.label for pair in built.kept}
    shared = sum(kept.get(key) == vote for key, vote in release.strict.items())
    return {"method": "strict pairs", "competence": competence, "pairs": len(kept), "shared": shared}


def _ranks(release: Release, result: Gold, competence: str, left_out: int) -> Row:
    """How our ranks correlate with the released ones. Arguments are identified by id, not by text.

    The authors' program leaves out the surest pair of each topic, so that this is shown as well.
    """
    by_topic = [
        [
            (argument.rank, release.ranks[argument.argument])
            for argument in ranked(built)
            if argument.argument in release.ranks
        ]
        for built in (build_graph(ordered(pairs, "descending")[left_out:]) for pairs in result.pairs.values())
    ]
    together = [pair for pairs in by_topic for pair in pairs]
    correlations = [value for pairs in by_topic if (value := _correlation(pairs)) is not None]
    return {
        "method": "ranks",
        "competence": competence,
        "surest_pairs_left_out": left_out,
        "arguments": len(together),
        "pearson": _correlation(together),
        "pearson_by_topic": fmean(correlations) if correlations else None,
        "pearson_median_topic": median(correlations) if correlations else None,
    }


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    one, other = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return pearson(one, other)


def _people(release: Release, result: Gold) -> list[Row]:
    """How often people agree with the gold labels, on all labelled pairs and on the strict ones."""
    return [
        {"method": "people", "pairs_of": of, "worker": worker, **_agreement(release, result, labels, best)}
        for of, labels in (("all", release.gold), ("strict", release.strict))
        for worker, best in (("the most competent of the pair", True), ("any", False))
    ]


def _agreement(release: Release, result: Gold, labels: Mapping[PairKey, Vote], best: bool) -> Row:
    right: list[bool] = []
    for pair in release.voted:
        if key_of(pair) in labels:
            workers = sorted(pair.votes, key=lambda worker: (-result.competence[worker], worker))
            label = labels[key_of(pair)]
            right += [pair.votes[worker] == label for worker in (workers[:1] if best else workers)]
    return {"votes": len(right), "accuracy": float(np.mean(right)) if right else None}


def _workers(release: Release) -> list[Row]:
    """How workers stood to what they judged, by their own words, and their places by competence among all workers.

    The paper judges people by the best-placed worker of each pair.
    """
    stances = Counter(stance for pair in release.annotated for stance in pair.stance.values())
    places = [tuple(pair.rank.values()) for pair in release.annotated if pair.rank]
    votes = sum(stances.values())
    return [
        {
            "method": "workers",
            "votes": votes,
            **{f"stance_{stance}": stances[stance] / votes for stance in ("none", "same", "opposite")},
            "mean_rank": fmean(place for of_pair in places for place in of_pair) if places else None,
            "mean_rank_of_the_best": fmean(map(min, places)) if places else None,
        }
    ]


def _sizes(release: Release) -> list[Row]:
    """How large the sets are, with the mean and the deviation over topics; the reasons for gold labels."""
    topic_of = {key_of(pair): pair.topic for pair in release.voted}
    topic_of_argument = {argument: topic for key, topic in topic_of.items() for argument in key}
    reasons = [
        pair.votes.reasons.get(worker, "")
        for pair in release.annotated
        for worker, vote in pair.votes.votes.items()
        if vote == pair.gold
    ]
    told: Row = {"gold_reasons": len(reasons), "gold_reason_tokens": sum(map(_java_tokens, reasons))}
    return [
        {"method": "sizes", "of": "labelled pairs", **_by_topic(topic_of[key] for key in release.gold), **told},
        {"method": "sizes", "of": "strict pairs", **_by_topic(topic_of[key] for key in release.strict)},
        {
            "method": "sizes",
            "of": "ranked arguments",
            **_by_topic(topic_of_argument[argument] for argument in release.ranks if argument in topic_of_argument),
        },
    ]


def _by_topic(topics: Iterable[str]) -> Row:
    counts = list(Counter(topics).values())
    if not counts:
        return {"number": 0, "per_topic": None, "deviation": None}
    return {"number": sum(counts), "per_topic": fmean(counts), "deviation": stdev(counts) if len(counts) > 1 else None}


def _java_tokens(reason: str) -> int:
    """The number of tokens as the authors' program counts them: what stands between characters of no word.

    >>> _java_tokens("A1 isn't long."), _java_tokens("'Tis")
    (4, 2)
    """
    return len(re.split(r"\W+", reason.rstrip(), flags=re.ASCII)) - bool(re.search(r"\W$", reason.rstrip(), re.ASCII))


def _title(row: Row) -> str:
    """What a row is about. A table ends with the published figures."""
    return str(row["method"]).removeprefix("published: ")

"""People beside methods: how often one worker's vote on a pair is that of most of the others."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from pipeline.convincing.evaluate.data import topics_of_ids
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.graph import PairVotes, read_annotated_pairs, read_votes
from pipeline.grouping import grouped
from pipeline.measures import bootstrap_interval, fleiss_kappa, mean, pooled_mean

PEOPLE = "people, one against the others"


def people_rows(votes: Path, folder: Path, name: str) -> list[Row]:
    """One row per topic, their average, and all pairs together, of the pairs of a set that people voted on.

    `votes` is the file that `rostrum graph` reads, or the folder of UKPConvArg1's XML. A pair of the set `name` is
    known by the ids of its two arguments.
    """
    ids = topics_of_ids(folder)
    known = (pair for pair in _voted(votes) if len(pair.votes) > 1)
    by_topic = grouped((topic, pair) for pair in known if (topic := _topic(ids, pair)) is not None)
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


def _topic(ids: Mapping[str, str], pair: PairVotes) -> str | None:
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

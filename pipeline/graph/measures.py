"""Measures of an argument graph: how transitive it is, and the rank of every argument."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import networkx as nx

from pipeline.graph.build import LONGEST_CYCLE, STRATEGIES, ArgumentGraph, GoldPair, Strategy, build, cycles, ordered
from pipeline.graph.votes import PairVotes
from pipeline.text.terms import stem, stop_words, tokens

DAMPING = 0.85


def transitivity_scores(graph: nx.DiGraph) -> list[float]:
    """Longest over shortest path of every two nodes that an edge and also a longer path joins, in an acyclic graph.

    People judged the pair itself, and judged it as the chain of other pairs would have it.
    """
    return [float(length) for _, lengths in _detours(graph) for length in lengths]


def node_transitivity(graph: nx.DiGraph) -> dict[str, int]:
    """For every node, the longest path to any node that it also has an edge to; 0 where no path is longer than that."""
    return {node: max(lengths, default=0) for node, lengths in _detours(graph)}


def mixed_graph(pairs: Iterable[GoldPair]) -> nx.DiGraph:
    """An edge from the more to the less convincing argument, and both ways between equal ones."""
    graph = nx.DiGraph()
    for pair in pairs:
        graph.add_edge(*pair.winner_and_loser)
        if pair.label == "equal":
            graph.add_edge(pair.second, pair.first)
    return graph


def page_rank(graph: nx.DiGraph) -> dict[str, float]:
    """PageRank to the last digits. Edges lead to the less convincing, so convincing arguments have a low rank."""
    ranks: dict[str, float] = nx.pagerank(graph, alpha=DAMPING, tol=1e-14, max_iter=1000)
    return ranks


def _detours(graph: nx.DiGraph) -> Iterator[tuple[str, list[int]]]:
    """Every node with the edges of the longest paths to its successors, where they have more than one."""
    order = list(nx.topological_sort(graph))
    for place, source in enumerate(order):
        longest = {source: 0}
        for node in order[place:]:
            if node in longest:
                for target in graph.successors(node):
                    longest[target] = max(longest.get(target, 0), longest[node] + 1)
        yield source, [longest[target] for target in graph.successors(source) if longest[target] > 1]


# The published table of graph statistics: for each order of building, averages over the topics.

Row = dict[str, float | int | str | None]
# Ranks that differ by less are the same number, solved for in another order.
_RANK_DIGITS = 9
_EQUAL = {True: "merged", False: "left out"}


def statistics(topics: Mapping[str, Sequence[GoldPair]], seed: int = 0) -> list[Row]:
    """One row per order of building, with equal pairs merged and with them left out."""
    return [_row(topics, strategy, merged, seed) for merged in (True, False) for strategy in STRATEGIES]


def cycle_rows(topics: Mapping[str, Sequence[GoldPair]]) -> list[Row]:
    """How many cycles there would be if no pair was refused, over all topics, with equal pairs merged and left out.

    Merging joins most arguments of a topic into a few nodes, so the two are counts of very different graphs.
    """
    return [_cycle_row(topics, merged) for merged in (True, False)]


def _cycle_row(topics: Mapping[str, Sequence[GoldPair]], merged: bool) -> Row:
    found = [cycles(_chosen(pairs, merged)) for pairs in topics.values()]
    counts: Row = {
        f"cycles_of_{length}": sum(each.by_length.get(length, 0) for each in found)
        for length in range(1, LONGEST_CYCLE + 1)
    }
    cut = sum(not each.complete for each in found)
    return {"equal_pairs": _EQUAL[merged], "nodes": _mean(each.nodes for each in found), **counts, "topics_cut": cut}


def _chosen(pairs: Sequence[GoldPair], merged: bool) -> list[GoldPair]:
    """All pairs, or those without equal ones."""
    return [pair for pair in pairs if merged or pair.label != "equal"]


def _row(topics: Mapping[str, Sequence[GoldPair]], strategy: Strategy, merged: bool, seed: int) -> Row:
    chosen = [_chosen(pairs, merged) for pairs in topics.values()]
    graphs = [build(ordered(pairs, strategy, seed)) for pairs in chosen]
    first = [graph.first_cycle for graph in graphs if graph.first_cycle]
    scores = [transitivity_scores(graph.graph) for graph in graphs]
    return {
        "order": strategy,
        "equal_pairs": _EQUAL[merged],
        "topics": len(graphs),
        "topics_with_cycles": len(first),
        "pairs": _mean(len(pairs) for pairs in chosen),
        "pairs_before_first_cycle": _mean(cycle.pairs for cycle in first),
        "nodes_before_first_cycle": _mean(cycle.nodes for cycle in first),
        "edges_before_first_cycle": _mean(cycle.edges for cycle in first),
        "first_cycle_length": _mean(cycle.length for cycle in first),
        "pairs_refused": _mean(len(graph.refused) for graph in graphs),
        "nodes": _mean(len(graph.graph) for graph in graphs),
        "edges": _mean(graph.graph.number_of_edges() for graph in graphs),
        "transitivity_mean": _mean(fmean(each) for each in scores if each),
        "transitivity_max": _mean(max(each) for each in scores if each),
    }


def _mean(values: Iterable[float]) -> float | None:
    """The mean, or None where no topic has the figure."""
    values = list(values)
    return fmean(values) if values else None


@dataclass(frozen=True)
class RankedArgument:
    """An argument with its PageRank, where a low one is convincing. Equal ranks share a place, 1 being the first."""

    argument: str
    rank: float
    place: int


def ranked(graph: ArgumentGraph) -> list[RankedArgument]:
    """Every argument with its PageRank over the pairs the graph has kept, the most convincing first."""
    ranks = page_rank(mixed_graph(graph.kept))
    order = sorted((round(rank, _RANK_DIGITS), argument) for argument, rank in ranks.items())
    first_place: dict[float, int] = {}
    for place, (rank, _) in enumerate(order, start=1):
        first_place.setdefault(rank, place)
    return [RankedArgument(argument, rank, first_place[rank]) for rank, argument in order]


# Why workers held an argument more, or less, convincing than another: for each argument its most typical reason.

Side = Literal["for", "against"]
# How workers name the two arguments of a pair.
_NAMED = re.compile(r"\b(?:a|arg|argument)\s*(?:(1|one)|2|two)\b", re.IGNORECASE)
THIS, OTHER = "this argument", "the other"
_ARGUMENT = stem("argument")
_MOST_WORDS = 5


@dataclass(frozen=True)
class TypicalReason:
    """The reason for or against an argument that shares most with all other reasons given for it.

    `words` are the content words that most of the reasons have.
    """

    topic: str
    argument: str
    side: Side
    reasons: int
    typical: str
    words: tuple[str, ...]


def typical_reasons(voted: Iterable[PairVotes]) -> list[TypicalReason]:
    """For each argument why it was held more convincing (`for`) and less convincing (`against`) than others."""
    given: defaultdict[tuple[str, str, Side], list[str]] = defaultdict(list)
    for pair in voted:
        for worker, reason in pair.reasons.items():
            vote = pair.votes[worker]
            if vote == "equal":
                continue
            for argument, first in ((pair.first, True), (pair.second, False)):
                side: Side = "for" if (vote == "a1") is first else "against"
                given[pair.topic, argument, side].append(_seen_from(reason, first=first))
    return [_typical(*key, reasons) for key, reasons in sorted(given.items())]


def _seen_from(reason: str, *, first: bool) -> str:
    """The reason with the arguments named from the view of the first, or of the second.

    >>> _seen_from("A1 gives more facts than argument two.", first=False)
    'the other gives more facts than this argument.'
    """
    return _NAMED.sub(lambda match: THIS if bool(match[1]) is first else OTHER, " ".join(reason.split()))


def _typical(topic: str, argument: str, side: Side, reasons: list[str]) -> TypicalReason:
    content = [_content(reason) for reason in reasons]
    having = Counter(each for stems in content for each in stems)

    def shared(place: int) -> float:
        """How many reasons have a word of this one, on average over its words."""
        stems = content[place]
        return sum(having[each] for each in stems) / (len(stems) + 1)

    best = max(range(len(reasons)), key=lambda place: (shared(place), -len(reasons[place]), reasons[place]))
    return TypicalReason(topic, argument, side, len(reasons), reasons[best], tuple(_most_common(reasons, having)))


def _content(reason: str) -> set[str]:
    """Stems of the content words."""
    return {stem(word) for word in _words(reason) if word not in stop_words()}


def _words(reason: str) -> list[str]:
    """The words without the names of the arguments, and without 'argument', which tells nothing of one."""
    return [word for word in tokens(reason.replace(THIS, " ").replace(OTHER, " ")) if stem(word) != _ARGUMENT]


def _most_common(reasons: list[str], having: Counter[str]) -> list[str]:
    """The most frequent stems, each as the word that is written most often for it."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason in reasons:
        for word in _words(reason):
            written[stem(word)][word] += 1
    order = sorted(having, key=lambda each: (-having[each], each))[:_MOST_WORDS]
    return [written[each].most_common(1)[0][0] for each in order]

"""The published table of graph statistics: for each order of building, averages over the topics."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from pipeline.argue.graph.build import STRATEGIES, ArgumentGraph, GoldPair, Strategy, build, cycles_by_length, ordered
from pipeline.argue.graph.measures import mixed_graph, page_rank, transitivity_scores

Row = dict[str, float | int | str | None]


def statistics(topics: Mapping[str, Sequence[GoldPair]], seed: int = 0) -> list[Row]:
    """A row for each order of building, with equal pairs merged and with them left out."""
    return [_row(topics, strategy, merged, seed) for merged in (True, False) for strategy in STRATEGIES]


def cycle_counts(topics: Mapping[str, Sequence[GoldPair]]) -> dict[int, int]:
    """How many elementary cycles of each length there would be if no pair was refused, over all topics."""
    counts = [cycles_by_length(pairs) for pairs in topics.values()]
    return {length: sum(count.get(length, 0) for count in counts) for length in sorted({n for c in counts for n in c})}


def _row(topics: Mapping[str, Sequence[GoldPair]], strategy: Strategy, merged: bool, seed: int) -> Row:
    chosen = [[pair for pair in pairs if merged or pair.label != "equal"] for pairs in topics.values()]
    graphs = [build(ordered(pairs, strategy, seed)) for pairs in chosen]
    first = [graph.first_cycle for graph in graphs if graph.first_cycle]
    scores = [transitivity_scores(graph.graph) for graph in graphs]
    return {
        "order": strategy,
        "equal_pairs": "merged" if merged else "left out",
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


def ranked(graph: ArgumentGraph) -> list[tuple[str, float]]:
    """Every argument with its PageRank over the pairs the graph has kept, the most convincing first."""
    ranks = page_rank(mixed_graph(graph.kept))
    return sorted(ranks.items(), key=lambda item: (item[1], item[0]))

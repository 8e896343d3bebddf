"""Measures of an argument graph: how transitive it is, its cycles, the rank of every argument; and its drawing."""

import html
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import networkx as nx

from pipeline.graph.build import (
    LONGEST_CYCLE,
    STRATEGIES,
    ArgumentGraph,
    GoldPair,
    Strategy,
    build_graph,
    cycles,
    ordered,
)

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
    for index, source in enumerate(order):
        longest = {source: 0}
        for node in order[index:]:
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
    of_topics = [cycles(_chosen(pairs, merged)) for pairs in topics.values()]
    counts: Row = {
        f"cycles_of_{length}": sum(topic.by_length.get(length, 0) for topic in of_topics)
        for length in range(1, LONGEST_CYCLE + 1)
    }
    cut = sum(not topic.complete for topic in of_topics)
    return {
        "equal_pairs": _EQUAL[merged],
        "nodes": _mean(topic.nodes for topic in of_topics),
        **counts,
        "topics_cut": cut,
    }


def _chosen(pairs: Sequence[GoldPair], merged: bool) -> list[GoldPair]:
    """All pairs, or those without equal ones."""
    return [pair for pair in pairs if merged or pair.label != "equal"]


def _row(topics: Mapping[str, Sequence[GoldPair]], strategy: Strategy, merged: bool, seed: int) -> Row:
    chosen = [_chosen(pairs, merged) for pairs in topics.values()]
    graphs = [build_graph(ordered(pairs, strategy, seed)) for pairs in chosen]
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
        "transitivity_mean": _mean(fmean(of_topic) for of_topic in scores if of_topic),
        "transitivity_max": _mean(max(of_topic) for of_topic in scores if of_topic),
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


_RADIUS, _COLUMN, _ROW, _MARGIN = 17, 64, 74, 40
# An argument graph as an SVG figure: the most convincing arguments on top, every edge pointing down.

_STYLE = (
    "text{font:10px sans-serif;text-anchor:middle}"
    "line{stroke:#8899a6;stroke-width:.7;opacity:.55}"
    "circle{stroke:#334;stroke-width:1}"
)


def svg(built: ArgumentGraph) -> str:
    """The graph as SVG. In a node: edges in / out / transitivity score, and the darker the higher that score.

    A node's row is the longest path that leads to it; the arguments it stands for are in its tooltip.
    """
    positions = _positions(built.graph)
    width = max((x for x, _ in positions.values()), default=0) + _MARGIN
    height = max((y for _, y in positions.values()), default=0) + _MARGIN
    lines = [_edge(*positions[source], *positions[target]) for source, target in built.graph.edges]
    scores = node_transitivity(built.graph)
    highest = max(scores.values(), default=0)
    circles = [_node(built, node, *positions[node], scores[node], highest) for node in built.graph]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join([*lines, *circles]) + "\n</svg>\n"
    )


def _positions(graph: nx.DiGraph) -> dict[str, tuple[float, float]]:
    rows: dict[int, list[str]] = defaultdict(list)
    level: dict[str, int] = {}
    for node in nx.lexicographical_topological_sort(graph):
        level[node] = max((level[before] + 1 for before in graph.predecessors(node)), default=0)
        rows[level[node]].append(node)
    widest = max((len(nodes) for nodes in rows.values()), default=0)
    positions: dict[str, tuple[float, float]] = {}
    for row, nodes in rows.items():
        # every other row is moved by half a column, so that fewer edges run through nodes
        start = _MARGIN + ((widest - len(nodes)) + 0.5 * (row % 2)) * _COLUMN / 2
        positions.update({node: (start + i * _COLUMN, _MARGIN + row * _ROW) for i, node in enumerate(nodes)})
    return positions


def _edge(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.0f}" y1="{y1 + _RADIUS:.0f}" x2="{x2:.0f}" y2="{y2 - _RADIUS:.0f}"/>'


def _node(built: ArgumentGraph, node: str, x: float, y: float, score: int, highest: int) -> str:
    names = html.escape(" = ".join(built.members(node)))
    short = html.escape(node if len(node) <= 10 else f"…{node[-8:]}")
    lightness = 96 - 36 * score / highest if highest else 96
    figures = f"{built.graph.in_degree(node)}/{built.graph.out_degree(node)}/{score}"
    return (
        f"<g><title>{names}</title>"
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{_RADIUS}" fill="hsl(205 70% {lightness:.0f}%)"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{figures}</text>'
        f'<text x="{x:.0f}" y="{y + _RADIUS + 11:.0f}">{short}</text></g>'
    )

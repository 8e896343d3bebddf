"""Measures of an argument graph: how transitive it is, and the rank of every argument."""

from collections.abc import Iterable, Iterator

import networkx as nx

from pipeline.argue.graph.build import GoldPair

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

"""Measures of an argument graph: how transitive it is, and the rank of every argument."""

from collections.abc import Iterable

import networkx as nx
import numpy as np

from pipeline.argue.graph.build import GoldPair

DAMPING = 0.85


def transitivity_scores(graph: nx.DiGraph, *, direct_only: bool = True) -> list[float]:
    """Longest over shortest path of every two nodes that more than one length of path joins, in an acyclic graph.

    With `direct_only` the shortest path has to be an edge, as in the published table: people judged the pair itself,
    and judged it as the chain of other pairs would have it.
    """
    scores = []
    order = list(nx.topological_sort(graph))
    for place, source in enumerate(order):
        longest, shortest = _path_lengths(graph, source, order[place:])
        for target, length in longest.items():
            if length > shortest[target] and (shortest[target] == 1 or not direct_only):
                scores.append(length / shortest[target])
    return scores


def node_transitivity(graph: nx.DiGraph) -> dict[str, int]:
    """For every node, the longest path to any node that it also has an edge to; 0 where no path is longer than that."""
    order = list(nx.topological_sort(graph))
    scores = {}
    for place, source in enumerate(order):
        longest, shortest = _path_lengths(graph, source, order[place:])
        scores[source] = max((longest[t] for t in longest if shortest[t] == 1 and longest[t] > 1), default=0)
    return scores


def mixed_graph(pairs: Iterable[GoldPair]) -> nx.DiGraph:
    """An edge from the more to the less convincing argument, and both ways between equal ones."""
    graph = nx.DiGraph()
    for pair in pairs:
        graph.add_edge(*pair.winner_and_loser)
        if pair.label == "equal":
            graph.add_edge(pair.second, pair.first)
    return graph


def page_rank(graph: nx.DiGraph, damping: float = DAMPING) -> dict[str, float]:
    """PageRank, by solving for it. Edges lead to the less convincing, so convincing arguments have a low rank."""
    nodes = list(graph)
    if not nodes:
        return {}
    place = {node: i for i, node in enumerate(nodes)}
    # From a node without edges, the walk goes on to any node.
    moves = np.full((len(nodes), len(nodes)), 1.0 / len(nodes))
    for node in nodes:
        if successors := [place[each] for each in graph.successors(node)]:
            moves[place[node]] = 0.0
            moves[place[node], successors] = 1.0 / len(successors)
    start = np.full(len(nodes), (1.0 - damping) / len(nodes))
    ranks = np.linalg.solve(np.eye(len(nodes)) - damping * moves.T, start)
    return {node: float(rank) for node, rank in zip(nodes, ranks, strict=True)}


def _path_lengths(graph: nx.DiGraph, source: str, order: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Edges of the (longest, shortest) paths to all that is reached; `order` is topological from the source on."""
    longest, shortest = {source: 0}, {source: 0}
    for node in order:
        if node in longest:
            for target in graph.successors(node):
                longest[target] = max(longest.get(target, 0), longest[node] + 1)
                shortest[target] = min(shortest.get(target, len(order)), shortest[node] + 1)
    del longest[source]
    return longest, shortest

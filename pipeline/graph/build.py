"""The argument graph: from the more to the less convincing, built pair by pair and kept free of cycles."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import networkx as nx
import numpy as np

from pipeline.graph.votes import Vote

Strategy = Literal["random", "ascending", "descending"]
STRATEGIES: tuple[Strategy, ...] = ("random", "ascending", "descending")
# What a vote against the gold label weighs more than one for it.
PENALTY = 10.0
# Cycles are counted up to this length: of longer ones there can be more than anybody can count.
LONGEST_CYCLE = 5


@dataclass(frozen=True)
class GoldPair:
    """Two arguments and which of them is more convincing; `weight` says how sure the voters were."""

    first: str
    second: str
    label: Vote
    weight: float

    @property
    def winner_and_loser(self) -> tuple[str, str]:
        return (self.second, self.first) if self.label == "a2" else (self.first, self.second)


@dataclass(frozen=True)
class FirstCycle:
    """Where the first pair was refused: how many pairs were looked at before, and how large the graph was."""

    pairs: int
    nodes: int
    edges: int
    length: int


@dataclass
class ArgumentGraph:
    """An acyclic graph whose nodes are arguments, or groups of arguments that are equally convincing."""

    graph: nx.DiGraph = field(default_factory=nx.DiGraph)
    kept: list[GoldPair] = field(default_factory=list)
    refused: list[GoldPair] = field(default_factory=list)
    first_cycle: FirstCycle | None = None
    _node_of: dict[str, str] = field(default_factory=dict)

    def node(self, argument: str) -> str:
        """The node that stands for this argument: its own, or that of its group."""
        return self._node_of.get(argument, argument)

    def members(self, node: str) -> list[str]:
        """The arguments that this node stands for."""
        return sorted(argument for argument, of in self._node_of.items() if of == node)

    def add(self, pair: GoldPair) -> bool:
        """Take the pair in unless it closes a cycle; whether it was taken."""
        nodes = [self.node(argument) for argument in pair.winner_and_loser]
        length = self._cycle_length(nodes[0], nodes[1], pair.label == "equal")
        if length is not None:
            if self.first_cycle is None:
                looked_at = len(self.kept) + len(self.refused)
                self.first_cycle = FirstCycle(looked_at, len(self.graph), self.graph.number_of_edges(), length)
            self.refused.append(pair)
            return False
        for argument, node in zip(pair.winner_and_loser, nodes, strict=True):
            self._node_of.setdefault(argument, node)
            self.graph.add_node(node)
        if pair.label != "equal":
            self.graph.add_edge(*nodes)
        elif nodes[0] != nodes[1]:
            self._merge(*nodes)
        self.kept.append(pair)
        return True

    def _cycle_length(self, winner: str, loser: str, equal: bool) -> int | None:
        """Nodes in the shortest cycle that an edge, or making one node of two, would close; None for no cycle."""
        if winner == loser:
            return None if equal else 1
        back = _distance(self.graph, loser, winner)
        if not equal:
            return None if back is None else back + 1
        ways = [way for way in (back, _distance(self.graph, winner, loser)) if way is not None]
        return min(ways, default=None)

    def _merge(self, node: str, other: str) -> None:
        nx.contracted_nodes(self.graph, node, other, self_loops=False, copy=False, store_contraction_as=None)
        for argument, of in self._node_of.items():
            if of == other:
                self._node_of[argument] = node


def pair_weight(competence_for: Iterable[float], competence_against: Iterable[float]) -> float:
    """sigmoid(the competences behind the gold label - 10 x those against it)."""
    return float(1.0 / (1.0 + np.exp(PENALTY * sum(competence_against) - sum(competence_for))))


def ordered(pairs: Sequence[GoldPair], strategy: Strategy, seed: int = 0) -> list[GoldPair]:
    """The pairs in the order they are to be tried in; equal weights keep their order."""
    if strategy == "random":
        return [pairs[i] for i in np.random.default_rng(seed).permutation(len(pairs))]
    return sorted(pairs, key=lambda pair: pair.weight, reverse=strategy == "descending")


def build_graph(pairs: Iterable[GoldPair]) -> ArgumentGraph:
    """Take the pairs in, in this order, each unless it closes a cycle."""
    built = ArgumentGraph()
    for pair in pairs:
        built.add(pair)
    return built


@dataclass(frozen=True)
class Cycles:
    """How many elementary cycles of each length all pairs together make, and in how large a graph.

    `complete` is False where counting stopped at a limit.
    """

    by_length: dict[int, int]
    nodes: int
    complete: bool


def cycles(pairs: Iterable[GoldPair], most: int = 1_000_000) -> Cycles:
    """The cycles up to length 5 if no pair was refused. Counting stops after `most` of them.

    Equal arguments are one node, so an edge may begin and end at the same node.
    """
    pairs = list(pairs)
    equals = nx.Graph((pair.first, pair.second) for pair in pairs if pair.label == "equal")
    node_of = {argument: min(group) for group in nx.connected_components(equals) for argument in group}
    edges = [
        tuple(node_of.get(argument, argument) for argument in pair.winner_and_loser)
        for pair in pairs
        if pair.label != "equal"
    ]
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(node_of.values())
    counts = Counter(map(len, itertools.islice(nx.simple_cycles(graph, length_bound=LONGEST_CYCLE), most)))
    return Cycles(dict(sorted(counts.items())), len(graph), counts.total() < most)


def _distance(graph: nx.DiGraph, source: str, target: str) -> int | None:
    if source not in graph or target not in graph or not nx.has_path(graph, source, target):
        return None
    return int(nx.shortest_path_length(graph, source, target))

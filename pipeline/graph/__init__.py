"""From people's votes on pairs of arguments to a graph of which one convinces more, and a ranking.

As Habernal and Gurevych (2016) did it.
"""

from pipeline.graph.build import ArgumentGraph, build_graph, ordered
from pipeline.graph.mace import Gold, Votes, gold, run_mace
from pipeline.graph.measures import cycle_rows, ranked, statistics, svg
from pipeline.graph.votes import PairVotes, read_annotated_pairs, read_votes, typical_reasons

__all__ = [
    "ArgumentGraph",
    "Gold",
    "PairVotes",
    "Votes",
    "build_graph",
    "cycle_rows",
    "gold",
    "run_mace",
    "ordered",
    "ranked",
    "read_annotated_pairs",
    "read_votes",
    "statistics",
    "svg",
    "typical_reasons",
]

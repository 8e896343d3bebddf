"""An argument graph as an SVG figure: the most convincing arguments on top, every edge pointing down."""

import html
from collections import defaultdict

import networkx as nx

from pipeline.graph.build import ArgumentGraph
from pipeline.graph.measures import node_transitivity

_RADIUS, _COLUMN, _ROW, _MARGIN = 17, 64, 74, 40
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

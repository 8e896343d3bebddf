"""The debate on each motion for programs that draw and exchange arguments: xAIF, AIF and Argdown."""

from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from pipeline.export.argument_graph import ArgumentGraph, Point, Said, argument_graph
from pipeline.export.formats import FolderFormat, json_text, write
from pipeline.report.formatting import clock
from pipeline.run.finished import FinishedRun

MEMBERS = {
    "aif": "AIF as JSON (AIFdb): the same as xaif, without the text of the turns.",
    "argdown": "Argdown: the points on each motion, with what supports and attacks them, to read and edit.",
    "xaif": "xAIF (OVA, oAMF): locutions, propositions, support and attack on each motion.",
}
# The scheme nodes of the Argument Interchange Format: type and text.
_SCHEMES = {
    "support": ("RA", "Default Inference"),
    "attack": ("CA", "Default Conflict"),
    "rephrase": ("MA", "Default Rephrase"),
}


def xaif(graph: ArgumentGraph) -> str:
    """The graph as xAIF. Each passage is a locution (L) that asserts (YA) a proposition (I).

    Schemes link propositions: RA supports, CA attacks, MA rephrases. TA links locutions of a recording that follow one
    another. A locution has `start` and `end` in seconds, and its recording as `source`. A proposition that is a point
    has its id as `pointID`, by which a corrected map is read again.
    """
    aif, locutions = _aif(graph)
    content = {
        "AIF": aif,
        "text": {"txt": _turns(graph.said, locutions)},
        "dialog": True,
        "OVA": {"firstname": "", "surname": "", "url": "", "nodes": [], "edges": []},
    }
    return json_text(content)


def aif(graph: ArgumentGraph) -> str:
    """The graph as AIF, as AIFdb writes it: ids are texts."""
    content, _ = _aif(graph)
    for part in content.values():
        for item in part:
            item |= {name: str(value) for name, value in item.items() if name.endswith("ID")}
    return json_text(content)


def _aif(graph: ArgumentGraph) -> tuple[dict[str, list[dict[str, Any]]], dict[Said, int]]:
    """The parts of AIF, and the node of each passage."""
    aif, said = _Aif(), graph.said
    propositions: dict[Said | Point, int] = {}
    locutions = {}
    for passage in said:
        locutions[passage] = aif.locution(passage)
        propositions[passage] = aif.node("I", passage.text)
        aif.scheme("YA", "Asserting", locutions[passage], propositions[passage])
    for before, after in pairwise(said):
        if before.recording == after.recording:
            aif.scheme("TA", "Default Transition", locutions[before], locutions[after])
    for point in (graph.motion, *graph.points.values()):
        propositions[point] = aif.node("I", point.text, pointID=point.id)
    for link in graph.links:
        aif.scheme(*_SCHEMES[link.relation], propositions[link.source], propositions[link.target])
    content = {
        "nodes": aif.nodes,
        "edges": aif.edges,
        "schemefulfillments": [],
        "descriptorfulfillments": [],
        "participants": aif.participants,
        "locutions": aif.locutions,
    }
    return content, locutions


class _Aif:
    """Nodes, edges, participants and locutions, numbered from 0."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, int]] = []
        self.participants: list[dict[str, Any]] = []
        self.locutions: list[dict[str, Any]] = []
        self._people: dict[str, int] = {}

    def node(self, kind: str, text: str, **more: str) -> int:
        self.nodes.append({"nodeID": len(self.nodes), "text": text, "type": kind, **more})
        return len(self.nodes) - 1

    def scheme(self, kind: str, text: str, source: int, target: int) -> None:
        node = self.node(kind, text)
        for start, end in ((source, node), (node, target)):
            self.edges.append({"edgeID": len(self.edges), "fromID": start, "toID": end})

    def locution(self, said: Said) -> int:
        node = self.node("L", said.text)
        times = {"start": round(said.start, 3), "end": round(said.end, 3), "source": said.recording}
        self.locutions.append({"nodeID": node, "personID": self._person(said.speaker), **times})
        return node

    def _person(self, name: str) -> int:
        if name not in self._people:
            self._people[name] = len(self._people)
            first, _, last = name.partition(" ")
            self.participants.append({"participantID": self._people[name], "firstname": first, "surname": last})
        return self._people[name]


def _turns(said: list[Said], locutions: dict[Said, int]) -> str:
    """The passages in turns as the HTML that OVA shows, each in an element with the id of its locution."""
    turns = []
    for (_, speaker), passages in groupby(said, key=lambda each: (each.recording, each.speaker)):
        spans = (
            f'<span class="highlighted" id="{locutions[passage]}">{escape(passage.text, quote=False)}</span>'
            for passage in passages
        )
        turns.append(f"{escape(speaker, quote=False)}: {' '.join(spans)}<br><br>")
    return " ".join(turns)


def argdown(graph: ArgumentGraph) -> str:
    """The graph as Argdown: the motion, then each point with the passages and points that support or attack it."""
    lines = [f"[motion]: {_plain(graph.motion.text)}"]
    for relation, sign in (("support", "+"), ("attack", "-")):
        sources = (source for source in graph.links if source.target == graph.motion and source.relation == relation)
        lines += [f"  {sign} {_title(link.source)}" for link in sources if isinstance(link.source, Point)]
    for point in graph.points.values():
        lines += ["", f"{_title(point)}: {_plain(point.text)}"]
        for source in graph.to(point, "rephrase"):
            lines.append(f"  + {_argument(source)}")
        for source in graph.to(point, "attack"):
            lines.append(f"  - {_title(source) if isinstance(source, Point) else _argument(source)}")
    return "\n".join(lines) + "\n"


def _title(point: Point) -> str:
    return f"[{_plain(point.id)}]"


def _argument(said: Said | Point) -> str:
    """A passage as an argument with a title: who says it, in which recording, and when."""
    if isinstance(said, Point):
        return _title(said)
    time = f"{clock(said.start)}.{int(said.start * 10) % 10}"  # passages of one second keep titles of their own
    return f"<{_plain(f'{said.speaker}, {said.recording} {time}')}>: {_plain(said.text)}"


# What Argdown would read as a sign of its own.
_SIGNS = str.maketrans(
    {"[": "(", "]": ")", "<": "‹", ">": "›", "{": "(", "}": ")", "#": "＃", "@": "＠"} | dict.fromkeys("*_\\\n\r", " ")
)


def _plain(text: str) -> str:
    """The text on one line, without what begins a comment, a link, a tag or a block in Argdown."""
    return " ".join(text.replace("//", "/ /").replace("==", "= =").translate(_SIGNS).split())


def _for_each_motion(suffix: str, content: Callable[[ArgumentGraph], str]) -> FolderFormat:
    def files(run: FinishedRun, folder: Path) -> Iterator[Path]:
        for motion in run.motions:
            graph = argument_graph(run, motion)
            if graph.links:
                yield write(folder / f"{run.file_name_of_motion(motion.id)}{suffix}", content(graph))

    return FolderFormat(files)


FORMATS = {
    "aif": _for_each_motion(".aif.json", aif),
    "argdown": _for_each_motion(".argdown", argdown),
    "xaif": _for_each_motion(".xaif.json", xaif),
}

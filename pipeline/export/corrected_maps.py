"""Argument maps of a run that people corrected in another program: new labels and arguments for the corpus."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.corpus import Corpus, add_rows
from pipeline.errors import RostrumError
from pipeline.export.argument_graph import ArgumentGraph, Said, argument_graph, plain
from pipeline.formats import ArgumentMap, Locution, read_argument_map
from pipeline.grouping import grouped
from pipeline.records import Argument, Label, Motion, Stance
from pipeline.report.formatting import counted
from pipeline.run.finished import FinishedRun

# A locution that begins at most so many seconds from a passage of the run is that passage.
_NEAR = 0.5
_LONGEST_ID = 40


@dataclass
class CorpusChanges:
    """What corrected maps say that the corpus does not: labels, arguments, and notes on what was left out."""

    labels: list[Label] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Add them to the manifests of a corpus, arguments first."""
        if self.arguments:
            add_rows(folder, "arguments.csv", [argument.model_dump() for argument in self.arguments])
        if self.labels:
            rows = [{**label.model_dump(), "mentioned": int(label.mentioned)} for label in self.labels]
            add_rows(folder, "labels.csv", rows)


def read_back(run: FinishedRun, corpus: Corpus, files: Sequence[Path]) -> CorpusChanges:
    """What these maps say. A mention of the run that a map no longer has becomes a label that it is none."""
    changes = CorpusChanges()
    for path in files:
        read = read_argument_map(path)
        motion, node = _motion(run, read, path)
        _OneMap(run, corpus, argument_graph(run, motion), read, path.name, node).add_to(changes)
    return changes


def _motion(run: FinishedRun, read: ArgumentMap, path: Path) -> tuple[Motion, str]:
    """The motion of a map, and its node."""
    for motion in run.motions:
        for node, text in read.propositions.items():
            if read.points.get(node) == motion.id or plain(text) == plain(motion.text):
                return motion, node
    texts = "; ".join(motion.text for motion in run.motions)
    raise RostrumError(f"{path}: none of its propositions is a motion of the run ({texts})")


class _OneMap:
    """A corrected map beside the graph of the run that it was made from."""

    def __init__(
        self, run: FinishedRun, corpus: Corpus, graph: ArgumentGraph, read: ArgumentMap, name: str, motion: str
    ) -> None:
        self._run, self._corpus, self._graph, self._read = run, corpus, graph, read
        self._name, self._motion_node = name, motion
        self._by_text = grouped((plain(said.text), said) for said in graph.said)
        self._by_recording = grouped((said.recording, said) for said in graph.said)
        known = corpus.arguments_on(graph.motion.id)
        self._known = {argument.id: argument for argument in known.items} if known else {}

    def add_to(self, changes: CorpusChanges) -> None:
        points = self._points(changes)
        mentions = self._mentions(points, changes)
        labels = dict.fromkeys(mentions, True) | dict.fromkeys(self._removed(mentions, points), False)
        there = {(label.speech, label.argument): label.mentioned for label in self._corpus.labels}
        other = [pair for pair, mentioned in labels.items() if there.get(pair, mentioned) != mentioned]
        for speech, argument in other:
            changes.notes.append(f"{self._name}: labels.csv says otherwise of {speech} and {argument}; correct its row")
        changes.labels += [
            Label(speech=speech, argument=argument, mentioned=mentioned)
            for (speech, argument), mentioned in sorted(labels.items())
            if (speech, argument) not in there
        ]

    def _points(self, changes: CorpusChanges) -> dict[str, str]:
        """The id of the argument of each proposition that supports or attacks the motion. New ones are added."""
        titles = {plain(argument.title): argument.id for argument in self._known.values()}
        points: dict[str, str] = {}
        new: dict[str, Argument] = {}
        for node, stance in self._stances().items():
            text = self._read.propositions[node]
            named = self._read.points.get(node, "").removeprefix("argument ")
            id = named if named in self._known else titles.get(plain(text))
            if id is None:
                id = self._new_id(
                    text, {*self._known, *(argument.id for argument in changes.arguments), *points.values()}
                )
                new[node] = Argument(id=id, motion=self._graph.motion.id, stance=stance, title=text)
            else:
                changes.notes += _differences(self._known[id], stance, text)
            points[node] = id
        counters = {
            target: points[source]
            for source, relation, target in self._read.links
            if relation == "attack" and source in points and target in new
        }
        changes.arguments += [each.model_copy(update={"counter": counters.get(node)}) for node, each in new.items()]
        return points

    def _stances(self) -> dict[str, Stance]:
        """The side of each proposition that supports or attacks the motion, in the map's order."""
        stances: dict[str, Stance] = {}
        for source, relation, target in self._read.links:
            if target == self._motion_node and relation in ("support", "attack") and self._read.propositions[source]:
                stances[source] = "pro" if relation == "support" else "con"
        return stances

    def _new_id(self, text: str, taken: set[str]) -> str:
        words = re.findall(r"[a-z0-9]+", text.lower()[:200])
        short = "-".join(words)[:_LONGEST_ID].strip("-") or "point"
        return next(id for n in range(len(taken) + 1) if (id := short if n == 0 else f"{short}-{n + 1}") not in taken)

    def _mentions(self, points: Mapping[str, str], changes: CorpusChanges) -> set[tuple[str, str]]:
        """(speech, argument) of every passage that makes a point: rephrases or supports it, or is itself that point."""
        mentions, lost = set(), 0
        makes = [(source, target) for source, relation, target in self._read.links if relation != "attack"]
        for source, target in (*makes, *((node, node) for node in points)):
            for locution in self._read.said.get(source, ()) if target in points else ():
                if speech := self._speech(locution):
                    mentions.add((speech, points[target]))
                else:
                    lost += 1
        if lost:
            what = counted(lost, "locution")
            changes.notes.append(f"{self._name}: {what} not found in a recording of the run; left out")
        return mentions

    def _removed(self, mentions: set[tuple[str, str]], points: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The mentions of the run, with a passage, that the map no longer has."""
        for link in self._graph.links:
            if isinstance(link.source, Said) and link.relation == "rephrase" and link.target.kind == "argument":
                pair = link.source.speech, link.target.id.removeprefix("argument ")
                if pair not in mentions:
                    yield pair

    def _speech(self, locution: Locution) -> str | None:
        """The speech that a locution is from: by its text, else by its recording and time."""
        same = self._by_text.get(plain(locution.text), ())
        near = [
            said
            for said in same or self._by_recording.get(locution.recording or "", ())
            if said.recording == locution.recording and abs(said.start - (locution.start or 0.0)) <= _NEAR
        ]
        candidates = near if locution.recording and locution.start is not None else same
        return candidates[0].speech if candidates else self._by_speaker(locution)

    def _by_speaker(self, locution: Locution) -> str | None:
        """The only speech of that speaker on the motion, in the locution's recording if it names one."""
        own = [
            speech.id
            for speech in self._run.speeches
            if speech.motion == self._graph.motion.id
            and locution.speaker in speech.speakers
            and locution.recording in (None, speech.recording or speech.id)
        ]
        return own[0] if len(own) == 1 else None


def _differences(argument: Argument, stance: Stance, text: str) -> Iterator[str]:
    if plain(argument.title) != plain(text):
        yield f"arguments.csv has another title of {argument.id}; to change it, write there: {text}"
    if argument.stance != stance:
        yield f"arguments.csv says {argument.stance} of {argument.id}, the map {stance}; correct its row"

"""Argument maps as JSON, after the Argument Interchange Format: xAIF of OVA and oAMF, and AIF of AIFdb."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from pipeline.errors import RostrumError, without_controls
from pipeline.system.files import read_text

ArgumentRelation = Literal["support", "attack", "rephrase"]
# A scheme of many premises and conclusions links each with each. So many links are read.
_MOST_LINKS = 1_000_000
# The scheme nodes that link propositions.
SCHEMES: Mapping[str, ArgumentRelation] = {"RA": "support", "CA": "attack", "MA": "rephrase"}


@dataclass(frozen=True)
class Locution:
    """What somebody said, and in which recording and when, as far as the file says so."""

    text: str
    speaker: str
    recording: str | None
    start: float | None


@dataclass(frozen=True)
class ArgumentMap:
    """Propositions by the ids of their nodes, who said which, and what supports, attacks or rephrases what.

    `points` has for a proposition that rostrum wrote the id of the point that it is.
    """

    propositions: Mapping[str, str]
    points: Mapping[str, str]
    said: Mapping[str, tuple[Locution, ...]]
    links: tuple[tuple[str, ArgumentRelation, str], ...]


class _Part(BaseModel):
    """A part of a map. Programs number nodes by texts or by numbers, and add fields of their own."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    @field_validator("*", mode="after")
    @classmethod
    def _plain(cls, value: object) -> object:
        return " ".join(without_controls(value).split()) if isinstance(value, str) else value


class _Node(_Part):
    nodeID: str
    type: str
    text: str = ""
    pointID: str | None = None


class _Edge(_Part):
    fromID: str
    toID: str


class _Locution(_Part):
    nodeID: str
    personID: str | None = None
    source: str | None = None
    start: str | None = None


class _Participant(_Part):
    participantID: str
    firstname: str | None = None
    surname: str | None = None

    @property
    def name(self) -> str:
        """The name, without what stands for a missing part of it."""
        return " ".join(part for part in (self.firstname, self.surname) if part and part != "None")


class _Aif(_Part):
    nodes: list[_Node]
    edges: list[_Edge]
    locutions: list[_Locution] = []
    participants: list[_Participant] = []


def read_argument_map(path: Path) -> ArgumentMap:
    """The argument map in a file."""
    try:
        content = json.loads(read_text(path))
        return _map(_Aif.model_validate(content.get("AIF", content) if isinstance(content, dict) else content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise RostrumError(f"{path}: no argument map (xAIF or AIF): {where}: {first['msg'].lower()}") from error
    except json.JSONDecodeError as error:
        raise RostrumError(f"{path}: not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise RostrumError(f"{path}: cannot be read: {error}") from error


def _map(aif: _Aif) -> ArgumentMap:
    kinds = {node.nodeID: node.type for node in aif.nodes}
    into, out = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for edge in aif.edges:
        into[edge.toID].append(edge.fromID)
        out[edge.fromID].append(edge.toID)
    if sum(len(into[node]) * len(out[node]) for node, kind in kinds.items() if kind in (*SCHEMES, "YA")) > _MOST_LINKS:
        raise ValueError(f"its schemes link more than {_MOST_LINKS:,} pairs of nodes, which are not read")
    propositions = {node.nodeID: node.text for node in aif.nodes if node.type == "I"}
    texts = {node.nodeID: node.text for node in aif.nodes if node.type == "L"}
    names = {person.participantID: person.name for person in aif.participants}
    spoken = {each.nodeID: each for each in aif.locutions}
    said = defaultdict[str, list[Locution]](list)
    for node, text in texts.items():
        about = spoken.get(node)
        locution = Locution(
            text=text,
            speaker=names.get(about.personID or "", "") if about else "",
            recording=about.source if about else None,
            start=_number(about.start) if about else None,
        )
        for scheme in out[node]:
            for proposition in out[scheme] if kinds.get(scheme) == "YA" else [scheme]:
                if proposition in propositions:
                    said[proposition].append(locution)
    links = [
        (source, SCHEMES[kind], target)
        for node, kind in kinds.items()
        if kind in SCHEMES
        for source in into[node]
        for target in out[node]
        if source in propositions and target in propositions
    ]
    points = {node.nodeID: node.pointID for node in aif.nodes if node.type == "I" and node.pointID}
    return ArgumentMap(propositions, points, {id: tuple(own) for id, own in said.items()}, tuple(dict.fromkeys(links)))


def _number(text: str | None) -> float | None:
    """The seconds of a locution; None for what is no number, such as the date that AIFdb may have there."""
    try:
        return float(text) if text else None
    except ValueError:
        return None

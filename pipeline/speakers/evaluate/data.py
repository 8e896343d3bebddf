"""Debates with known sides: Intelligence Squared transcripts, one JSON file per debate, and three views of each.

A file has `motion`, `for`, `against` and `moderator` (names), `turns` of `{speaker, sentences}`, and the audience's
votes in per cent, `votes_before` and `votes_after` (`for`, `against`, `undecided`). All other speakers ask from the
floor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pipeline import formats
from pipeline.errors import RostrumError
from pipeline.records import Motion, Role, Stance
from pipeline.speakers.names import same_person
from pipeline.speakers.utterances import Said, Utterance, utterances


@dataclass(frozen=True)
class KnownDebate:
    """A debate, and who is who in it. Votes are per cent by side."""

    name: str
    motion: str
    sides: Mapping[str, Stance]
    moderators: frozenset[str]
    said: tuple[Utterance, ...]
    votes_before: Mapping[Stance, float]
    votes_after: Mapping[Stance, float]

    @property
    def motion_record(self) -> Motion:
        return Motion(id=self.name, text=self.motion)

    @cached_property
    def roles(self) -> dict[str, Role]:
        """The role of each voice; a misspelled name is that of the debater or moderator whom it is meant for."""
        known: dict[str, Role] = {**dict.fromkeys(self.sides, "debater"), **dict.fromkeys(self.moderators, "moderator")}
        return {voice: known.get(self.meant(voice), "questioner") for voice in self.voices}

    @cached_property
    def voices(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(utterance.voice for utterance in self.said))

    def meant(self, voice: str) -> str:
        """The debater or moderator whose misspelled name this is, or the voice itself."""
        known = (*self.sides, *self.moderators)
        return voice if voice in known else next((name for name in known if same_person(name, voice)), voice)

    def words_of(self, voice: str) -> tuple[Utterance, ...]:
        """What one voice says."""
        return tuple(utterance for utterance in self.said if utterance.voice == voice)

    @cached_property
    def gain(self) -> float | None:
        """By how many points more the side for the motion has gained than the other one."""
        if not self.votes_before or not self.votes_after:
            return None
        pro, con = (self.votes_after[side] - self.votes_before[side] for side in ("pro", "con"))
        return pro - con


def read_debates(folder: Path) -> list[KnownDebate]:
    """All debates of a folder."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RostrumError(f"{folder}: no debate (*.json) in it; --data is a folder with one JSON file per debate")
    return [read_debate(file) for file in files]


def read_debate(file: Path) -> KnownDebate:
    """One debate."""
    debate = formats.read_debate(file)
    sides: dict[str, Stance] = {**dict.fromkeys(debate.pro, "pro"), **dict.fromkeys(debate.con, "con")}
    return KnownDebate(
        file.stem,
        debate.motion,
        sides,
        frozenset(debate.moderators),
        utterances(Said(voice, sentence) for voice, sentences in debate.turns for sentence in sentences),
        _votes(debate.votes_before),
        _votes(debate.votes_after),
    )


def _votes(votes: Mapping[str, float] | None) -> dict[Stance, float]:
    return {"pro": votes["for"], "con": votes["against"]} if votes else {}


def without_names(debate: KnownDebate) -> tuple[tuple[Utterance, ...], dict[str, str]]:
    """(the debate with an arbitrary label in place of each speaker's name, the label of each speaker).

    What is said stays as it is, so that the moderator still says names.
    """
    random = np.random.default_rng([0, *debate.name.encode()])
    order = random.permutation(len(debate.voices)).tolist()
    labels = {voice: f"voice {number + 1}" for voice, number in zip(debate.voices, order, strict=True)}
    said = utterances(
        Said(labels[utterance.voice], sentence) for utterance in debate.said for sentence in utterance.sentences
    )
    return said, labels

"""How often the role of a voice is found: moderators told from debaters, and all voices."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

from pipeline.evaluation.result import Row
from pipeline.measures import pooled_mean, with_interval
from pipeline.records import Role
from pipeline.speakers.evaluate.data import KnownDebate
from pipeline.speakers.record import Speakers

_FROM_THE_FLOOR = ("questioner", "audience")
RoleByVoice = Mapping[str, Role | None]


def role_rows(debates: Sequence[KnownDebate], results: Mapping[str, Mapping[str, Speakers]]) -> Iterator[Row]:
    """A row per transcript, method and the voices that are asked about."""
    for transcript, speakers in results.items():
        for voices in ("moderators and debaters", "all"):
            yield _row(debates, transcript, voices, "rostrum", functools.partial(_roles_of, speakers))
            yield _row(debates, transcript, voices, "most turns: moderator", _most_turns)
            yield _row(debates, transcript, voices, "majority", lambda debate: dict.fromkeys(debate.voices, "debater"))


def _roles_of(results: Mapping[str, Speakers], debate: KnownDebate) -> RoleByVoice:
    return {person.voice: person.role for person in results[debate.name].people}


def _most_turns(debate: KnownDebate) -> RoleByVoice:
    """Who has most turns moderates; who has a tenth of the others' words or more debates."""
    turns = {voice: len(debate.words_of(voice)) for voice in debate.voices}
    moderator = max(turns, key=lambda voice: turns[voice])
    words = {voice: sum(one.words for one in debate.words_of(voice)) for voice in debate.voices if voice != moderator}
    total = sum(words.values())
    roles: dict[str, Role | None] = {
        voice: "debater" if count >= total / 10 else "questioner" for voice, count in words.items()
    }
    return {**roles, moderator: "moderator"}


def _row(
    debates: Sequence[KnownDebate],
    transcript: str,
    voices: str,
    method: str,
    find: Callable[[KnownDebate], RoleByVoice],
) -> Row:
    """Accuracy over voices. Of the floor, questioners and audience are one: the transcripts do not tell them apart."""
    right = []
    for debate in debates:
        roles = find(debate)
        asked = [voice for voice in debate.voices if voices == "all" or voice in (*debate.sides, *debate.moderators)]
        right.append([float(_same(roles.get(voice), debate.roles[voice])) for voice in asked])
    row: Row = {"table": "roles", "transcript": transcript, "voices": voices, "method": method}
    row |= with_interval("accuracy", right, pooled_mean)
    return {**row, "count": sum(map(len, right)), "debates": len(debates)}


def _same(role: Role | None, known: Role) -> bool:
    return role in _FROM_THE_FLOOR if known == "questioner" else role == known

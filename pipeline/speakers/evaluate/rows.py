"""The tables of roles, of replies, and of what goes with winning votes."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.result import Row
from pipeline.measures import pooled_mean, with_interval
from pipeline.records import Role, Stance
from pipeline.speakers.calls import names_of_voices
from pipeline.speakers.camps import OTHER
from pipeline.speakers.evaluate.data import KnownDebate
from pipeline.speakers.replies import People, addressees, rarity
from pipeline.speakers.stage import Speakers
from pipeline.text.terms import stop_words, tokens

# How often the role of a voice is found: moderators told from debaters, and all voices.

_FROM_THE_FLOOR = ("questioner", "audience")
RoleByVoice = Mapping[str, Role | None]


def role_rows(debates: Sequence[KnownDebate], results: Mapping[str, Mapping[str, Speakers]]) -> Iterator[Row]:
    """A row per transcript, method and the voices that are asked about."""
    for transcript, speakers in results.items():
        for voices in ("moderators and debaters", "all"):
            yield _role_row(debates, transcript, voices, "rostrum", functools.partial(_roles_of, speakers))
            yield _role_row(debates, transcript, voices, "most turns: moderator", _most_turns)
            yield _role_row(
                debates, transcript, voices, "majority", lambda debate: dict.fromkeys(debate.voices, "debater")
            )


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


def _role_row(
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


# How often it is found whom a debater replies to, in turns whose first sentences name one of those who may be meant.
#
# Nobody wrote down who replies to whom. But in some turns a debater names one person who spoke shortly before. The
# methods do not see these names. The moderator is never counted, neither as the named one nor as a candidate.


_BACK = 8
_NAMED_IN = 3


@dataclass(frozen=True)
class Named:
    """A turn that names one of the `candidates`: the earlier voices, the latest first, each with its last turn."""

    debate: KnownDebate
    index: int
    candidates: dict[str, int]
    named: str


def reply_rows(debates: Sequence[KnownDebate], results: Mapping[str, Speakers]) -> Iterator[Row]:
    """One row per method: how often the addressee is right."""
    asked = [(debate, list(_named_turns(debate))) for debate in debates]
    asked = [(debate, turns) for debate, turns in asked if turns]
    if not asked:
        return
    people = {debate.name: _known_people(debate, results[debate.name]) for debate, _ in asked}
    rare = {debate.name: rarity(debate.said) for debate, _ in asked}

    def found(turn: Named) -> str:
        debate = turn.debate
        scores = addressees(debate.said, turn.index, people[debate.name], rare[debate.name], use_names=False)
        return max(turn.candidates, key=lambda voice: scores.get(turn.candidates[voice], 0.0))

    methods: dict[str, Callable[[Named], str]] = {
        "rostrum": found,
        "who spoke last": lambda turn: next(iter(turn.candidates)),
        "who spoke last of the other side": _last_opponent,
    }
    for name, method in methods.items():
        yield _reply_row(name, [[float(method(turn) == turn.named) for turn in turns] for _, turns in asked])
    yield _reply_row("chance", [[1 / len(turn.candidates) for turn in turns] for _, turns in asked])


def _named_turns(debate: KnownDebate) -> Iterator[Named]:
    name_of, names = names_of_voices(debate.said, {})
    voice_of = {name: debate.meant(voice) for voice, name in reversed(name_of.items())}
    for index, utterance in enumerate(debate.said):
        if utterance.voice not in debate.sides:
            continue
        candidates: dict[str, int] = {}
        for turn in range(index - 1, max(index - 1 - _BACK, -1), -1):
            voice = debate.said[turn].voice
            if voice != utterance.voice and debate.meant(voice) not in debate.moderators:
                candidates.setdefault(voice, turn)
        said = [mention.name for sentence in utterance.sentences[:_NAMED_IN] for mention in names.mentions(sentence)]
        named = {voice_of[name] for name in said if name in voice_of} & candidates.keys()
        if len(named) == 1 and len(candidates) > 1:
            yield Named(debate, index, candidates, named.pop())


def _known_people(debate: KnownDebate, speakers: Speakers) -> People:
    """Roles and sides as they were found."""
    name_of, names = names_of_voices(debate.said, {})
    role = {person.voice: person.role for person in speakers.people if person.role}
    pro = {
        person.voice: person.side_probability if person.side == "pro" else 1 - person.side_probability
        for person in speakers.people
        if person.side and person.side_probability is not None
    }
    return People(role, pro, {name: voice for voice, name in reversed(name_of.items())}, names)


def _last_opponent(turn: Named) -> str:
    own: Stance = turn.debate.sides[turn.debate.said[turn.index].voice]
    sides = turn.debate.sides
    return next((voice for voice in turn.candidates if sides.get(voice, own) != own), next(iter(turn.candidates)))


def _reply_row(method: str, right: Sequence[Sequence[float]]) -> Row:
    row: Row = {"table": "replies", "method": method, **with_interval("accuracy", right, pooled_mean)}
    return {**row, "turns": sum(map(len, right)), "debates": len(right)}


# Whether the side that takes up the other side's points, or drops its own, wins votes (Zhang et al., 2016).
#
# The points of a side are the words that mark its opening speeches off from the other side's. In the discussion after
# them, a side may say more or fewer of them. A side wins if its share of the votes grows more.


_OPENING_WORDS = 300
_POINTS = 20
_PRIOR = 0.5
_SIDES: tuple[Stance, Stance] = ("pro", "con")


@dataclass(frozen=True)
class Flow:
    """How often each side says its own points and the other side's, as shares of its words: in the openings (before)
    and in the discussion (after).
    """

    own_before: dict[Stance, float]
    own_after: dict[Stance, float]
    other_before: dict[Stance, float]
    other_after: dict[Stance, float]


def vote_rows(debates: Sequence[KnownDebate]) -> Iterator[Row]:
    """How often the winner is the side that does more of something than the other one."""
    voted = [(debate, flow) for debate in debates if debate.gain and (flow := flow_of(debate))]
    if not voted:
        return
    measures: dict[str, Callable[[Flow, Stance], float]] = {
        "adopts the other side's points": lambda flow, side: flow.other_after[side] - flow.other_before[side],
        "says the other side's points": lambda flow, side: flow.other_after[side],
        "drops its own points": lambda flow, side: flow.own_before[side] - flow.own_after[side],
    }
    for name, measure in measures.items():
        right = []
        for debate, flow in voted:
            assert debate.gain is not None
            difference = measure(flow, "pro") - measure(flow, "con")
            right.append(0.5 if difference == 0 else float((difference > 0) == (debate.gain > 0)))
        yield {"table": "votes", "method": name, **with_interval("accuracy", right), "debates": len(right)}
    yield {"table": "votes", "method": "chance", "accuracy": 0.5, "debates": len(voted)}


def flow_of(debate: KnownDebate) -> Flow | None:
    """The points of both sides in the openings and in the discussion; None without opening speeches of both."""
    opening: dict[Stance, Counter[str]] = {side: Counter() for side in _SIDES}
    discussion: dict[Stance, Counter[str]] = {side: Counter() for side in _SIDES}
    opened: set[str] = set()
    for utterance in debate.said:
        side = debate.sides.get(utterance.voice)
        if side is None:
            continue
        words = Counter(word for word in tokens(utterance.text) if word not in stop_words() and len(word) > 2)
        if utterance.voice not in opened and utterance.words >= _OPENING_WORDS:
            opened.add(utterance.voice)
            opening[side] += words
        elif utterance.voice in opened:
            discussion[side] += words
    if any(not opening[side] or not discussion[side] for side in _SIDES):
        return None
    points = {side: _points(opening[side], opening[OTHER[side]]) for side in _SIDES}
    return Flow(
        {side: _share(opening[side], points[side]) for side in _SIDES},
        {side: _share(discussion[side], points[side]) for side in _SIDES},
        {side: _share(opening[side], points[OTHER[side]]) for side in _SIDES},
        {side: _share(discussion[side], points[OTHER[side]]) for side in _SIDES},
    )


def _points(own: Counter[str], other: Counter[str]) -> frozenset[str]:
    """The words with the highest z-scored log-odds ratio against the other side."""
    words = sorted(own.keys() | other.keys())
    one = np.array([own[word] for word in words]) + _PRIOR
    two = np.array([other[word] for word in words]) + _PRIOR
    odds = np.log(one / (one.sum() - one)) - np.log(two / (two.sum() - two))
    scores = odds / np.sqrt(1 / one + 1 / two)
    return frozenset(words[index] for index in np.argsort(-scores, kind="stable")[:_POINTS])


def _share(said: Counter[str], points: frozenset[str]) -> float:
    return sum(said[word] for word in points) / sum(said.values())

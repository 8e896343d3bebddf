"""How often it is found whom a debater replies to, in turns whose first sentences name one of those who may be meant.

Nobody wrote down who replies to whom. But in some turns a debater names one person who spoke shortly before. The
methods do not see these names. The moderator is never counted, neither as the named one nor as a candidate.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.evaluation.result import Row
from pipeline.measures import pooled_mean, with_interval
from pipeline.records import Stance
from pipeline.speakers.calls import names_of_voices
from pipeline.speakers.evaluate.data import KnownDebate
from pipeline.speakers.record import Speakers
from pipeline.speakers.replies import People, addressees, rarity

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
    people = {debate.name: _people(debate, results[debate.name]) for debate, _ in asked}
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
        yield _row(name, [[float(method(turn) == turn.named) for turn in turns] for _, turns in asked])
    yield _row("chance", [[1 / len(turn.candidates) for turn in turns] for _, turns in asked])


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


def _people(debate: KnownDebate, speakers: Speakers) -> People:
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


def _row(method: str, right: Sequence[Sequence[float]]) -> Row:
    row: Row = {"table": "replies", "method": method, **with_interval("accuracy", right, pooled_mean)}
    return {**row, "turns": sum(map(len, right)), "debates": len(right)}

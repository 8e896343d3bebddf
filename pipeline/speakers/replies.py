"""Who replies to whom: each turn's most probable addressee among those who spoke shortly before it.

The order of turns tells most; then questions, names, words that both turns have and others have not, and the camps.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.records import Role
from pipeline.speakers.names import Names
from pipeline.speakers.stage import Reply
from pipeline.speakers.utterances import Utterance
from pipeline.text.terms import stop_words, tokens

# How many earlier turns a reply can be to, and from how many words on a turn is one.
_BACK = 8
_LEAST_WORDS = 4
# Log-odds, chosen by hand.
_PREVIOUS = 1.0
_PER_TURN = -0.5
_QUESTION = 1.0
_NAMED = 3.0
_HANDED_OVER = 2.0
_ALIKE = 8.0
_OTHER_CAMP, _SAME_CAMP = 2.0, -2.0
_MODERATOR = -0.4
_ONLY_CALLED = -2.5
_SHORT = -1.0
_NOBODY = -1.0
_INTRODUCED = 3.0
_CALL_WORDS = 12
_FEW_WORDS = 6
_HEAD, _NAMED_IN = 3, 4

_ASKS = re.compile(r"\?\W*$")
_INTRODUCES = re.compile(
    r"\b(?:ladies and gentlemen|please welcome|introduce|here to|opening|closing|to (?:speak|argue|summari[sz]e)|"
    r"(?:first|next|final|last) (?:speaker|debater)|for the motion|against the motion|against this motion|"
    r"for this motion)\b",
    re.IGNORECASE,
)
# Who is thanked is not answered by that: "Thank you, John, and thank you, David, for an excellent discussion."
_THANKS = re.compile(r"^\W*(?:(?:and|so|well|okay|first) )*(?:thank you|thanks)\b(?!.*\bbut\b)", re.IGNORECASE)


@dataclass(frozen=True)
class People:
    """What is known of the voices: how probably each moderates or asks from the floor, and is for the motion."""

    role: Mapping[str, Role]
    pro: Mapping[str, float]
    voice_of: Mapping[str, str]
    names: Names


def replies(said: Sequence[Utterance], people: People, *, use_names: bool = True) -> Iterator[Reply]:
    """The most probable addressee of every turn that somebody may be addressed in, with its probability."""
    rare = rarity(said)
    for index, utterance in enumerate(said):
        if utterance.words < _LEAST_WORDS or people.role.get(utterance.voice) == "moderator":
            continue
        scored = addressees(said, index, people, rare, use_names=use_names)
        if scored:
            turn, probability = max(scored.items(), key=lambda one: one[1])
            yield Reply(
                voice=utterance.voice,
                first=utterance.first,
                last=utterance.first + len(utterance.sentences),
                to=said[turn].voice,
                to_first=said[turn].first,
                to_last=said[turn].first + len(said[turn].sentences),
                probability=probability,
            )


def addressees(
    said: Sequence[Utterance], index: int, people: People, rare: Mapping[str, float], *, use_names: bool = True
) -> dict[int, float]:
    """How probably a turn replies to each earlier one; what is left to 1 is that it replies to nobody."""
    utterance = said[index]
    candidates: dict[str, int] = {}
    for turn in range(index - 1, max(index - 1 - _BACK, -1), -1):
        if said[turn].voice != utterance.voice and said[turn].voice not in candidates:
            candidates[said[turn].voice] = turn
    addressing = [one for one in utterance.sentences[:_NAMED_IN] if not _THANKS.match(one)]
    named = _named(addressing, people) if use_names else frozenset()
    is_introduced = _is_introduced(said, index, people)
    handed_over = frozenset() if is_introduced else _named_by_moderator(said, index, people)
    odds = {
        turn: _odds(said, index, turn, people, rare) + _NAMED * (voice in named) + _HANDED_OVER * (voice in handed_over)
        for voice, turn in candidates.items()
    }
    nobody = _NOBODY + _INTRODUCED * is_introduced
    if not odds:
        return {}
    highest = max(nobody, *odds.values())
    total = math.exp(nobody - highest) + sum(math.exp(value - highest) for value in odds.values())
    return {turn: math.exp(value - highest) / total for turn, value in odds.items()}


def _odds(said: Sequence[Utterance], index: int, turn: int, people: People, rare: Mapping[str, float]) -> float:
    utterance, earlier = said[index], said[turn]
    value = _PER_TURN * (index - 1 - turn) + (_PREVIOUS if turn == index - 1 else 0.0)
    if _ASKS.search(earlier.sentences[-1]):
        value += _QUESTION
    if people.role.get(earlier.voice) == "moderator":
        value += _MODERATOR
        if earlier.words < _CALL_WORDS and not _ASKS.search(earlier.sentences[-1]):
            value += _ONLY_CALLED
    elif earlier.words < _FEW_WORDS and turn < index - 1:
        value += _SHORT
    if utterance.voice in people.pro and earlier.voice in people.pro:
        one, other = people.pro[utterance.voice], people.pro[earlier.voice]
        apart = one * (1 - other) + other * (1 - one)
        value += apart * _OTHER_CAMP + (1 - apart) * _SAME_CAMP
    return value + _ALIKE * _shared(utterance, said, turn, rare)


def _named(sentences: Sequence[str], people: People) -> frozenset[str]:
    """The voices that are named in some sentences."""
    found = [mention.name for sentence in sentences for mention in people.names.mentions(sentence)]
    return frozenset(people.voice_of[name] for name in found if name in people.voice_of)


def _is_introduced(said: Sequence[Utterance], index: int, people: People) -> bool:
    """Whether a moderator introduces a turn: it is a statement, and answers nobody in particular."""
    if not index or people.role.get(said[index - 1].voice) != "moderator":
        return False
    return any(_INTRODUCES.search(sentence) for sentence in said[index - 1].sentences[-3:])


def _named_by_moderator(said: Sequence[Utterance], index: int, people: People) -> frozenset[str]:
    """Whom a moderator names right before a turn: "Max, your opponent Nir says that you have not been there."."""
    if not index or people.role.get(said[index - 1].voice) != "moderator":
        return frozenset()
    return _named(said[index - 1].sentences[-_NAMED_IN:], people)


def rarity(said: Sequence[Utterance]) -> dict[str, float]:
    """How rare each word is among the turns, from 0 to 1."""
    counts = Counter(word for utterance in said for word in set(tokens(utterance.text)))
    most = math.log(1 + len(said))
    return {word: math.log((1 + len(said)) / (1 + count)) / most for word, count in counts.items()}


def _shared(utterance: Utterance, said: Sequence[Utterance], turn: int, rare: Mapping[str, float]) -> float:
    """The share of rare words in the beginning of a turn that the earlier voice has just used, too."""
    head = {word for sentence in utterance.sentences[:_HEAD] for word in tokens(sentence)} - stop_words()
    earlier = set(tokens(said[turn].text))
    total = sum(rare.get(word, 0.0) for word in head)
    return sum(rare.get(word, 0.0) for word in head & earlier) / (total + 2.0)

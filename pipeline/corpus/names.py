"""Guesses a debate from the names of recordings: in `schools_pro_anna.wav`, Anna speaks for the motion `schools`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pipeline.records import Stance

_SIDES: Mapping[str, Stance] = {
    **dict.fromkeys(("pro", "prop", "proposition", "aff", "affirmative", "gov", "government"), "pro"),
    **dict.fromkeys(("con", "contra", "opp", "opposition", "neg", "negative"), "con"),
}
# Words that occur in other names, too. They count only if both are used.
_COMMON_SIDES: Mapping[str, Stance] = {"for": "pro", "against": "con"}
_NOT_NAMES = frozenset(
    ("audio", "clip", "mono", "part", "recording", "stereo", "take", "track", "video")
    + ("debate", "debater", "final", "round", "session", "side", "speaker", "speech", "statement", "talk", "team")
    + ("closing", "introduction", "opening", "rebuttal", "reply", "summary", "first", "second", "third", "fourth")
)
_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = " _-.,()[]/"


class Guess(NamedTuple):
    """What the name of a recording says about it; empty if it says nothing."""

    motion: str | None = None
    stance: Stance | None = None
    speakers: tuple[str, ...] = ()


class _Parts(NamedTuple):
    """The side that a name gives, and the parts of the name that are left."""

    stance: Stance | None
    rest: tuple[str, ...]


def guesses(names: Sequence[str]) -> dict[str, Guess]:
    """A guess for each speech of a corpus. A name is the path of its recording without the extension.

    Only a name with a word for a side is used. The motion is the part of the names that both sides share.

    >>> guesses(["schools_pro_anna", "schools_con_ben"])["schools_con_ben"]
    Guess(motion='schools', stance='con', speakers=('Ben',))
    """
    words = {word.lower() for name in names for word in _WORD.findall(name)}
    sides = {**_SIDES, **(_COMMON_SIDES if _COMMON_SIDES.keys() <= words else {})}
    parts = {name: _parts(name, sides) for name in names}
    alike: dict[int, list[_Parts]] = defaultdict(list)
    for each in parts.values():
        if each.stance:
            alike[len(each.rest)].append(each)
    motions = {length: _motion_part(these) for length, these in alike.items()}
    return {name: _guess(each, motions.get(len(each.rest))) for name, each in parts.items()}


def motion_text(id: str) -> str:
    """A first text for a motion: the words of its id.

    >>> motion_text("ban-phones")
    'Ban phones'
    """
    words = " ".join(re.split(rf"[{re.escape(_SEPARATORS)}]+", id)).strip()
    return words[:1].upper() + words[1:]


def _parts(name: str, sides: Mapping[str, Stance]) -> _Parts:
    """The side that a name gives, and the parts before and after it."""
    sides_named = [match for match in _WORD.finditer(name) if match[0].lower() in sides]
    if len({sides[match[0].lower()] for match in sides_named}) != 1:
        return _Parts(None, ())
    side = sides_named[-1]
    pieces = [*name[: side.start()].split("/"), *name[side.end() :].split("/")]
    stripped = (piece.strip(_SEPARATORS) for piece in pieces)
    return _Parts(sides[side[0].lower()], tuple(piece for piece in stripped if _WORD.search(piece)))


def _motion_part(these: Iterable[_Parts]) -> int | None:
    """The index of the part that names the motion: the first that varies and mostly occurs with both sides."""
    these = list(these)
    shared: list[int] = []
    for index in range(len(these[0].rest)):
        stances: dict[str, set[Stance | None]] = defaultdict(set)
        for each in these:
            stances[each.rest[index]].add(each.stance)
        if 2 * sum(len(sides) == 2 for sides in stances.values()) >= len(stances):
            if len(stances) > 1:
                return index
            shared.append(index)
    return shared[-1] if shared else None


def _guess(parts: _Parts, motion: int | None) -> Guess:
    others = [part for index, part in enumerate(parts.rest) if index != motion]
    return Guess(None if motion is None else parts.rest[motion], parts.stance, _speakers(others[-1]) if others else ())


def _speakers(part: str) -> tuple[str, ...]:
    """The speakers that a part of a name gives; none if it gives none."""
    people = [" ".join(_names(each)) for each in re.split(r"(?i)(?:\b|_)(?:and|vs)(?:\b|_)|[&+]", part)]
    words = {word for person in people for word in person.lower().split()}
    return tuple(people) if all(len(person) > 1 for person in people) and not words & _NOT_NAMES else ()


def _names(text: str) -> Iterable[str]:
    for word in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text):
        yield word.title() if word.islower() or (word.isupper() and len(word) > 1) else word

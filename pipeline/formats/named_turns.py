"""Texts that name who speaks: turns that begin with a name and a colon, as debates are written down."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# "ANNA BELL:", "Speaker 2 (00:31):", "[0:31] Anna:"; and "Anna Bell  0:31" on a line of its own.
_TIME = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?"
_NAME = r"(?P<name>[^\W\d_][^:\[\]()]{0,58}?)"
_AFTER = r"[ \t]{0,3}(?:[\[(][^\[\]()]{1,30}[\])])?[ \t]{0,3}"
_LABEL = re.compile(rf"(?:{_TIME}[ \t-]{{0,3}})?\*{{0,2}}{_NAME}\*{{0,2}}{_AFTER}:(?:\*{{0,2}}(?:[ \t]|$))")
_LINE_OF_ITS_OWN = re.compile(rf"{_NAME}[ \t]{{1,4}}{_TIME}$")
_MOST_WORDS = 6
# What is heard beside the words: anything in square brackets, and these words in round ones.
_SOUNDS = (
    r"applause|laughter|laughs|cheers|cheering|crosstalk|inaudible|indiscernible|unintelligible|music|pause|silence"
)
_BESIDE = re.compile(rf"\[[^\[\]]{{0,60}}\]|\((?:{_SOUNDS})\)", re.IGNORECASE)


class Said(NamedTuple):
    """What somebody says in one turn. `speaker` is None before the first name."""

    speaker: str | None
    text: str


def named_turns(text: str) -> tuple[Said, ...]:
    """The turns of a text that names who speaks; none if it names nobody.

    A line begins a turn if it begins with a name and a colon, and somebody's name begins several lines. Names in
    capitals are written as names are, and a surname is the whole name that it ends.

    >>> [tuple(said) for said in named_turns("ANNA BELL: We agree.\\nQ: Why?\\nBELL: It helps.")]
    [('Anna Bell', 'We agree.'), ('Q', 'Why?'), ('Anna Bell', 'It helps.')]
    """
    lines = [(_label(line), line.strip()) for line in text.splitlines() if line.strip()]
    names = _whole_names([label.name for label, _ in lines if label])
    turns: list[tuple[str | None, list[str]]] = [(None, [])]
    for label, line in lines:
        if label and label.name in names:
            turns.append((names[label.name], [line[label.end :]]))
        else:
            turns[-1][1].append(line)
    said = ((speaker, " ".join(_BESIDE.sub(" ", " ".join(parts)).split())) for speaker, parts in turns)
    return tuple(Said(speaker, words) for speaker, words in said if words) if names else ()


class _Label(NamedTuple):
    """What may be the name that begins a line, and where what is said begins."""

    name: str
    end: int


def _label(line: str) -> _Label | None:
    line = line.strip()
    match = _LABEL.match(line) or _LINE_OF_ITS_OWN.match(line)
    if match is None:
        return None
    name = " ".join(match["name"].split())
    is_name = name[0].isupper() and len(name.split()) <= _MOST_WORDS and not re.search(r"[,;!?]|\w{4}\.", name)
    return _Label(name, match.end()) if is_name else None


def _whole_names(labels: Sequence[str]) -> Mapping[str, str]:
    """How the name of each label is written; none if no name begins two lines.

    What begins one line only is a name if all its words have capitals: "Here is why:" has not.
    """
    plain = {label: label.title() if label.isupper() and len(label) > 2 else label for label in labels}
    longer: dict[str, set[str]] = defaultdict(set)
    for name in set(plain.values()):
        words = name.split()
        for first in range(len(words)):
            longer[" ".join(words[first:])].add(name)
    whole = {label: max(longer[name], key=len) if len(longer[name]) <= 2 else name for label, name in plain.items()}
    counts = Counter(whole[label] for label in labels)
    if max(counts.values(), default=0) < 2:
        return {}
    return {
        label: name
        for label, name in whole.items()
        if counts[name] > 1 or not any(word[0].islower() for word in name.split())
    }

"""Names of people in labels and in sentences: which labels are names, which are one person's, and who is mentioned."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import stop_words

_PHRASES = phrase_lists("pipeline.speakers")

# Words within names that have no capital.
_PARTICLES = frozenset(
    ("de", "da", "di", "del", "della", "van", "von", "der", "den", "la", "le", "al", "el", "bin", "ibn")
)
# Short forms of first names that do not begin like the name.
_SHORT_FORMS = {
    "bob": "robert", "rob": "robert", "bobby": "robert", "bill": "william", "billy": "william", "will": "william",
    "jim": "james", "jimmy": "james", "jack": "john", "hank": "henry", "harry": "henry", "dick": "richard",
    "rick": "richard", "ted": "edward", "ned": "edward", "peggy": "margaret", "maggie": "margaret", "meg": "margaret",
    "larry": "lawrence", "chuck": "charles", "charlie": "charles", "tony": "anthony", "liz": "elizabeth",
    "beth": "elizabeth", "betty": "elizabeth", "kate": "katherine", "kathy": "katherine", "mike": "michael",
    "mick": "michael", "gene": "eugene", "sandy": "sanford", "mort": "mortimer", "jeff": "geoffrey", "joe": "joseph",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-](?=[^\W\d_]))*")
_ALIKE = 0.8


@dataclass(frozen=True)
class Mention:
    """A person is named in a sentence, from character `start` up to `end`. `name` is the person's full name."""

    name: str
    start: int
    end: int


def is_name(label: str) -> bool:
    """Whether a voice's label can be a person's name.

    >>> [is_name(label) for label in ("JOHN DONVAN", "SPEAKER_01", "MALE SPEAKER", "Audience_Member_11", "Ruth")]
    [True, False, False, False, True]
    """
    words = parts(label)
    known = [word for word in words if word not in _PHRASES.words("no_names") and len(word) > 2]
    return bool(known) and known[-1] == words[-1] and not any(letter.isdigit() for letter in label)


# Labels with these words, and with nothing that names or numbers a person, are those of anybody who was not known.
_ANYBODY = frozenset(
    {
        *("audience", "crowd", "female", "gentleman", "lady", "male", "man", "members", "multiple", "questioners"),
        *("several", "unidentified", "unknown", "unnamed", "various", "voices", "woman"),
    }
)


def is_anybody(label: str) -> bool:
    """Whether a label may be that of several people, none of whom was known to who wrote it.

    >>> [is_anybody(label) for label in ("MALE SPEAKER", "Audience_Member_11", "HOST", "S1")]
    [True, False, False, False]
    """
    words = parts(label)
    return not any(letter.isdigit() for letter in label) and not is_name(label) and not _ANYBODY.isdisjoint(words)


def parts(name: str) -> tuple[str, ...]:
    """The words of a name without titles, in lower case.

    >>> parts("Lord Robert WINSTON"), parts("George_Stephanopoulos")
    (('robert', 'winston'), ('george', 'stephanopoulos'))
    """
    words = [word.lower().replace("’", "'") for word in _WORD.findall(name.replace("_", " "))]
    return tuple(word for word in words if word.rstrip(".") not in _PHRASES.words("titles") and len(word) > 1) or tuple(
        words[-1:]
    )


def alike(one: str, other: str, least: float = _ALIKE) -> bool:
    """Whether two words are spelled alike.

    >>> alike("farahany", "faranany"), alike("silver", "singer")
    (True, False)
    """
    if one == other:
        return True
    if min(len(one), len(other)) < 4 or one[0] != other[0]:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= least


def same_person(one: str, other: str) -> bool:
    """Whether two names can be one person's: surnames are spelled alike, and so are first names, if both have one.

    >>> same_person("LORD ROBERT WINSTON", "ROBERT WINSTON"), same_person("RALPH REED", "RALPH REEDR")
    (True, True)
    >>> same_person("JOHN TAYLOR", "JOHN ROE"), same_person("Bob Baer", "Robert Baer"), same_person("Ruth", "Ruth Levi")
    (False, True, True)
    """
    first, second = parts(one), parts(other)
    if not first or not second:
        return False
    if len(first) == 1 or len(second) == 1:
        return first[0] in (second[0], second[-1]) or second[0] in (first[0], first[-1])
    surnames = alike(first[-1], second[-1], 0.75)
    return surnames and _same_first_name(first[0], second[0])


def _same_first_name(one: str, other: str) -> bool:
    if _SHORT_FORMS.get(one, one) == _SHORT_FORMS.get(other, other) or alike(one, other, 0.7):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) <= 4 and long[:2] == short[:2]


def one_name_each(labels: Iterable[str]) -> dict[str, str]:
    """The name that stands for each label that is a name: the first, so most frequent, label of the same person."""
    chosen: dict[str, str] = {}
    for label in labels:
        if is_name(label):
            chosen[label] = next((name for name in chosen.values() if same_person(name, label)), label)
    return chosen


def names_in(sentences: Iterable[str]) -> list[str]:
    """Full names of people in text with capitals, the most frequent first: two to four capitalised words.

    >>> names_in(["Please welcome Nita Farahany.", "Thank you, Nita Farahany of Duke Law School."])
    ['Nita Farahany']
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        for run in _capitalised_runs(sentence):
            if 2 <= len([word for word in run if word not in _PARTICLES]) <= 4:
                counts[" ".join(run)] += 1
    merged: dict[str, int] = {}
    for name, count in counts.most_common():
        same = next(
            (other for other in merged if same_person(name, other) or parts(name)[:2] == parts(other)[:2]), name
        )
        merged[same] = merged.get(same, 0) + count
    return sorted(merged, key=lambda name: -merged[name])


# Somebody is thanked, asked or introduced by a first name alone; or addressed, as in 'Anna, the floor is yours'.
_THANKED = re.compile(
    r"\b(?:thank you|thanks|please|for the motion|against the motion|over to|i am|i'm|i’m|my name is),? "
    r"([A-Z][a-z]{2,})(?=[,.?!]|$| please| who\b)",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"^(?:and |so |now |but |well )?([A-Z][a-z]{2,}),")
_FEWEST_CALLS = 2


def first_names_in(sentences: Iterable[str]) -> list[str]:
    """First names by which people are thanked, asked or introduced, and called twice at least.

    >>> first_names_in(["Thank you, Amara.", "Amara, the floor is yours.", "Yes, it rained.", "Yes, it rained."])
    ['Amara']
    """
    thanked: Counter[str] = Counter()
    addressed: Counter[str] = Counter()
    for sentence in sentences:
        thanked.update(match[1] for match in _THANKED.finditer(sentence) if _is_first_name(match[1]))
        addressed.update(match[1] for match in _ADDRESSED.finditer(sentence))
    return [name for name, count in thanked.most_common() if count + addressed[name] >= _FEWEST_CALLS]


def _is_first_name(word: str) -> bool:
    return word[0].isupper() and word[1:].islower() and _may_name(word) and is_name(word)


def _capitalised_runs(sentence: str) -> list[list[str]]:
    """Runs of capitalised words, titles left away, without those that are institutions'."""
    runs: list[list[str]] = [[]]
    last: re.Match[str] | None = None
    for word in _WORD.finditer(sentence):
        if last and not _goes_on(last[0], sentence[last.end() : word.start()]):
            runs.append([])
        if _may_name(word[0]) or (word[0] in _PARTICLES and runs[-1]):
            runs[-1].append(word[0].removesuffix("'s").removesuffix("’s"))
        else:
            runs.append([])
        last = word
    return [run for run in map(_without_last_particles, runs) if run and not _is_institution(run)]


def _goes_on(word: str, between: str) -> bool:
    """Whether a name can go on after this word: over a space, or the full stop of an initial or a title."""
    return between == " " or (between == ". " and len(word) <= 3)


def _without_last_particles(run: list[str]) -> list[str]:
    return _without_last_particles(run[:-1]) if run and run[-1] in _PARTICLES else run


def _is_institution(run: Sequence[str]) -> bool:
    return any(word.lower() in _PHRASES.words("institutions") for word in run)


def _may_name(word: str) -> bool:
    """Whether it has a capital, is no abbreviation like DNA, no title, and no word that begins sentences."""
    abbreviation = len(word) < 2 or (word.isupper() and len(word) < 5)
    lower = word.lower()
    common = (
        lower in stop_words()
        or lower in _PHRASES.words("sentence_starts")
        or lower.rstrip(".") in _PHRASES.words("titles")
    )
    return word[0].isupper() and not abbreviation and not common


class Names:
    """Finds the mentions of people in sentences.

    A first name or surname counts if only one person has it; the speaker of a sentence does not name himself.
    """

    def __init__(self, people: Sequence[str], *, capitals: bool = True) -> None:
        self.people = tuple(dict.fromkeys(people))
        self._capitals = capitals
        self._parts = {name: parts(name) for name in self.people}
        self._owners: dict[str, list[str]] = {}
        self._known: dict[str, list[str]] = {}
        for name, words in self._parts.items():
            for word in {words[0], words[-1]} if words else ():
                if word not in _PARTICLES:
                    self._owners.setdefault(word, []).append(name)

    def mentions(self, sentence: str, *, speaker: str | None = None) -> list[Mention]:
        """The people that a sentence names, in order; neighbouring words of one name are one mention."""
        mentions: list[Mention] = []
        for word in _WORD.finditer(sentence):
            owners = [name for name in self._owners_of(word[0]) if name != speaker]
            if mentions and word.start() - mentions[-1].end <= 2 and mentions[-1].name in owners:
                mentions[-1] = Mention(mentions[-1].name, mentions[-1].start, word.end())
            elif len(owners) == 1:
                mentions.append(Mention(owners[0], word.start(), word.end()))
            elif len(owners) > 1 and (name := self._with_next(sentence[word.end() :], owners)):
                mentions.append(Mention(name, word.start(), word.end()))
        return mentions

    def _owners_of(self, word: str) -> list[str]:
        """The people whose name a word can be part of; every word is compared once."""
        if word not in self._known:
            self._known[word] = self._compared(word)
        return self._known[word]

    def _compared(self, word: str) -> list[str]:
        if self._capitals and not word[0].isupper():
            return []
        lower = word.lower().replace("’", "'").removesuffix("'s")
        if lower in self._owners:
            common = lower in stop_words() or len(lower) < 3
            return [] if common and not self._capitals else self._owners[lower]
        if len(lower) < 5 or not self._capitals:
            return []
        return [
            name
            for part, names in self._owners.items()
            if len(part) >= 5 and alike(lower, part, 0.82)
            for name in names
        ]

    def _with_next(self, rest: str, owners: Sequence[str]) -> str | None:
        """Which of several people of one first name: the one whose surname follows."""
        following = _WORD.search(rest)
        if not following:
            return None
        word = following[0].lower().removesuffix("'s")
        return next((name for name in owners if alike(word, self._parts[name][-1])), None)

"""Whose voice is whose: names that are called before a voice speaks, thanked after it, or that it gives itself.

A label that is a name says it. For other voices, the words do: who is introduced speaks next.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from pipeline.speakers.names import (
    Mention,
    Names,
    first_names_in,
    is_anybody,
    is_name,
    names_in,
    one_name_each,
    same_person,
)
from pipeline.speakers.utterances import Utterance
from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import tokens

_PHRASES = phrase_lists("pipeline.speakers")

# How much each kind of call weighs.
_CALLED_ALONE, _CALLED_LAST, _CALLED = 3.0, 1.5, 0.3
_THANKED = 3.0
_OWN_NAME = 6.0
_NAMED_BY_ITSELF = -2.0
# A name and a voice belong together from this weight on, and with this share of the name's and the voice's calls.
_LEAST = 1.4
_LEAST_SHARE = 0.4
_NEAR = 3

_OWN = re.compile(
    r"\b(?:my name(?:'s| is)|name(?:'s| is)|i am|i'm|i’m|im|this is|(?:from|with) me,?)\s+(?:(?:dr|mr|mrs|ms|"
    r"professor|prof|senator|sir)\.? )?$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\b(?:thank you|thanks|thank)(?: you)?(?: so| very)?(?: much)?,?\s+(?:(?:dr|mr|mrs|ms|professor|prof|senator|"
    r"governor|president|vice|sir|lord|general|secretary)\.? )*$",
    re.IGNORECASE,
)
_ADDRESSING = re.compile(
    r"(?:^|,|--|\bso|\band|\bbut|\bwell|\bokay|\bnow)\s*(?:(?:mr|mrs|ms|dr)\.? |professor |senator |governor )?$",
    re.IGNORECASE,
)
# "Welcome back to our town hall with former Vice President Joe Biden."
_WITH_GUEST = re.compile(
    r"\b(?:town hall|conversation|interview|discussion|evening|hour|talking|speaking|joined)\b[^.;?!]{0,30}"
    r"\b(?:with|to|by)(?: (?:former|our|the|president|vice|senator|governor|mr\.?|ms\.?|mrs\.?|dr\.?|professor|"
    r"secretary))* $",
    re.IGNORECASE,
)
# Who says so large a share of all words is the guest.
_GUEST_SHARE = 0.5
_CALLING = re.compile(rf"\b{_PHRASES.alternatives('calls')}\b[^.;?!]{{0,40}}$", re.IGNORECASE)
_FILLING = re.compile(rf"\b{_PHRASES.alternatives('around_names')}\b|\W", re.IGNORECASE)


def names_of_voices(
    said: Sequence[Utterance],
    given: Mapping[str, str],
    people_known: Sequence[str] = (),
    topic: frozenset[str] = frozenset(),
) -> tuple[dict[str, str], Names]:
    """(the name of each voice, as far as it is known; what finds these and all other people in sentences).

    `given` has the names of some voices, `people_known` those of people who speak, whichever voice theirs is. A name
    with a word of the `topic` is nobody's: 'Organic Food' is capitalised, too.
    """
    counts: Counter[str] = Counter()
    for utterance in said:
        counts[utterance.voice] += utterance.words
    # an .stm file has no spaces in labels
    labels = {
        one: name.replace("_", " ") for one, name in one_name_each(one for one, _ in counts.most_common()).items()
    }
    known = {voice: given.get(voice, labels.get(voice)) for voice in counts}
    people = list(dict.fromkeys(name for name in (*known.values(), *people_known) if name))
    capitals = _has_capitals(said)
    everything = [sentence for utterance in said for sentence in utterance.sentences]
    for name in (*names_in(everything), *first_names_in(everything)) if capitals else ():
        if is_name(name) and not _is_of(topic, name) and not any(same_person(name, other) for other in people):
            people.append(name)
    names = Names(people, capitals=capitals)
    found = _joined(said, {voice: name for voice, name in known.items() if name}, names, list(counts))
    return _with_last(found, list(counts), people_known), names


def _with_last(found: dict[str, str], voices: Sequence[str], people_known: Sequence[str]) -> dict[str, str]:
    """The names with that of the last voice, if as many people are known to speak as there are voices."""
    people = list(dict.fromkeys(one_name_each(people_known).values()))
    nameless = [voice for voice in voices if voice not in found]
    left = [name for name in people if not any(same_person(name, other) for other in found.values())]
    is_last = len(nameless) == len(left) == 1 and len(voices) == len(people)
    return {**found, nameless[0]: left[0]} if is_last else found


def _is_of(topic: frozenset[str], name: str) -> bool:
    """Whether a word of the name is one of the topic's, in the singular or plural."""
    return any(word in topic or word.removesuffix("s") in topic or f"{word}s" in topic for word in tokens(name))


def _has_capitals(said: Sequence[Utterance]) -> bool:
    """Whether names can be told by their capitals: some words within sentences have one."""
    within = [word for utterance in said for sentence in utterance.sentences for word in sentence.split()[1:]]
    capital = sum(word[:1].isupper() and not word.isupper() and word not in ("I", "I'm") for word in within)
    return capital > 0.01 * len(within)


def _joined(said: Sequence[Utterance], known: Mapping[str, str], names: Names, voices: Sequence[str]) -> dict[str, str]:
    """Names and voices, one to one, so that the calls weigh most; voices with a known name keep it."""
    open_voices = [voice for voice in voices if voice not in known and not is_anybody(voice)]
    taken = set(known.values())
    free = [name for name in names.people if name not in taken]
    if not open_voices or not free:
        return dict(known)
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    for name, voice, weight in calls(said, names):
        weights[name, voice] += weight
    matrix = np.array([[max(weights[name, voice], 0.0) for voice in open_voices] for name in free])
    everything: defaultdict[str, float] = defaultdict(float)
    for (name, _), weight in weights.items():
        everything[name] += max(weight, 0.0)
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    joined = dict(known)
    for row, column in zip(rows, columns, strict=True):
        if matrix[row, column] >= max(_LEAST, _LEAST_SHARE * everything[free[row]]):
            joined[open_voices[column]] = free[row]
    return joined | _guest(said, joined, names)


def _guest(said: Sequence[Utterance], known: Mapping[str, str], names: Names) -> dict[str, str]:
    """The voice that says most, if it has no name yet, and the only guest whom another voice names, if there is one."""
    words: Counter[str] = Counter()
    for utterance in said:
        words[utterance.voice] += utterance.words
    (voice, most), *_ = words.most_common(1)
    if voice in known or most < _GUEST_SHARE * words.total():
        return {}
    guests = {
        mention.name
        for utterance in said
        if utterance.voice != voice
        for sentence in utterance.sentences
        for mention in names.mentions(sentence)
        if _WITH_GUEST.search(sentence[: mention.start])
    }
    return {voice: guests.pop()} if len(guests) == 1 and not guests & set(known.values()) else {}


def calls(said: Sequence[Utterance], names: Names) -> Iterator[tuple[str, str, float]]:
    """(name, voice, weight): how a name that is said points to the voice before, after, or of the sentence."""
    for index, utterance in enumerate(said):
        before = said[index - 1].voice if index else None
        after = said[index + 1].voice if index + 1 < len(said) else None
        last_call: tuple[str, float] | None = None
        for number, sentence in enumerate(utterance.sentences):
            left = len(utterance.sentences) - number
            for mention in names.mentions(sentence):
                ahead = sentence[: mention.start]
                if _OWN.search(ahead):
                    yield mention.name, utterance.voice, _OWN_NAME
                    continue
                yield mention.name, utterance.voice, _NAMED_BY_ITSELF
                if number < _NEAR and before and _THANKS.search(ahead):
                    yield mention.name, before, _THANKED
                elif left <= _NEAR or not last_call or mention.name != last_call[0]:
                    last_call = mention.name, _weight_of_call(sentence, mention, left)
        if last_call and after and after != utterance.voice:
            yield last_call[0], after, last_call[1]


def _weight_of_call(sentence: str, mention: Mention, left: int) -> float:
    """How much the last name before a voice speaks points to it: most if nothing but the name is said, little if it is
    neither addressed nor introduced.
    """
    ahead, behind = sentence[: mention.start], sentence[mention.end :]
    alone = not _FILLING.sub("", ahead + behind)
    if alone and left <= _NEAR:
        return _CALLED_ALONE if left == 1 else _CALLED_LAST
    addressed = _ADDRESSING.search(ahead) and re.match(r",|--|[.?!]?$", behind.lstrip())
    if addressed or _CALLING.search(ahead):
        return _CALLED_LAST
    return _CALLED

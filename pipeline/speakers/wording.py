"""Where a sentence names a side of the motion ('arguing against it', 'the proposition team'), and whose it is."""

import functools
import re
from dataclasses import dataclass
from typing import Literal

from pipeline.records import Stance
from pipeline.speakers.denial import plain
from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import is_negated, stop_words, tokens

_PHRASES = phrase_lists("pipeline.speakers")

Subject = Literal["I", "you", "they", "nobody"]

_IN_FAVOUR = (
    r"(?:in favou?r(?: of)?|in support(?: of)?|in defen[cs]e(?: of)?|supporting|support(?:s|ed)?|defend(?:s|ed|ing)?|"
    r"propos(?:e|es|ed|ing)|backing|affirming)"
)
_FOR = rf"(?:for|{_IN_FAVOUR})"
_AGAINST = r"(?:against|in opposition(?: to)?|opposed(?: to)?|oppos(?:e|es|ing)|negating|rebutting)"
MOTION_WORD = r"(?:motion|proposition|resolution|proposal)s?"
_ARGUING = _PHRASES.alternatives("argues")
# 'For the motion', whatever is before it; 'for' alone is also said of times and reasons.
_OF_THE_MOTION = re.compile(
    rf"\b(?:(?P<pro>{_FOR})|(?P<con>{_AGAINST})) (?:(?:the|this|that|our|tonight[’']?s|"
    rf"today[’']?s) )(?:\w+ )?{MOTION_WORD}\b",
    re.IGNORECASE,
)
_WHAT = r"(?P<what>(?: [\w'’-]+){0,6})"
_BETWEEN = rf",?(?: (?!{_FOR}\b|{_AGAINST}\b|not\b)[\w'’-]+,?){{0,4}}? "
_AS_ARGUED = re.compile(rf"\b{_ARGUING}\b{_BETWEEN}(?:(?P<pro>{_FOR})|(?P<con>{_AGAINST}))\b{_WHAT}", re.IGNORECASE)
_AS_HELD = re.compile(rf"\b(?:(?P<pro>{_IN_FAVOUR})|(?P<con>{_AGAINST}))\b{_WHAT}", re.IGNORECASE)
_AS_CLAIMED = re.compile(
    r"\b(?:argu(?:e|es|ed|ing)|say(?:s|ing)?|believ(?:e|es|ing)|maintain(?:s|ing)?|thinks?|making the case|"
    r"make the case|"
    r"contend(?:s|ing)?|insist(?:s|ing)?) that,? (?P<claim>.+)",
    re.IGNORECASE,
)
_TEAM = re.compile(
    r"\b(?:(?P<pro>affirmative|proposition|proposing|pro|government(?= (?:team|bench|speaker|side|whip|benches)))|"
    r"(?P<con>negative|opposition|opposing|con))(?: (?:team|side|bench(?:es)?|speaker|speakers|camp|debater|"
    r"debaters|whip|case|first|second|third)\b|'s (?:first|second|third)\b|"
    r"(?=,? (?:is|are|we have|will be)\b))|"
    r"\b(?:for|on) the (?:(?P<pro2>affirmative|proposition|pros?)|(?P<con2>negative|opposition|cons?))\b|"
    r"\b(?:first|second|third|lead|deputy leader|leader|member|opening|closing)(?: of|"
    r" for)?(?: the)? (?:(?P<pro3>affirmative|proposition|proposer)|(?P<con3>negative|opposition|opposer))\b",
    re.IGNORECASE,
)
_POINTING = frozenset(
    ["the", "this", "that", "a", "an", "our", "these", "tonight's", "tonights", "today's", "todays", "evening's"]
)
# Words between 'against' and what it is about.
_LEADING = frozenset(
    [
        "kind",
        "kinds",
        "sort",
        "sorts",
        "type",
        "types",
        "idea",
        "notion",
        "concept",
        "practice",
        "use",
        "policy",
        "policies",
        "further",
    ]
)
# The share of the motion's words that a claim has to have.
_MOST_OF_IT = 0.7
_SUBJECT = re.compile(
    r"\b(?:(?P<first>i|i'm|i’m|im|i'll|i've|we|we're|we’re|we'll|we've|my|our)|(?P<second>you|you're|you’re|you'll|"
    r"your)|"
    r"(?P<third>he|she|he's|she's|they|they're|his|her|their|who|team|side))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NamedSide:
    """A sentence names a side, from character `start` up to `end`.

    `subject` is who is said to be on it, as far as a pronoun tells.
    """

    side: Stance
    start: int
    end: int
    subject: Subject


@functools.lru_cache(maxsize=50_000)
def named_sides(sentence: str, motion: str) -> tuple[NamedSide, ...]:
    """The sides of the motion that a sentence names as somebody's, in order.

    >>> [(each.side, each.subject) for each in named_sides("Nita, you are arguing against this motion.", "Ban zoos")]
    [('con', 'you')]
    >>> named_sides("If you are for the motion, push number one.", "Ban zoos")
    ()
    >>> [each.side for each in named_sides("And now to speak against banning them, Lee.", "Ban zoos")]
    ['con']
    >>> [each.side for each in named_sides("She has argued for zoos all her life.", "Ban zoos")]
    ['con']
    """
    if _PHRASES.whole_words("not_sides").search(sentence):
        return ()
    sides: list[NamedSide] = []
    for pattern in (_OF_THE_MOTION, _TEAM, _AS_ARGUED, _AS_HELD):
        for match in pattern.finditer(sentence):
            side = _side(match, motion)
            if side and not any(each.start < match.end() and match.start() < each.end for each in sides):
                sides.append(NamedSide(side, match.start(), match.end(), _subject(sentence, match)))
    for match in _AS_CLAIMED.finditer(sentence):
        side = claimed(match["claim"], motion)
        if side and not any(each.start < match.end() and match.start() < each.end for each in sides):
            sides.append(NamedSide(side, match.start(), match.start("claim"), _subject(sentence, match)))
    return tuple(sorted(sides, key=lambda each: each.start))


def claimed(claim: str, motion: str) -> Stance | None:
    """The side of those who claim this, if it says the motion, or denies it."""
    wanted = [_stem(word) for word in tokens(plain(motion)) if word not in stop_words()]
    words = tokens(claim)[: 2 * len(tokens(motion)) + 2]
    said = [_stem(word) for word in words]
    common = [index for index, stem in enumerate(said) if any(_same_stem(stem, other) for other in wanted)]
    if not wanted or len({said[index] for index in common}) < _MOST_OF_IT * len(wanted):
        return None
    return "pro" if is_negated(" ".join(words[: common[-1] + 1])) == is_negated(motion) else "con"


def _side(match: re.Match[str], motion: str) -> Stance | None:
    groups = match.groupdict()
    con = any(value for name, value in groups.items() if name.startswith("con"))
    if "what" not in groups:
        return "con" if con else "pro"
    turned = about_motion(groups["what"] or "", motion)
    if turned is None:
        bare = con and not groups["what"] and match.re is _AS_ARGUED
        return "con" if bare else None
    return "con" if con != turned else "pro"


def about_motion(what: str, motion: str) -> bool | None:
    """Whether being for this is being against the motion; None if it has nothing to do with the motion."""
    words = tokens(what)
    while len(words) > 1 and words[0] in _POINTING:
        words = words[1:]
    if not words:
        return None
    if words[0] in (
        "it",
        "motion",
        "proposition",
        "resolution",
        "proposal",
        "idea",
        "notion",
        "change",
        "reform",
    ):
        return False
    if words in (["that"], ["this"]):
        return False
    stems = [_stem(word) for word in words]
    wanted = [_stem(word) for word in tokens(plain(motion)) if word not in stop_words()]
    content = [
        stem for word, stem in zip(words, stems, strict=True) if word not in stop_words() and word not in _LEADING
    ]
    if not content or not any(_same_stem(content[0], other) for other in wanted):
        return None
    away = any(map(_goes_away, wanted)) and not any(map(_goes_away, stems[:3]))
    return away != (is_negated(plain(motion)) and not is_negated(what))


def side_of_named(motion: str) -> Stance:
    """The side of somebody whom a motion names: for being elected, against being impeached.

    >>> side_of_named("We should elect Joe Biden."), side_of_named("We should not elect Joe Biden.")
    ('pro', 'con')
    """
    unwanted = any(_goes_away(_stem(word)) for word in tokens(motion))
    return "con" if unwanted != is_negated(motion) else "pro"


def _goes_away(stem: str) -> bool:
    return any(_same_stem(stem, other) for other in _AWAY_STEMS)


def _same_stem(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= 5 and len(long) - len(short) <= 3 and long.startswith(short))


_ENDINGS = (
    "itions",
    "ition",
    "ations",
    "ation",
    "ions",
    "ion",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "es",
    "ed",
    "s",
    "e",
    "y",
)


@functools.cache
def _stem(word: str) -> str:
    """A word without its endings: 'abolishing', 'abolition' and 'abolish' are one."""
    while ending := next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= 3), None):
        word = word.removesuffix(ending)
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


# Stems of verbs by which a motion wants something gone: who argues "for the minimum wage" is then against the motion.
_AWAY_STEMS = frozenset(map(_stem, _PHRASES.words("does_away")))


def _subject(sentence: str, match: re.Match[str]) -> Subject:
    """The last pronoun before or at the beginning of the match."""
    before = sentence[: match.start() + len(match[0].split()[0])]
    pronouns = list(_SUBJECT.finditer(before[-80:]))
    if not pronouns:
        return "nobody"
    last = pronouns[-1]
    return "I" if last["first"] else "you" if last["second"] else "they"

"""Words by which a speaker refers to the other side, weighs an issue, or turns against something."""

import re
from collections.abc import Iterable

from pipeline.text.terms import stop_words, tokens

_SOMEBODY = (
    r"they|he|she|(?:the )?(?:prime minister|government|other side|proposition|opponents?|"
    r"(?:previous|last|first) speaker)|my (?:opponent|friend|colleague)s?"
)
_SAYS = (
    r"say|says|said|tell|tells|told|claim(?:s|ed)?|argue[sd]?|mention(?:s|ed)?|talk(?:s|ed)?|spoke|speaks?|"
    r"bring|brings|brought|gave|give[sn]?|point(?:s|ed)? out|assume[sd]?|suggest(?:s|ed)?|assert(?:s|ed)?|"
    r"introduced|raise[sd]?|propose[sd]?|described?"
)
_PASSIVE = r"(?:is|are|was|were|been|being) (?:\w+ )?(?:told|brought up|raised|mentioned|presented|claimed|argued)"
_RESPONSE = r"(?:respond|response|rebut(?:tal)?|answer(?:s)? (?:to )?(?:th|her|his)\w*|we(?:'ve)? (?:just )?heard)"
_ATTRIBUTION = re.compile(rf"\b(?:(?:{_SOMEBODY}) (?:\w+ ){{0,2}}(?:{_SAYS})|{_PASSIVE}|{_RESPONSE})\b", re.IGNORECASE)

_WEIGHT = re.compile(
    r"\b(?:most (?:important|importantly|significant|crucial)|main|primary|core|key|crucial|fundamental\w*|"
    r"central|ultimately|above all|at the end of the day|the (?:biggest|real|whole) (?:reason|problem|point|issue)|"
    r"first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|principle|in conclusion)\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^(?:so |and |now |well )?(?:but|however|yet|no|nevertheless|on the contrary|instead|rather|still)\b|"
    r"\b(?:disagree|isn't true|not true|wrong|false|mistaken|flawed|fails? to|doesn't follow|even if|in fact)\b",
    re.IGNORECASE,
)
_NEGATION = frozenset(
    ["not", "no", "never", "nobody", "nothing", "neither", "nor", "none", "cannot", "without", "hardly"]
)


def names_spoken(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of the speakers' names, written with a capital; a name that is also a stop word ('Will') is left out.

    None where nothing is left to look for.
    """
    parts = {part for name in names for part in name.split() if part.lower() not in stop_words() and len(part) > 2}
    if not parts:
        return None
    return re.compile(r"\b(?:" + "|".join(re.escape(part[0].upper() + part[1:]) for part in sorted(parts)) + r")\b")


def attributes(sentence: str, names: re.Pattern[str] | None = None) -> bool:
    """Whether the sentence reports what the other side said, or names it."""
    return bool(_ATTRIBUTION.search(sentence) or (names and names.search(sentence)))


def emphasises(sentence: str) -> bool:
    """Whether the speaker says that this is a main point."""
    return bool(_WEIGHT.search(sentence))


def turns_against(sentence: str) -> bool:
    """Whether the sentence begins with, or contains, a word of contradiction."""
    return bool(_TURN.search(sentence))


def is_negated(sentence: str) -> bool:
    """Whether the sentence has an odd number of negations."""
    return sum(word in _NEGATION or word.endswith("n't") for word in tokens(sentence)) % 2 == 1

"""A motion said the other way round: what somebody who is against it would defend."""

import re

from pipeline.text.phrases import phrase_lists

_PHRASES = phrase_lists("pipeline.speakers")


_HOUSE = re.compile(r"^(this house) (would|will|believes?|supports?|opposes?|regrets?|rejects?)\b", re.IGNORECASE)
_HELPING = re.compile(
    r"\b(should|must|can|could|will|would|shall|may|might|is|are|was|were|has|have|had|does|do|did|"
    r"ought)\b(?! not\b|n't)",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(should|must|can|could|will|would|shall|may|is|are|was|were|has|have|does|do|did)(?: not\b|n't\b)",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\bcan(?:not|'t|’t)\b", re.IGNORECASE)
_DUTY = re.compile(
    r"^(?:we|this house|the government|governments|society|the state|the u\.?s\.?|america) (?:should|must|would|"
    r"ought to) (?!not\b)",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"^(?:this house (?:believes?|thinks?) (?:that )?|(?:we )?resolved,? (?:that )?|that )", re.IGNORECASE
)


def plain(motion: str) -> str:
    """The motion without its frame.

    >>> plain("This house believes that zoos are cruel.")
    'zoos are cruel'
    """
    return _OPENED.sub("", motion.strip().rstrip(".!?").strip(' "“”'))


def is_order(motion: str) -> bool:
    """Whether a motion demands without saying of whom.

    >>> is_order("Abolish the minimum wage"), is_order("Men are finished")
    (True, False)
    """
    said = plain(motion).split()
    first = said[0].lower().strip(",") if said else ""
    finite = _HELPING.search(" ".join(said[:7]))
    return bool(said) and first not in _PHRASES.words("no_orders") and not first.endswith("s") and not finite


def as_order(motion: str) -> str:
    """A motion on what should be done as an order; another motion unchanged.

    >>> as_order("We should abolish zoos.")
    'Abolish zoos'
    """
    order = _DUTY.sub("", plain(motion))
    return order[:1].upper() + order[1:]


def denied(motion: str) -> str:
    """The motion denied.

    >>> denied("We should abolish zoos."), denied("Abolish zoos"), denied("America doesn't need a strong dollar policy")
    ('We should not abolish zoos', 'Do not abolish zoos', 'America does need a strong dollar policy')
    >>> denied("This house would ban boxing"), denied("Men have lost")
    ('This house would not ban boxing', 'Men have not lost')
    """
    if house := _HOUSE.match(motion.strip()):
        verb = house[2].lower()
        rest = motion.strip().rstrip(".")[house.end() :]
        if verb in ("would", "will"):
            return f"This house {verb} not{rest}"
        return f"This house does not {verb.removesuffix('s')}{rest}"
    text = plain(motion)
    if _CANNOT.search(text):
        return _CANNOT.sub("can", text, count=1)
    if _DENIAL.search(text):
        return _DENIAL.sub(lambda found: found[1], text, count=1)
    if is_order(text):
        return f"Do not {text[:1].lower()}{text[1:]}"
    if _HELPING.search(text):
        return _HELPING.sub(lambda found: f"{found[1]} not", text, count=1)
    return f"It is not true that {text[:1].lower()}{text[1:]}"

"""From what somebody said to what they claimed: without hesitations, discourse markers and small talk."""

import functools
import re

from pipeline.argue.keypoints.phrases import alternatives, searcher
from pipeline.text.terms import tokens

_HESITATION = re.compile(r",?\s*\b(?:um+|uhm?|er|erm|hmm?)\b\s*,?|,\s*(?:i mean|you know|well|like)\s*,", re.IGNORECASE)
_REPEATED = re.compile(r"\b(\w+(?:'\w+)?(?: \w+(?:'\w+)?){0,3}),? \1\b(?!')", re.IGNORECASE)
_FEWEST_WORDS = 4
_LONGEST_ANNOUNCEMENT = 10


def trimmed(text: str) -> str:
    """The claim in a spoken sentence: without hesitations, repetitions, links at its start and loose ends."""
    text = " ".join(_HESITATION.sub(" ", text.replace("’", "'")).split())
    text = _REPEATED.sub(r"\1", text).strip(" ,;:–—-")
    opening, kept, ending = _edges()
    while (match := opening.match(text)) and not kept.match(text):
        rest = text[match.end() :]
        if len(rest.split()) < _FEWEST_WORDS:
            break
        text = rest
    while match := ending.search(text):
        text = text[: match.start()]
    return text[:1].upper() + text[1:]


def is_argued(text: str) -> bool:
    """Whether a trimmed sentence may claim something: no question, no greeting, no announcement, no story."""
    if len(tokens(text)) < _FEWEST_WORDS or text.rstrip().endswith("?"):
        return False
    return not (searcher("not_argued").search(text) or searcher("stories").search(text))


def announces_report(text: str) -> bool:
    """Whether a sentence says that what comes next is the other side's: 'His last reason was a matter of principle.'"""
    return bool(searcher("announced").search(text)) and len(tokens(text)) <= _LONGEST_ANNOUNCEMENT


@functools.cache
def _edges() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of what is cut off the start, what looks like that and is kept, and what is cut off the end."""
    opening = rf"(?:{alternatives('frames')}\s+|{alternatives('links')}(?:\s*[,:–—-]\s*|\s+))"
    ending = rf"[\s,;:–—-]+{alternatives('endings')}[\s.,;:]*$"
    return (
        re.compile(opening, re.IGNORECASE),
        re.compile(alternatives("kept"), re.IGNORECASE),
        re.compile(ending, re.IGNORECASE),
    )

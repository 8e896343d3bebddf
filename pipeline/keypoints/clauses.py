"""From what somebody said to what they claimed: the clauses that the speaker stands by.

Hesitations and discourse markers are left out.
"""

import functools
import re
from collections.abc import Iterator

from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import tokens

PHRASES = phrase_lists("pipeline.keypoints")
_CONCESSIVE = r"(?:although|though|even though|even if)"
_BREAK = re.compile(
    r"(?:(?<!\s)\s+)?(;|:|[–—]| - |[.!?](?=\s|$))\s*|"
    r"(?:,|(?<!\s))\s+(because|since|so that|which means that|which means|meaning that|and so|and therefore|and thus|"
    rf"and hence|(?<!nothing )(?<!anything )but(?! also\b| rather\b| only\b)|whereas|{_CONCESSIVE})\s+|"
    r",\s*(and|so|as|or|while|therefore|thus|which is why|yet)\s+",
    re.IGNORECASE,
)
# 'Although phones help in an emergency, they distract': what comes first is conceded.
_CONCEDED_FIRST = re.compile(
    rf"^\W*(?:(?:because|and|but|so|next)\s+)?(?:{_CONCESSIVE}|while|whilst|whereas|despite|in spite of|granted|"
    r"admittedly|sure|yes|of course|it(?:'s| is) true that)\b(?P<conceded>[^,;]*(?:,[^,;]{0,30})?),\s*"
    r"(?:but\s+|yet\s+)?(?P<rest>\S+(?:\s+\S+){2,})$",
    re.IGNORECASE | re.DOTALL,
)
# 'Phones distract, although they help in an emergency'.
_CONCEDED_LAST = re.compile(
    rf"(?:,|(?<!\s))\s+(?:{_CONCESSIVE}|despite|in spite of)\s+(?P<conceded>[^,;.!?]+)(?P<end>[.!?]?\s*)$",
    re.IGNORECASE,
)


def without_concession(sentence: str) -> str:
    """A sentence without the clause in which its speaker grants the other side something.

    >>> without_concession("Although phones help in an emergency, they distract pupils.")
    'they distract pupils.'
    >>> without_concession("Phones distract pupils, even though they help in an emergency.")
    'Phones distract pupils.'
    """
    if match := _CONCEDED_FIRST.match(sentence):
        sentence = match["rest"]
    if match := _conceded_last(sentence):
        return f"{sentence[: match.start()]}{match['end']}"
    return sentence


def conceded(sentence: str) -> Iterator[str]:
    """The clauses in which its speaker grants the other side something.

    >>> list(conceded("Although phones help in an emergency, they distract pupils."))
    ['phones help in an emergency']
    """
    if match := _CONCEDED_FIRST.match(sentence):
        yield match["conceded"].strip(" ,")
        sentence = match["rest"]
    if match := _conceded_last(sentence):
        yield match["conceded"].strip(" ,")


def _conceded_last(sentence: str) -> re.Match[str] | None:
    """The clause at the end that is conceded. It has no marks in it, so it is looked for after the last one."""
    before_end = sentence.rstrip()[:-1]
    return _CONCEDED_LAST.search(sentence, max(0, *(before_end.rfind(mark) for mark in ",;.!?")))


def clauses(sentence: str) -> Iterator[str]:
    """The clauses that a sentence can be broken into, without those that are conceded.

    Before 'but' stands what the other side may say, and after 'although' too.

    >>> list(clauses("Phones are useful, but they distract pupils because they ring"))
    ['they distract pupils', 'they ring']
    """
    parts = _BREAK.split(sentence)
    # the pattern has three groups: between two clauses stand three entries, one of which is the connective
    pieces, connectives = parts[::4], [next(filter(None, parts[i : i + 3])).lower() for i in range(1, len(parts), 4)]
    for number, piece in enumerate(pieces):
        before = connectives[number - 1] if number else ""
        after = connectives[number] if number < len(connectives) else ""
        if piece and after not in ("but", "yet") and not re.fullmatch(_CONCESSIVE, before):
            yield piece


@functools.cache
def function_words(kind: str) -> frozenset[str]:
    """Function words of one kind."""
    by_kind = dict(line.split(":") for line in PHRASES.lines("function_words"))
    return frozenset(by_kind[kind].split())


_HESITATION = re.compile(
    r"(?:,\s*|(?<!\s)\s+)?\b(?:um+|uhm?|er|erm|hmm?)\b\s*,?|,\s*(?:i mean|you know|well|like)\s*,", re.IGNORECASE
)
_REPEATED = re.compile(r"\b(\w+(?:'\w+)?(?: \w+(?:'\w+)?){0,3}),? \1\b(?!')", re.IGNORECASE)
_FEWEST_WORDS = 4
# In characters. A longer sentence has no full stops, and makes no claim.
_LONGEST_CLAIM = 2_000
# More links or loose ends than so many are not cut from a sentence, and no loose end has so many characters.
_MOST_CUT, _LONGEST_END = 100, 200


def trimmed(text: str) -> str:
    """The claim in a spoken sentence: without hesitations, repetitions, links at its start and loose ends."""
    text = " ".join(_HESITATION.sub(" ", text.replace("’", "'")).split())
    text = _REPEATED.sub(r"\1", text).strip(" ,;:–—-")
    opening, kept, ending = _edges()
    for _ in range(_MOST_CUT):
        match = opening.match(text)
        if not match or kept.match(text):
            break
        rest = text[match.end() :]
        if len(rest.split(maxsplit=_FEWEST_WORDS)) < _FEWEST_WORDS:
            break
        text = rest
    for _ in range(_MOST_CUT):
        match = ending.search(text, max(0, len(text) - _LONGEST_END))
        if not match:
            break
        text = text[: match.start()]
    return text[:1].upper() + text[1:]


def is_argued(text: str) -> bool:
    """Whether a trimmed sentence may claim something: no question, no greeting, no announcement, no story."""
    if len(text) > _LONGEST_CLAIM or len(tokens(text)) < _FEWEST_WORDS or text.rstrip().endswith("?"):
        return False
    return not (PHRASES.whole_words("not_argued").search(text) or PHRASES.whole_words("stories").search(text))


@functools.cache
def _edges() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of what is cut off the start, what looks like that and is kept, and what is cut off the end."""
    opening = rf"(?:{PHRASES.alternatives('frames')}\s+|{PHRASES.alternatives('links')}(?:\s*[,:–—-]\s*|\s+))"
    ending = rf"(?<![\s,;:–—-])[\s,;:–—-]+{PHRASES.alternatives('endings')}[\s.,;:]*$"
    return (
        re.compile(opening, re.IGNORECASE),
        re.compile(PHRASES.alternatives("kept"), re.IGNORECASE),
        re.compile(ending, re.IGNORECASE),
    )

"""The clauses of a sentence that its speaker stands by: what is only conceded belongs to the other side."""

import re
from collections.abc import Iterator

_CONCESSIVE = r"(?:although|though|even though|even if)"
_BREAK = re.compile(
    r"\s*(;|:|[–—]| - |[.!?](?=\s|$))\s*|"
    r",?\s+(because|since|so that|which means that|which means|meaning that|and so|and therefore|and thus|and hence|"
    rf"(?<!nothing )(?<!anything )but(?! also\b| rather\b| only\b)|whereas|{_CONCESSIVE})\s+|"
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
    rf",?\s+(?:{_CONCESSIVE}|despite|in spite of)\s+(?P<conceded>[^,;.!?]+)(?P<end>[.!?]?\s*)$", re.IGNORECASE
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
    return _CONCEDED_LAST.sub(lambda found: found["end"], sentence)


def conceded(sentence: str) -> Iterator[str]:
    """The clauses in which its speaker grants the other side something.

    >>> list(conceded("Although phones help in an emergency, they distract pupils."))
    ['phones help in an emergency']
    """
    for pattern in (_CONCEDED_FIRST, _CONCEDED_LAST):
        if match := pattern.search(sentence):
            yield match["conceded"].strip(" ,")
            sentence = match["rest"] if pattern is _CONCEDED_FIRST else sentence


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

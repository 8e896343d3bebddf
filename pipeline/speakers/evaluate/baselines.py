"""What needs no model of a debate: three regular expressions over the moderator's sentences."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from pipeline.records import Stance
from pipeline.speakers.utterances import Utterance

_FOR = re.compile(r"\b(?:for|in support of|in favor of|supporting) (?:the|this|that|our) motion\b", re.IGNORECASE)
_AGAINST = re.compile(r"\bagainst (?:the|this|that|our|it\b)(?: motion)?", re.IGNORECASE)
_VOTES = re.compile(r"\b(?:vote|percent|number (?:one|two)|if you)\b", re.IGNORECASE)


def sides_by_three_expressions(
    said: Sequence[Utterance], moderators: Collection[str], names: Mapping[str, str], debaters: Collection[str]
) -> dict[str, Stance | None]:
    """Each debater's side: that of most sentences of the moderator that name the debater and one side.

    `names` has the name of each voice. Without names, a side is that of whom speaks next.
    """
    votes: Counter[tuple[str, Stance]] = Counter()
    for index, utterance in enumerate(said):
        if utterance.voice not in moderators:
            continue
        following = said[index + 1].voice if index + 1 < len(said) else None
        last: Stance | None = None
        for sentence in utterance.sentences:
            side = _side(sentence)
            if side is None:
                continue
            last = side
            for voice, name in names.items():
                if name.split()[-1].lower() in sentence.lower():
                    votes[voice, side] += 1
        if last and following and not names:
            votes[following, last] += 1
    return {voice: _most(votes[voice, "pro"], votes[voice, "con"]) for voice in debaters}


def _side(sentence: str) -> Stance | None:
    supports, opposes = bool(_FOR.search(sentence)), bool(_AGAINST.search(sentence))
    if supports == opposes or _VOTES.search(sentence):
        return None
    return "pro" if supports else "con"


def _most(supporting: int, opposing: int) -> Stance | None:
    if supporting == opposing:
        return None
    return "pro" if supporting > opposing else "con"

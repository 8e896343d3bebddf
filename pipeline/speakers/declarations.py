"""What debaters say of their own side: 'I urge you to vote against the motion', 'here on the con team'."""

import functools
import re
from collections.abc import Iterator, Sequence

from pipeline.records import Stance
from pipeline.speakers.camps import OTHER, Clue
from pipeline.speakers.utterances import Utterance
from pipeline.speakers.wording import MOTION_WORD, about_motion, claimed, named_sides
from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import tokens

_PHRASES = phrase_lists("pipeline.speakers")

_PRO = (
    r"(?:for|yes|aye|yea|in favou?r(?: of)?|in support(?: of)?|to (?:support|affirm|pass|adopt|approve|accept|carry)|"
    r"with the (?:pro|proposition|affirmative))"
)
_CON = (
    r"(?:against|no|nay|in opposition(?: to)?|to (?:oppose|reject|defeat|negate|vote down|decline)|"
    r"with the (?:con|opposition|negative))"
)
_VOTE = re.compile(
    rf"\b(?:vote|voting|voted|ballot)\b(?: (?:firmly|strongly|overwhelmingly|resoundingly|please|a|again|tonight|"
    rf"with us|you))?,? ?[\"'“‘]?(?:(?P<pro>{_PRO})|(?P<con>{_CON}))\b(?P<what>(?:(?! --|[.;?!–—]).){{0,80}})",
    re.IGNORECASE,
)
_ACT = re.compile(
    rf"\b(?:(?P<pro>support|supporting|adopt|accept|endorse|affirm|pass|embrace|back|uphold)|(?P<con>reject|"
    rf"rejecting|oppose|opposing|defeat|defeating|resist|turn down|vote down|negate|say no to)) "
    rf"(?:the|this|that|our|tonight[’']?s|today[’']?s) (?:[\w'’-]+ ){{0,2}}?{MOTION_WORD}\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    rf"\b(?:(?:absurd|extreme|radical|misguided|dangerous|flawed|false|ridiculous|terrible|foolish|sweeping|"
    rf"simplistic|silly|wrong|wrongheaded) {MOTION_WORD}\b|"
    rf"{MOTION_WORD} (?:is|are|was|goes)(?: (?:just|so|simply|clearly|therefore|far|much|plainly|really|very|"
    rf"a))* (?:absurd|extreme|radical|misguided|dangerous|flawed|false|too|wrong|ridiculous|silly|mistaken|bad|"
    rf"untrue|incorrect|overstated|exaggerated|not (?:true|right|correct)))\b",
    re.IGNORECASE,
)
_SUPPORTERS = re.compile(
    rf"\b(?:(?P<pro>proponents|supporters|advocates|defenders|those (?:in favou?r|who (?:support|favou?r|defend))|"
    rf"those arguing (?:for|in favou?r))|(?P<con>opponents|critics|those (?:who oppose|opposed|against)|"
    rf"those arguing against)) (?:of |to )?(?:the|this|that|tonight's) {MOTION_WORD}\b",
    re.IGNORECASE,
)
_OPPONENTS_SAY = re.compile(
    r"\b(?:(?:our|my) opponents?|(?:the )?other side|your (?:side|team|case|argument|claim))\b.{0,50}?\b"
    r"(?:sa(?:y|ys|id|ying)|claim\w*|argu\w*|suggest\w*|prov(?:e|ed|en|ing)|believ\w*|think\w*|t(?:ell|old)|"
    r"convince\w*|assert\w*|contend\w*|case|"
    r"urg\w*|wants?|propos\w*|advocat\w*|ask\w*|idea|notion|view)\b(?P<claim>.{0,120})",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"^(?: (?:for|on|to|of|about|against))+(?= )")
_REPORTED = re.compile(
    r"\b(?:they|he|she|opponents|other side|told|said|says|asked|asks)\b[^,;]{0,40}$|"
    r"\b(?:who|people|everybody|everyone|somebody|anybody|members)\b[^,;]{0,30}$|"
    r"\b(?:arguments?|claims?|case) (?:of|by|from|that) (?:the other|our opponents|their)\b.*$|"
    r"(?<![Ii] )(?<!we )(?<!you )\b(?:would|could|did)(?: be)?(?: likely to)? $",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:\bnot|n't|n’t|\bnever|\bnobody)(?: (?:to|be|just|simply|ever|want|you|should|think))* $|\b(?:instead of|"
    r"rather than|before you|if you(?:'re| are)? (?:think|want|decide|choose|considering|going|tempted|do|still)?|"
    r"who (?:would|will|could)|why would|even if|(?:no )reason to|reason not to|imagine|poll)\b[^.;,?!]{0,50}$",
    re.IGNORECASE,
)
_URGED = re.compile(
    rf"\b{_PHRASES.alternatives('urges')}\b|^(?:and |so |but |then )*(?:vote|reject|support|oppose)\b", re.IGNORECASE
)
_COMMANDED = re.compile(r"(?:^|[,;:–—-])\s*(?:and |so |please )?$", re.IGNORECASE)
_SELF = re.compile(
    r"\b(?:i|we|my (?:partner|colleague|teammate)s? and i)(?:'m|’m| am|'re|’re| are|'ll| will(?: be)?|'ve|"
    r" have(?: been)?| would| do| must| stand| stood| rise)?(?: (?:here|both|also|strongly|firmly|proudly|going to|"
    r"asked|to|be|up|today|tonight|proud|happy))* (?:(?:argu|speak|stand|debat)\w* )?(?:here )?(?:today |tonight |"
    r"first )?(?:for|in favou?r|in support|in defen[cs]e|support|defend|against|in opposition|oppose|opposed)\b|"
    r"\bon (?:my|our) side\b|\bour side\b|\b(?:on|from) the (?:pro|con|proposition|opposition|affirmative|"
    r"negative)\b|\bmy opposition to\b|\b(?:my|our) (?:case|arguments?|position|speech) (?:is )?(?:for|against|in)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(r" (?:it|that|this|them|those|these|him|her)$", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:colleagues?|friends?|opponents?|panel|guys|people|gentlemen) $", re.IGNORECASE)


# A claim has few words more than the motion, and is not asked, supposed or reported.
_MORE_WORDS = 6
_NO_CLAIM = re.compile(rf"\?|\b{_PHRASES.alternatives('no_claims')}\b", re.IGNORECASE)


def declarations(said: Sequence[Utterance], motion: str) -> Iterator[Clue]:
    """What each voice tells of its own side."""
    for utterance in said:
        for index, sentence in enumerate(utterance.sentences):
            for kind, side in declared(sentence, motion):
                yield Clue(kind, utterance.voice, utterance.first + index, sentence, side)


@functools.lru_cache(maxsize=50_000)
def declared(sentence: str, motion: str) -> tuple[tuple[str, Stance], ...]:
    """The sides of its speaker that a sentence declares, each with how it does.

    >>> declared("So I urge you to vote against this motion.", "Ban zoos")
    (('asks for votes', 'con'),)
    >>> declared("Please vote no on banning zoos.", "Ban zoos")
    (('asks for votes', 'con'),)
    >>> declared("We are here to speak for the motion.", "Ban zoos")
    (('own side', 'pro'),)
    >>> declared("They told you to vote for the motion.", "Ban zoos")
    ()
    """
    made: list[tuple[str, Stance]] = []
    for match in _VOTE.finditer(sentence):
        side: Stance = "pro" if match["pro"] else "con"
        before = sentence[: match.start()]
        plain_vote = match[0].split()[-1].lower()
        turned = about_motion(_PREPOSITION.sub("", match["what"]), motion)
        aimed = turned is not None or (not match["what"].strip(" ,\"'”") and plain_vote not in ("for",))
        if not aimed or _reported(before) or (turned and match["what"].split()[:1] == ["on"]):
            continue
        negated = bool(_NOT.search(before))
        if negated:
            made.append(("warns of votes", OTHER[side]))
        else:
            made.append(("asks for votes", OTHER[side] if turned else side))
    for match in _ACT.finditer(sentence):
        side = "pro" if match["pro"] else "con"
        before = sentence[: match.start()]
        if made or _reported(before):
            continue
        if _NOT.search(before):
            made.append(("warns of votes", OTHER[side]))
        elif _URGED.search(before) or _COMMANDED.search(before) or _SELF.search(sentence[: match.end()]):
            made.append(("asks for votes", side))
    own = _SELF.search(sentence)
    if not made and own and not _PHRASES.whole_words("supposes").search(sentence[: own.end()]):
        for named in named_sides(sentence, motion):
            before = sentence[: named.start]
            vague = _VAGUE.search(sentence[named.start : named.end])
            if (
                (named.subject == "I" or "our side" in sentence)
                and not vague
                and not _OTHERS.search(before)
                and not re.search(r"\b(?:not|n't|n’t|never)\b", before)
            ):
                made.append(("own side", named.side))
    if not made and (theirs := _opponents_claim(sentence, motion)):
        made.append(("opponents claim", OTHER[theirs]))
    if not made and (claim := _claims(sentence, motion)):
        made.append(("claims the motion" if claim == "pro" else "denies the motion", claim))
    if not made and _JUDGED.search(sentence):
        made.append(("judges the motion", "con"))
    if others := _SUPPORTERS.search(sentence):
        made.append(("speaks of the others", "con" if others["pro"] else "pro"))
    return tuple(made)


def _opponents_claim(sentence: str, motion: str) -> Stance | None:
    """The side that opponents are said to argue for: 'the other side has not proven that zoos should be closed'."""
    match = _OPPONENTS_SAY.search(sentence)
    return claimed(match["claim"], motion) if match else None


def _claims(sentence: str, motion: str) -> Stance | None:
    """The side of who says the motion, or denies it, in a short sentence of its own."""
    if len(tokens(sentence)) > len(tokens(motion)) + _MORE_WORDS or _NO_CLAIM.search(sentence):
        return None
    return claimed(sentence, motion)


def _reported(before: str) -> bool:
    """Whether somebody else is said to ask for it."""
    return bool(_REPORTED.search(before))

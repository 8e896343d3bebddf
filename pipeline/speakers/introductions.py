"""What is said of others' sides: how people are introduced, who speaks next, who is whose partner or opponent."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.speakers.camps import OTHER, Clue
from pipeline.speakers.names import Mention, Names
from pipeline.speakers.utterances import Utterance
from pipeline.speakers.wording import NamedSide, named_sides
from pipeline.text.phrases import phrase_lists

_PHRASES = phrase_lists("pipeline.speakers")

# Sentences after one that names a side, in which names are still those of that side.
_CARRIED = 4
# Sentences before a voice speaks in which a side that is named can be its own.
_ANNOUNCED = 12
# 'On the other side, ...': how far from its beginning a sentence turns to the other side.
_TURN_AHEAD = 25
_PARTNER = re.compile(
    r"\b(?P<whose>my|your|his|her|their|whose)(?: (?:debat\w+|good|great|esteemed|wonderful|very|able|old|team|"
    r"other|brilliant|learned|own))* (?:partner|team ?mate|colleague|side|seconder|co-?debater)s?\b",
    re.IGNORECASE,
)
_OPPONENT = re.compile(
    r"\b(?P<whose>my|your|his|her|their|our)(?: (?:debat\w+|good|great|esteemed|worthy|learned|honou?rable|"
    r"own))* (?:opponent|adversar(?:y|ie)|rival|opposition)s?\b",
    re.IGNORECASE,
)
_OTHER_SIDE = re.compile(
    r"\b(?:(?:the |your |from the |to the )?(?:other|opposite|opposing) (?:side|team|bench|camp)|(?:your|their|his|"
    r"her) opponents?)\b",
    re.IGNORECASE,
)
_APPOSED = re.compile(
    r"^ *(?:,|is|are|was|will be|here|and i|--|named|called|tonight|this evening)* ?(?:also |again |the |mr\.? |"
    r"dr\.? |professor |\w+ \w+ )?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Context:
    """What introductions are read with: the motion, who speaks as moderator, names of voices, mentions of names."""

    motion: str
    moderators: Mapping[str, float]
    voice_of: Mapping[str, str]
    names: Names


def introductions(said: Sequence[Utterance], context: Context) -> Iterator[Clue]:
    """Every clue in what somebody says of others."""
    for turn, utterance in enumerate(said):
        if context.moderators.get(utterance.voice, 0.0) >= 0.5 or utterance.words < 400:
            yield from _introduced(said, turn, context)
        else:
            yield from _introduced(said, turn, context, tail=True)
        yield from _related(said, turn, context)


def _introduced(said: Sequence[Utterance], turn: int, context: Context, *, tail: bool = False) -> Iterator[Clue]:
    """Whose side one utterance names. With `tail` only its end, where a moderator's words may have got in."""
    utterance = said[turn]
    moderates = context.moderators.get(utterance.voice, 0.0) >= 0.5
    after = said[turn + 1].voice if turn + 1 < len(said) else None
    running: tuple[NamedSide, int, str] | None = None
    first = max(len(utterance.sentences) - _ANNOUNCED, 0) if tail else 0
    waiting: tuple[NamedSide, int, str] | None = None
    for number in range(first, len(utterance.sentences)):
        sentence = utterance.sentences[number]
        if _PHRASES.whole_words("another_debate").search(sentence):
            return
        index = utterance.first + number
        mentions = context.names.mentions(sentence, speaker=_name_of(utterance.voice, context))
        sides = [
            side
            for side in named_sides(sentence, context.motion)
            if side.subject != "I" or moderates or _PHRASES.whole_words("announces").search(sentence)
        ]
        if not moderates:
            sides = [side for side in sides if side.subject != "you"]
        if sides:
            waiting = (sides[-1], number, sentence)
            running = None if _PHRASES.whole_words("puts_to_a_side").search(sentence) else waiting
            pairs = list(_attached(mentions, sides, sentence))
            for mention, side in pairs:
                voice = context.voice_of.get(mention.name)
                if voice and voice != utterance.voice:
                    yield Clue(_kind(sentence, side, moderates), voice, index, sentence, side.side)
            named = {mention.name for mention, _ in pairs}
            if any(side.start == sides[-1].start for _, side in pairs):
                waiting = None
            if sides[-1].subject == "you" and not named and (voice := _addressed(said, turn, number, context)):
                yield Clue("addressed", voice, index, sentence, sides[-1].side)
                waiting = None
        elif running and (flip := _OTHER_SIDE.search(sentence)):
            waiting = None
            flipped = replace(running[0], side=OTHER[running[0].side])
            running = (flipped, number, sentence) if flip.start() < _TURN_AHEAD and moderates else None
            for mention in mentions if running else []:
                voice = context.voice_of.get(mention.name)
                if voice and voice != utterance.voice and mention.start > flip.start():
                    yield Clue("listed", voice, index, sentence, flipped.side)
        elif running and mentions and number - running[1] <= _CARRIED:
            carried = _PHRASES.whole_words("goes_on").search(sentence) or _bare(sentence, mentions)
            for mention in mentions if carried else []:
                voice = context.voice_of.get(mention.name)
                if voice and voice != utterance.voice:
                    kind = "introduced" if waiting and _bare(sentence, mentions) else "listed"
                    yield Clue(kind, voice, utterance.first + running[1], running[2], running[0].side)
                    waiting = None if kind == "introduced" else waiting
    if waiting and after and after != utterance.voice and len(utterance.sentences) - waiting[1] <= _ANNOUNCED:
        yield from _announced(said, turn, waiting, moderates, context)


def _announced(
    said: Sequence[Utterance], turn: int, waiting: tuple[NamedSide, int, str], moderates: bool, context: Context
) -> Iterator[Clue]:
    """The side that was named last, for whom it did not name, may be that of who speaks next."""
    utterance, (side, number, sentence) = said[turn], waiting
    following = said[turn + 1]
    asked = _PHRASES.whole_words("puts_to_a_side").search(sentence)
    if (
        _PHRASES.whole_words("announces").search(sentence)
        and not asked
        and (moderates or _speaks_long(following, context))
    ):
        kind = "announced"
    elif moderates and asked:
        kind = "asked"
    else:
        return
    yield Clue(kind, following.voice, utterance.first + number, sentence, side.side)


def _speaks_long(utterance: Utterance, context: Context) -> bool:
    return utterance.words >= 150 and context.moderators.get(utterance.voice, 0.0) < 0.5


def _name_of(voice: str, context: Context) -> str | None:
    return next((name for name, other in context.voice_of.items() if other == voice), None)


def _kind(sentence: str, side: NamedSide, moderates: bool) -> str:
    if side.subject == "you":
        return "addressed"
    if _PHRASES.whole_words("puts_to_a_side").search(sentence) or not moderates:
        return "spoken of"
    return "introduced"


def _bare(sentence: str, mentions: Sequence[Mention]) -> bool:
    """Whether a sentence has hardly more than names."""
    rest = len(sentence) - sum(mention.end - mention.start for mention in mentions)
    return rest < 30


def _attached(
    mentions: Sequence[Mention], sides: Sequence[NamedSide], sentence: str
) -> Iterator[tuple[Mention, NamedSide]]:
    """Each name with its side: the last one before it, or, if names come first, the next one after it."""
    if not mentions or not sides:
        return
    names_first = mentions[0].start < sides[0].start and not (len(sides) == 1 and _colon(sentence, sides[0], mentions))
    for mention in mentions:
        if names_first:
            side = next((one for one in sides if one.start >= mention.start), sides[-1])
        else:
            side = next((one for one in reversed(sides) if one.start <= mention.start), sides[0])
            if _OTHER_SIDE.search(sentence[side.end : mention.start]):
                side = replace(side, side=OTHER[side.side])
        yield mention, side


def _colon(sentence: str, side: NamedSide, mentions: Sequence[Mention]) -> bool:
    """Whether a name also follows the side directly: 'John, here to speak for the motion, Ann Lee'."""
    after = [mention for mention in mentions if mention.start >= side.end]
    return bool(after) and len(re.findall(r"\w+", sentence[side.end : after[0].start])) <= 1


def _addressed(said: Sequence[Utterance], turn: int, number: int, context: Context) -> str | None:
    """Who 'you' is: the person named last before it in this utterance, or else who speaks next."""
    utterance = said[turn]
    for back in range(number, max(number - 4, -1), -1):
        mentions = context.names.mentions(utterance.sentences[back])
        voices = [context.voice_of.get(mention.name) for mention in mentions]
        if voices:
            return voices[-1]
    return said[turn + 1].voice if turn + 1 < len(said) else None


def _related(said: Sequence[Utterance], turn: int, context: Context) -> Iterator[Clue]:
    """Partners and opponents: 'my partner, Lee Silver', 'your opponent, Nita', 'let the other side respond'."""
    utterance = said[turn]
    before = said[turn - 1].voice if turn else None
    after = said[turn + 1].voice if turn + 1 < len(said) else None
    moderates = context.moderators.get(utterance.voice, 0.0) >= 0.5
    for number, sentence in enumerate(utterance.sentences):
        index = utterance.first + number
        mentions = context.names.mentions(sentence)
        for pattern, together in ((_PARTNER, True), (_OPPONENT, False)):
            for match in pattern.finditer(sentence):
                whose = match["whose"].lower()
                if together and "side" in match[0].lower():
                    continue
                near = _apposed(sentence, match, mentions)
                other = context.voice_of.get(near.name) if near else None
                if whose in ("my", "our") and not moderates:
                    one: str | None = utterance.voice
                elif whose in ("my", "our"):
                    continue
                else:
                    one = _whose(said, turn, number, match, near, context)
                if (
                    other is None
                    and whose == "your"
                    and number >= len(utterance.sentences) - 2
                    and moderates
                    and together
                ):
                    continue
                if one and other and one != other:
                    yield Clue("partner" if together else "opponent", one, index, sentence, None, other, together)
        last = number >= len(utterance.sentences) - 2
        if moderates and last and _OTHER_SIDE.search(sentence) and before and after and before != after:
            earlier = _last_debater(said, turn, context)
            if earlier and earlier != after:
                yield Clue("other side asked", after, index, sentence, None, earlier, False)


def _apposed(sentence: str, match: re.Match[str], mentions: Sequence[Mention]) -> Mention | None:
    """The name right beside 'partner' or 'opponent'."""
    for mention in mentions:
        if mention.start >= match.end() and _APPOSED.match(sentence[match.end() : mention.start]):
            return mention
    for mention in reversed(mentions):
        if mention.end <= match.start() and re.fullmatch(
            r"(?:'s)?,?\s*(?:who is |is |and )?", sentence[mention.end : match.start()], re.IGNORECASE
        ):
            return mention
    return None


def _whose(
    said: Sequence[Utterance], turn: int, number: int, match: re.Match[str], near: Mention | None, context: Context
) -> str | None:
    """Whose partner is meant: that of the person named last before, or of who spoke last, but for the moderator."""
    utterance = said[turn]
    for back in range(number, max(number - 3, -1), -1):
        for mention in reversed(context.names.mentions(utterance.sentences[back])):
            same = near and mention.name == near.name
            if not same and (back < number or mention.end <= match.start()):
                return context.voice_of.get(mention.name)
    return _last_debater(said, turn, context) if number <= 1 else None


def _last_debater(said: Sequence[Utterance], turn: int, context: Context) -> str | None:
    """Who spoke last before an utterance, without moderators and people of few words."""
    for earlier in reversed(said[max(turn - 3, 0) : turn]):
        if context.moderators.get(earlier.voice, 0.0) < 0.5:
            return earlier.voice
    return None

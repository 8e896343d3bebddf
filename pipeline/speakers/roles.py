"""What each voice does in a debate: it moderates, debates, asks from the floor, or is only heard from there."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.records import Role
from pipeline.speakers.names import Names
from pipeline.speakers.utterances import Utterance
from pipeline.text.phrases import phrase_lists

_PHRASES = phrase_lists("pipeline.speakers")

# A turn that ends with nothing but a name or title, or begins by addressing one.
_ADDRESSES = re.compile(
    r"^(?:(?:and|so|now|well|but|all right|okay|thank you|thanks),? )*(?:(?:mr\.?|mrs\.?|ms\.?|madam|senator|"
    r"governor|congressman|congresswoman|"
    r"vice|president|secretary|prime|minister|doctor|dr\.?|professor|sir|ma'am)\b ?)+(?:[A-Z][\w'’-]+ ?){0,2}(?:,|"
    r"[.?]?$|--)"
)
_QUESTION = re.compile(rf"\?\W*$|\b{_PHRASES.alternatives('asks')}\b", re.IGNORECASE)


# Moderators present themselves in the first sentences that they say.
_PRESENTS = 12
_OPENS_OR_CLOSES = re.compile(
    r"\b(?:welcome(?: back)?(?: \w+){0,2} to|wrapping up|that concludes|this concludes|end of|conclude|"
    r"joining us for|begin) "
    r"(?:this|our|the|tonight's|tonight’s|another|a|round)\b",
    re.IGNORECASE,
)
_OPENS_THE_FLOOR = re.compile(rf"\b{_PHRASES.alternatives('opens_the_floor')}", re.IGNORECASE)
_LABELS: tuple[tuple[re.Pattern[str], Role], ...] = (
    (
        re.compile(
            r"\b(?:moderator|chair(?:man|woman|person)?|host|presenter|speaker of the house|interviewer)\b",
            re.IGNORECASE,
        ),
        "moderator",
    ),
    (re.compile(r"\b(?:audience|questioner|member of the public|voter|from the floor)\b", re.IGNORECASE), "questioner"),
    (re.compile(r"\b(?:applause|laughter|crowd|results?|all|various)\b", re.IGNORECASE), "audience"),
)
# Log-odds for a debater who is the only voice, and against questions from the floor where nobody moderates.
_ALONE = 3.0
_UNLED = 1.5
# Who speaks only in the first turns of so long a debate, and says as little as that, has none of the four roles.
_OPENING, _LONG, _LITTLE = 4, 40, 0.05
# Or who speaks in none but so small a share of the turns, which are the first: a host in a talk with the moderator.
_FIRST_TURNS = 0.05
ROLES: tuple[Role, ...] = ("debater", "moderator", "questioner", "audience")
_A_HOST: Mapping[Role, float] = {"debater": 0.2, "moderator": 0.2, "questioner": 0.2, "audience": 0.4}


@dataclass
class Part:
    """What one voice does in a recording, in figures: words, turns (and how many of them lead, ask, call the next
    voice, follow an invitation to the floor), and how often it is given a side by others or by itself.

    A voice that `welcomes` says what it says before a long debate: a host, a sponsor.
    """

    words: int = 0
    turns: int = 0
    longest: int = 0
    leading: int = 0
    asking: int = 0
    calls: int = 0
    from_the_floor: int = 0
    invited: int = 0
    moderating: int = 0
    framing: int = 0
    sided: float = 0.0
    opens: bool = False
    welcomes: bool = False


def parts(said: Sequence[Utterance], names: Names, voice_of: Mapping[str, str]) -> dict[str, Part]:
    """The part that each voice has."""
    result: dict[str, Part] = defaultdict(Part)
    last = {utterance.voice: index for index, utterance in enumerate(said)}
    for index, utterance in enumerate(said):
        part = result[utterance.voice]
        part.opens = part.opens or not index
        part.words += utterance.words
        part.turns += 1
        if utterance.words > part.longest:
            part.longest = utterance.words
            opens = index < _OPENING or last[utterance.voice] < _FIRST_TURNS * len(said)
            part.welcomes = opens and len(said) >= _LONG
        edges = (*utterance.sentences[:2], *utterance.sentences[2:][-3:])
        part.leading += any(_PHRASES.whole_words("leads").search(one) or _ADDRESSES.match(one) for one in edges)
        part.asking += bool(_QUESTION.search(utterance.sentences[-1]))
        part.from_the_floor += any(
            _PHRASES.whole_words("from_the_floor").search(sentence) for sentence in utterance.sentences
        )
        first_words = utterance.sentences[:_PRESENTS] if part.turns == 1 else ()
        part.moderating += any(_PHRASES.whole_words("presents_moderator").search(sentence) for sentence in first_words)
        part.framing += any(_OPENS_OR_CLOSES.search(one) for one in edges)
        if index and said[index - 1].voice != utterance.voice:
            part.invited += any(_OPENS_THE_FLOOR.search(sentence) for sentence in said[index - 1].sentences[-2:])
        if index + 1 < len(said):
            named = {mention.name for sentence in utterance.sentences[-2:] for mention in names.mentions(sentence)}
            part.calls += said[index + 1].voice in {voice_of.get(name) for name in named}
    return dict(result)


def roles(found: Mapping[str, Part]) -> dict[str, dict[Role, float]]:
    """How probably each voice has each role. Where nobody moderates, hardly anybody asks from the floor."""
    led = _roles(found, led=True)
    return led if any(chances["moderator"] >= 0.5 for chances in led.values()) else _roles(found, led=False)


def _roles(found: Mapping[str, Part], *, led: bool) -> dict[str, dict[Role, float]]:
    everything = sum(part.words for part in found.values()) or 1
    return {
        voice: _probabilities(voice, part, part.words / everything, len(found), led) for voice, part in found.items()
    }


def _probabilities(voice: str, part: Part, share: float, voices: int, led: bool) -> dict[Role, float]:
    """Odds of each role from what a voice does, the weights chosen by hand."""
    sure = part.turns / (part.turns + 3)  # a share of few turns says little
    leading, calling, asking, invited, floor = (
        count / part.turns for count in (part.leading, part.calls, part.asking, part.invited, part.from_the_floor)
    )
    if part.welcomes and share < _LITTLE and not part.sided and not part.moderating:
        return dict(_A_HOST)
    more = math.log(max(share, 0.0005) * max(voices, 4) / 1.2)  # 0 for an equal share among a handful
    odds: dict[Role, float] = {
        "debater": 0.5 + 0.9 * min(more, 1.0) + 0.4 * math.log(max(part.longest, 5) / 100) + min(part.sided, 4.0),
        "moderator": -3.0
        + sure * (6.0 * leading + 6.0 * calling + 2.0 * asking)
        + 4.0 * (part.moderating > 0)
        + 1.5 * min(part.framing, 2)
        + 1.0 * part.opens
        - 1.5 * floor
        - 1.0 * math.log(max(part.words / part.turns, 60) / 60)
        - 0.5 * min(part.sided, 4.0),
        "questioner": -0.8 * math.log(max(part.longest, 150) / 150)
        + 1.5 * asking
        + 2.0 * floor
        + 1.5 * invited
        - 1.2 * max(more, -1.0)
        - 0.02 * part.turns,
        "audience": 0.5 - 0.08 * part.words / part.turns - 0.01 * part.words - 1.0 * asking,
    }
    if voices == 1:
        odds["debater"] += _ALONE
    if not led:
        odds["questioner"] -= _UNLED
    for pattern, role in _LABELS:
        if pattern.search(voice.replace("_", " ")):
            odds[role] += 4.0
    highest = max(odds.values())
    weights = {role: math.exp(value - highest) for role, value in odds.items()}
    return {role: weight / sum(weights.values()) for role, weight in weights.items()}

"""How often the side of a debater is found: from the whole transcript, without names, and from own words alone."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pipeline.evaluation.result import Row
from pipeline.measures import pooled_mean, with_interval
from pipeline.records import Stance
from pipeline.speakers.evaluate.data import KnownDebate, without_names
from pipeline.speakers.own_words import own_side
from pipeline.speakers.stage import Speakers
from pipeline.speakers.stance_model import StanceModel
from pipeline.speakers.utterances import Utterance

# The side of each debater by a method; None where it finds none.
SideByVoice = Mapping[str, Stance | None]
Method = Callable[[KnownDebate], SideByVoice]


def side_rows(
    debates: Sequence[KnownDebate],
    learned_from: Sequence[KnownDebate],
    results: Mapping[str, Mapping[str, Speakers]],
    model: StanceModel | None,
) -> Iterator[Row]:
    """A row per transcript and method. `results` has what was found in each debate, by transcript and debate."""
    counts = [
        list(debate.sides.values()).count("pro") - list(debate.sides.values()).count("con") for debate in learned_from
    ]
    frequent: Stance = "pro" if sum(counts) >= 0 else "con"
    for transcript in ("whole", "unnamed"):
        speakers = results[transcript]
        yield _row(debates, transcript, "rostrum", functools.partial(_sides_of, speakers))
        expressions = _expressions if transcript == "whole" else _expressions_without_names
        yield _row(debates, transcript, "three regular expressions", expressions)
        yield from _trivial(debates, transcript, frequent)
    if model:
        yield _row(debates, "own words", "rostrum", lambda debate: _own_words(debate, model, frequent))
        alone = "stance model alone"
        yield _row(debates, "own words", alone, lambda debate: _own_words(debate, model, frequent, declared=False))
    declared = "declared, else majority"
    yield _row(debates, "own words", declared, lambda debate: _own_words(debate, None, frequent))
    yield from _trivial(debates, "own words", frequent)


def _sides_of(results: Mapping[str, Speakers], debate: KnownDebate) -> SideByVoice:
    sides = {person.voice: person.side for person in results[debate.name].people}
    return {voice: sides.get(voice) for voice in debate.sides}


def _expressions(debate: KnownDebate) -> SideByVoice:
    names = {voice: voice for voice in debate.sides}
    return sides_by_three_expressions(debate.said, debate.moderators, names, debate.sides)


def _expressions_without_names(debate: KnownDebate) -> SideByVoice:
    said, labels = without_names(debate)
    moderators = {labels[voice] for voice in debate.moderators if voice in labels}
    sides = sides_by_three_expressions(said, moderators, {}, [labels[voice] for voice in debate.sides])
    return {voice: sides[labels[voice]] for voice in debate.sides}


def _own_words(
    debate: KnownDebate, model: StanceModel | None, frequent: Stance, *, declared: bool = True
) -> SideByVoice:
    sides: dict[str, Stance | None] = {}
    for voice in debate.sides:
        probability = own_side(model, debate.motion, debate.words_of(voice), declared=declared)
        sides[voice] = frequent if probability == 0.5 else "pro" if probability > 0.5 else "con"
    return sides


def _trivial(debates: Sequence[KnownDebate], transcript: str, frequent: Stance) -> Iterator[Row]:
    yield _row(debates, transcript, "majority", lambda debate: dict.fromkeys(debate.sides, frequent))
    chance: Row = {"table": "sides", "transcript": transcript, "method": "chance", "accuracy": 0.5}
    yield {**chance, "accuracy_low": None, "accuracy_high": None, "debaters": sum(len(one.sides) for one in debates)}


def _row(debates: Sequence[KnownDebate], transcript: str, method: str, find: Method) -> Row:
    """Accuracy over all debaters; a side that is not found is wrong."""
    right: list[list[float]] = []
    known = 0
    for debate in debates:
        sides = find(debate)
        right.append([float(sides[voice] == side) for voice, side in debate.sides.items()])
        known += sum(sides[voice] is not None for voice in debate.sides)
    total = sum(map(len, right))
    row: Row = {"table": "sides", "transcript": transcript, "method": method}
    row |= with_interval("accuracy", right, pooled_mean)
    return {**row, "found": known / total, "debaters": total, "debates": len(debates)}


# The baseline that needs no model of a debate: three regular expressions over the moderator's sentences.

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

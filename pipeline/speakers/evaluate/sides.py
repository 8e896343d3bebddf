"""How often the side of a debater is found: from the whole transcript, without names, and from own words alone."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

from pipeline.evaluation.result import Row
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.records import Stance
from pipeline.speakers.evaluate.baselines import sides_by_three_expressions
from pipeline.speakers.evaluate.data import KnownDebate, without_names
from pipeline.speakers.own_words import own_side
from pipeline.speakers.record import Speakers
from pipeline.speakers.stance_model import StanceModel

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
        found = results[transcript]
        yield _row(debates, transcript, "rostrum", functools.partial(_sides_of, found))
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
    found = {person.voice: person.side for person in results[debate.name].people}
    return {voice: found.get(voice) for voice in debate.sides}


def _expressions(debate: KnownDebate) -> SideByVoice:
    names = {voice: voice for voice in debate.sides}
    return sides_by_three_expressions(debate.said, debate.moderators, names, debate.sides)


def _expressions_without_names(debate: KnownDebate) -> SideByVoice:
    said, labels = without_names(debate)
    moderators = {labels[voice] for voice in debate.moderators if voice in labels}
    found = sides_by_three_expressions(said, moderators, {}, [labels[voice] for voice in debate.sides])
    return {voice: found[labels[voice]] for voice in debate.sides}


def _own_words(
    debate: KnownDebate, model: StanceModel | None, frequent: Stance, *, declared: bool = True
) -> SideByVoice:
    found: dict[str, Stance | None] = {}
    for voice in debate.sides:
        probability = own_side(model, debate.motion, debate.words_of(voice), declared=declared)
        found[voice] = frequent if probability == 0.5 else "pro" if probability > 0.5 else "con"
    return found


def _trivial(debates: Sequence[KnownDebate], transcript: str, frequent: Stance) -> Iterator[Row]:
    yield _row(debates, transcript, "majority", lambda debate: dict.fromkeys(debate.sides, frequent))
    chance: Row = {"table": "sides", "transcript": transcript, "method": "chance", "accuracy": 0.5}
    yield {**chance, "accuracy_low": None, "accuracy_high": None, "debaters": sum(len(one.sides) for one in debates)}


def _row(debates: Sequence[KnownDebate], transcript: str, method: str, find: Method) -> Row:
    """Accuracy over all debaters; a side that is not found is wrong."""
    right: list[list[float]] = []
    known = 0
    for debate in debates:
        found = find(debate)
        right.append([float(found[voice] == side) for voice, side in debate.sides.items()])
        known += sum(found[voice] is not None for voice in debate.sides)
    low, high = bootstrap_interval(right, pooled_mean)
    total = sum(map(len, right))
    return {
        "table": "sides",
        "transcript": transcript,
        "method": method,
        "accuracy": pooled_mean(right),
        "accuracy_low": low,
        "accuracy_high": high,
        "found": known / total,
        "debaters": total,
        "debates": len(debates),
    }

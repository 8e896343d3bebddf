"""The known arguments of each side, and who mentions them."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import Argument, Motion, Stance

_STANCES: tuple[Stance, ...] = ("pro", "con")


@dataclass(frozen=True)
class MentionedBy:
    """A speech that mentions an argument."""

    link: SpeechLink
    probability: float


@dataclass(frozen=True)
class ShownArgument:
    """A known argument, the title of the one that rebuts it, and the speeches that mention it, surest first."""

    argument: Argument
    counter: str | None
    mentions: tuple[MentionedBy, ...]


@dataclass(frozen=True)
class ArgumentSide:
    """The known arguments of one side."""

    stance: Stance
    arguments: tuple[ShownArgument, ...]


@dataclass(frozen=True)
class ArgumentSides:
    """Both sides' arguments. `is_searched` says whether any speech was searched for them."""

    sides: tuple[ArgumentSide, ...]
    is_searched: bool
    title = "Known arguments"


def _view(data: ReportData, motion: Motion) -> ArgumentSides | None:
    sides = tuple(_sides(data, motion))
    is_searched = any(each.probabilities for each in data.facts_on(motion.id))
    return ArgumentSides(sides, is_searched) if sides else None


def _sides(data: ReportData, motion: Motion) -> Iterator[ArgumentSide]:
    arguments = data.run.arguments_on(motion.id)
    titles = {argument.id: argument.title for argument in arguments}
    for stance in _STANCES:
        shown = tuple(
            ShownArgument(each, titles.get(each.counter or ""), _mentions(data, motion, each))
            for each in arguments
            if each.stance == stance
        )
        if shown:
            yield ArgumentSide(stance, shown)


def _mentions(data: ReportData, motion: Motion, argument: Argument) -> tuple[MentionedBy, ...]:
    found = (
        MentionedBy(data.links[each.speech.id], each.mentioned[argument.id])
        for each in data.facts_on(motion.id)
        if argument.id in each.mentioned
    )
    return tuple(sorted(found, key=lambda mention: -mention.probability))


PANEL = Panel(place=40, view=_view)

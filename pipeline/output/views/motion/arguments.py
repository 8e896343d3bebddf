"""The known arguments of each side: the speeches that mention them or nearly do, and people's labels."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.argue.mentions.quality import quality_of
from pipeline.output.formatting import counted, interval, share
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import Argument, Motion, Passage, Stance

_STANCES: tuple[Stance, ...] = ("pro", "con")
# A probability of at least this share of the threshold is nearly a mention.
_NEAR = 0.8
_MOST_NEAR = 3


@dataclass(frozen=True)
class MentionDecision:
    """A speech and an argument: the detector's decision, and people's label if there is one."""

    link: SpeechLink
    probability: float
    is_mentioned: bool
    label: bool | None
    said: Passage | None

    @property
    def is_wrong(self) -> bool:
        """Whether people's label differs."""
        return self.label is not None and self.label != self.is_mentioned

    @property
    def label_in_words(self) -> str:
        """People's label as text; empty if there is none."""
        if self.label is None:
            return ""
        return f"people: {'mentioned' if self.label else 'not mentioned'}"


@dataclass(frozen=True)
class ShownArgument:
    """A known argument, the title of the one that rebuts it, and speeches, the most probable first.

    `mentions` are the speeches that mention it. `near` are those that nearly do, and those with people's label although
    the detector says no. If there are none of all these, it is the most probable speech.
    """

    argument: Argument
    counter: str | None
    mentions: tuple[MentionDecision, ...]
    near: tuple[MentionDecision, ...]


@dataclass(frozen=True)
class ArgumentSide:
    """The known arguments of one side."""

    stance: Stance
    arguments: tuple[ShownArgument, ...]


@dataclass(frozen=True)
class ArgumentSides:
    """The arguments of both sides. `quality` says how often the detector is right; empty if no speech was searched."""

    sides: tuple[ArgumentSide, ...]
    quality: str
    threshold: float | None

    @property
    def is_searched(self) -> bool:
        """Whether at least one speech was searched for the arguments."""
        return self.threshold is not None


def _view(data: ReportData, motion: Motion) -> ArgumentSides | None:
    sides = tuple(_sides(data, motion))
    threshold = next((each.threshold for each in data.facts_on(motion.id) if each.threshold is not None), None)
    quality = _quality(data, motion) if threshold is not None else ""
    return ArgumentSides(sides, quality, threshold) if sides else None


def _sides(data: ReportData, motion: Motion) -> Iterator[ArgumentSide]:
    arguments = data.run.arguments_on(motion.id)
    titles = {argument.id: argument.title for argument in arguments}
    for stance in _STANCES:
        own = [each for each in arguments if each.stance == stance]
        if own:
            shown = (_shown(data, motion, each, titles.get(each.counter or "")) for each in own)
            yield ArgumentSide(stance, tuple(shown))


def _shown(data: ReportData, motion: Motion, argument: Argument, counter: str | None) -> ShownArgument:
    decisions = [_decision(data, each, argument) for each in data.facts_on(motion.id) if _may_make(each, argument)]
    decisions.sort(key=lambda each: -each.probability)
    mentions = tuple(each for each in decisions if each.is_mentioned)
    others = [each for each in decisions if not each.is_mentioned]
    threshold = max((each.threshold or 0.0 for each in data.facts_on(motion.id)), default=0.0)
    near = [each for each in others if each.probability >= _NEAR * threshold][:_MOST_NEAR]
    near += [each for each in others if each.label and each not in near]
    if not mentions and not near:
        near = others[:1]
    return ShownArgument(argument, counter, mentions, tuple(near))


def _may_make(facts: SpeechFacts, argument: Argument) -> bool:
    """Whether the argument was searched for in the speech and is one of its own side."""
    return argument.id in facts.probabilities and facts.speech.stance in (None, argument.stance)


def _decision(data: ReportData, facts: SpeechFacts, argument: Argument) -> MentionDecision:
    return MentionDecision(
        link=data.links[facts.speech.id],
        probability=facts.probabilities[argument.id],
        is_mentioned=argument.id in facts.mentioned,
        label=data.labels.get((facts.speech.id, argument.id)),
        said=facts.carriers.get(argument.id),
    )


def _quality(data: ReportData, motion: Motion) -> str:
    """How often the detector was right on other debates, and on the labels of this motion."""
    digests = {
        digest
        for each in data.facts_on(motion.id)
        for name, digest in (each.stages["mentions"].model.items() if "mentions" in each.stages else ())
        if name.startswith("detector ")
    }
    measured = quality_of(digests.pop()) if len(digests) == 1 else None
    parts = ["How often this detector is right on other debates has not been measured."]
    if measured:
        how_sure = interval(measured.accuracy_low, measured.accuracy_high, decimals=0)
        parts = [
            f"On {measured.debates} debates it had not seen, the detector was right in {share(measured.accuracy)} of "
            f"its decisions ({how_sure}); always answering no is right in {share(measured.always_no)}."
        ]
    judged = [
        data.labels[each.speech.id, argument] == (argument in each.mentioned)
        for each in data.facts_on(motion.id)
        for argument in each.probabilities
        if (each.speech.id, argument) in data.labels
    ]
    if judged:
        parts.append(f"Here it agrees with {sum(judged)} of {counted(len(judged), 'label')} that people gave.")
    return " ".join(parts)


PANEL = Panel(place=30, view=_view, title="Known arguments")

"""How mentions are shown: as Markdown, on the page of a motion, as tables."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.export.table import WHO, Table, each_of_speech, flag, integer, number, text, who
from pipeline.mentions.detector import quality_of
from pipeline.mentions.stage import Mention, Mentions
from pipeline.records import Argument, Motion, Passage, Speech, Stance
from pipeline.report.formatting import clock, counted, interval, share, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun

HOW = {"explicit": "said outright", "implicit": "implied"}
AS_A_WHOLE = "suggested by the speech as a whole"


def headline(record: Mentions) -> str:
    """How many of the known arguments are mentioned."""
    own = [mention for mention in record.mentions if mention.side in ("own", None)]
    return f"{sum(mention.mentioned for mention in own)} of {counted(len(own), 'argument')} mentioned"


def page(record: Mentions) -> str:
    """The mentioned arguments with their words and rebuttals, then all others by probability."""
    own = [mention for mention in record.mentions if mention.side in ("own", None)]
    mentioned = [mention for mention in own if mention.mentioned]
    parts = [
        f"{len(mentioned)} of {len(own)} arguments are mentioned: from probability {record.threshold:.2f} on, by the "
        f"{escaped(record.detector)} detector ({escaped(record.trained_on)}) over {escaped(record.encoder)}. "
        "With each is the sentence that carries it, if one does."
    ]
    parts += [_mentioned_argument(mention) for mention in mentioned]
    parts += _rest("Not mentioned", (mention for mention in own if not mention.mentioned))
    parts += _rest("Of the other side", (mention for mention in record.mentions if mention.side == "other"))
    parts += _rest("Of other motions", (mention for mention in record.mentions if mention.side == "another motion"))
    parts += [f"Asked: {escaped(record.llm.report_line())}."] if record.llm else []
    return "\n\n".join(parts)


def _mentioned_argument(mention: Mention) -> str:
    how = f", {HOW[mention.how]}" if mention.how and mention.carriers else ""
    who = f"{escaped(mention.speaker)}: " if mention.speaker else ""
    lines = [f"{who}**{escaped(mention.title)}** ({mention.probability:.2f}{how})"]
    said = [f"- {clock(carrier.said.start)} “{escaped(carrier.said.quoted)}”" for carrier in mention.carriers]
    lines += said or [f"- {AS_A_WHOLE}: no sentence carries it"]
    if rebuttal := mention.counter_title or mention.counter:
        lines.append(f"- rebutted by: {escaped(rebuttal)}")
    return "\n".join(lines)


def _rest(title: str, mentions: Iterable[Mention]) -> list[str]:
    rows = [
        (
            mention.probability,
            clock(mention.carriers[0].said.start) if mention.carriers else None,
            f"{mention.speaker}: {mention.title}" if mention.speaker else mention.title,
            mention.carriers[0].said.quoted if mention.carriers else None,
        )
        for mention in mentions
    ]
    return [f"### {title}", table(["probability", "time", "argument", "nearest words"], rows)] if rows else []


# The known arguments of each side: the speeches that mention them or nearly do, and the corpus's labels.

_STANCES: tuple[Stance, ...] = ("pro", "con")
# A probability of at least this share of the threshold is nearly a mention.
_NEAR = 0.8
_MOST_NEAR = 3


@dataclass(frozen=True)
class MentionDecision:
    """A speech and an argument: the detector's decision, and the corpus's label if there is one."""

    link: SpeechLink
    probability: float
    is_mentioned: bool
    label: bool | None
    said: Passage | None
    has_side: bool = True

    @property
    def shown_probability(self) -> float:
        """The probability as it is shown: rounded down if it is too low, so that it does not look high enough."""
        return self.probability if self.is_mentioned else math.floor(100 * self.probability) / 100

    @property
    def is_of_whole_speech(self) -> bool:
        """Whether it is mentioned although no sentence carries it."""
        return self.is_mentioned and self.said is None

    @property
    def is_wrong(self) -> bool:
        """Whether the corpus's label differs."""
        return self.label is not None and self.label != self.is_mentioned

    @property
    def label_in_words(self) -> str:
        """The corpus's label as text; empty if there is none."""
        if self.label is None:
            return ""
        return f"labels.csv: {'mentioned' if self.label else 'not mentioned'}"


@dataclass(frozen=True)
class ShownArgument:
    """A known argument, the title of the one that rebuts it, and speeches, the most probable first.

    `mentions` are the speeches that mention it. `near` are those that nearly do, and those that are labelled although
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
    threshold = next((facts.threshold for facts in data.facts_on(motion.id) if facts.threshold is not None), None)
    quality = _quality(data, motion) if threshold is not None else ""
    return ArgumentSides(sides, quality, threshold) if sides else None


def _sides(data: ReportData, motion: Motion) -> Iterator[ArgumentSide]:
    arguments = data.run.arguments_on(motion.id)
    titles = {argument.id: argument.title for argument in arguments}
    for stance in _STANCES:
        own = [argument for argument in arguments if argument.stance == stance]
        if own:
            shown = (_shown(data, motion, argument, titles.get(argument.counter or "")) for argument in own)
            yield ArgumentSide(stance, tuple(shown))


def _shown(data: ReportData, motion: Motion, argument: Argument, counter: str | None) -> ShownArgument:
    decisions = [_decision(data, facts, argument) for facts in data.facts_on(motion.id) if _may_make(facts, argument)]
    decisions.sort(key=lambda decision: -decision.probability)
    mentions = tuple(decision for decision in decisions if decision.is_mentioned)
    others = [decision for decision in decisions if not decision.is_mentioned]
    threshold = max((facts.threshold or 0.0 for facts in data.facts_on(motion.id)), default=0.0)
    near = [decision for decision in others if decision.probability >= _NEAR * threshold][:_MOST_NEAR]
    near += [decision for decision in others if decision.label and decision not in near]
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
        has_side=facts.speech.stance is not None,
    )


def _quality(data: ReportData, motion: Motion) -> str:
    """How often the detector was right on other debates, and on the labels of this motion."""
    digests = {
        digest
        for facts in data.facts_on(motion.id)
        for name, digest in (facts.stages["mentions"].model.items() if "mentions" in facts.stages else ())
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
        data.labels[facts.speech.id, argument] == (argument in facts.mentioned)
        for facts in data.facts_on(motion.id)
        for argument in facts.probabilities
        if (facts.speech.id, argument) in data.labels
    ]
    if judged:
        parts.append(f"Here it agrees with {sum(judged)} of {counted(len(judged), 'label')} in labels.csv.")
    return " ".join(parts)


def _arguments_markdown(view: ArgumentSides) -> str:
    rows = (
        (
            side(own.stance),
            ", ".join(mention.link.id for mention in shown.mentions) or "nobody",
            shown.argument.title,
            shown.counter,
        )
        for own in view.sides
        for shown in own.arguments
    )
    return table(("side", "mentioned by", "argument", "rebutted by"), rows)


PANEL = Panel(view=_view, title="Known arguments", markdown=_arguments_markdown)


# Tables of the known arguments that speeches mention.


def _mentioned(run: FinishedRun) -> Iterator[tuple[Speech, Mention]]:
    return each_of_speech(run, Mentions, lambda record: record.mentions)


def _mentions(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, mention in _mentioned(run):
        yield (
            *who(speech),
            *(mention.argument, mention.stance, mention.side),
            *(mention.probability, mention.mentioned, mention.likeness, mention.counter),
        )


def _carriers(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, mention in _mentioned(run):
        for rank, carrier in enumerate(mention.carriers, 1):
            yield (
                *who(speech),
                *(mention.argument, rank, carrier.first, carrier.last),
                *(carrier.said.start, carrier.said.end, carrier.said.quoted, carrier.similarity, carrier.entailment),
            )


TABLES = (
    Table(
        "mentions",
        "a speech and a known argument on its motion",
        (
            *WHO,
            text("argument", "id of the argument"),
            text("stance", "the argument's: pro or con"),
            text("side", "own, other or another motion: whose argument it is, for this speech"),
            number("probability", "that people hear the argument in the speech"),
            flag("mentioned", "the decision"),
            number("likeness", "to what is said, in standard deviations of its list of arguments"),
            text("counter", "id of the argument that rebuts it"),
        ),
        _mentions,
    ),
    Table(
        "mention_carriers",
        "sentences of a speech that carry an argument",
        (
            *WHO,
            text("argument", "id of the argument"),
            integer("rank", "1: the best carrier"),
            integer("first", "its first sentence in the recording"),
            integer("last", "the sentence after its last"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "what is said"),
            number("similarity", "how well it makes the argument, by the passage matcher"),
            number("entailment", "probability that the argument follows from it"),
        ),
        _carriers,
    ),
)

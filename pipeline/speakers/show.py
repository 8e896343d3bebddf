"""Who is who in a recording: how it is shown, as Markdown and as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.export.table import Table, each_of_recording, integer, number, text
from pipeline.grouping import grouped
from pipeline.records import Passage, Sentence, Stance
from pipeline.report.formatting import clock, counted, share, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun
from pipeline.segment import Sentences
from pipeline.speakers.speeches import key_of
from pipeline.speakers.stage import Evidence, Person, Speakers


def headline(record: Speakers) -> str:
    """How many voices there are, and what they do."""
    roles = [person.role for person in record.people]
    known = [counted(roles.count(role), role) for role in ("moderator", "debater", "questioner") if role in roles]
    return ", ".join([counted(len(record.people), "voice"), *known])


def page(record: Speakers) -> str:
    """Everybody with role, side and share of the words, then the sentences that tell the sides."""
    words = sum(person.words for person in record.people) or 1
    rows = (
        (
            name_in_words(person),
            role_in_words(person),
            side_in_words(person),
            None if person.first is None else clock(person.first),
            share(person.words / words),
        )
        for person in record.people
    )
    parts = [table(("who", "role", "side", "first heard", "share of the words"), rows)]
    for person in record.people:
        if person.evidence:
            lines = (f"- {escaped(one.text)} ({one.kind})" for one in person.evidence)
            parts.append("\n".join([f"### Why {escaped(person.label)} is {side(person.side)}", "", *lines]))
    return "\n\n".join(parts)


def name_in_words(person: Person) -> str:
    """The name or the label of the voice, and how probable a name from the register of voices is."""
    known = person.label or "somebody"
    return known if person.recognised is None else f"{known} (recognised, {share(person.recognised)})"


def role_in_words(person: Person) -> str:
    """The role, and whether it was given or how probable it is."""
    return _with_source(person.role, person.role_probability, "role" in person.given)


def side_in_words(person: Person) -> str | None:
    """The side, and whether it was given or how probable it is; None for those who have none."""
    if person.side_probability is None:
        return None
    known = side(person.side) if person.side else None
    return _with_source(known, person.side_probability, "side" in person.given)


def _with_source(value: str | None, probability: float, is_given: bool) -> str:
    if value is None:
        return "not known"
    return value if is_given else f"{value} (found, {share(probability)})"


# The people of a recording, on its page.


@dataclass(frozen=True)
class WhyOfSide:
    """A sentence that tells somebody's side: how, and where it is said. `kind` is in words."""

    kind: str
    text: str
    said: Passage | None


@dataclass(frozen=True)
class ShownPerson:
    """A person of a recording: what is known, how, and the share of all words. `said` is what is heard first."""

    name: str
    role: str
    side: str | None
    stance: Stance | None
    share: float
    first: Passage | None
    why: tuple[WhyOfSide, ...]
    arguments: tuple[str, ...]
    is_given: bool


@dataclass(frozen=True)
class ShownPeople:
    """Everybody in a recording, those who say most first; and whether anything of it was found."""

    own: SpeechLink
    people: tuple[ShownPerson, ...]
    is_found: bool


# How a sentence tells somebody's side, in words.
_KINDS = {
    "introduced": "how they are introduced",
    "announced": "how they are announced",
    "addressed": "how the moderator calls on them",
    "listed": "who is on which side",
    "own side": "they say it themselves",
    "asks for votes": "what they ask people to vote for",
    "own words": "what they claim",
}


def _people(data: ReportData, facts: SpeechFacts) -> ShownPeople | None:
    """Everybody who speaks in a recording, with role, side and evidence; None if nothing was found out."""
    record, sentences = data.of_speech(Speakers, facts.speech.id), data.of_speech(Sentences, facts.speech.id)
    if record is None or (record.is_one_speech and not any(one.evidence or one.recognised for one in record.people)):
        return None
    said = sentences.sentences if sentences else ()
    total = sum(person.words for person in record.people) or 1
    titles = {argument.id: argument.title for argument in data.run.arguments_on(facts.speech.motion or "")}
    mentioned = {key_of(one.speech): one.mentioned for one in data.speeches_in(facts) if one.speech.recording}
    shown = []
    for key, voices in grouped((person.key, person) for person in record.people).items():
        main = max(voices, key=lambda person: person.words)
        first = next((one for one in said if one.speaker in {person.label for person in voices}), None)
        shown.append(
            ShownPerson(
                name=name_in_words(main),
                role=role_in_words(main),
                side=side_in_words(main) if main.role in (None, "debater") else None,
                stance=main.side,
                share=sum(person.words for person in voices) / total,
                first=Passage.of(first) if first else None,
                why=tuple(_why(one, said) for one in main.evidence),
                arguments=tuple(titles[id] for id in mentioned.get(key, ()) if id in titles),
                is_given=main.recognised is None
                and ({"role", "side"} <= {*main.given} or (main.role != "debater" and "role" in main.given)),
            )
        )
    shown.sort(key=lambda person: -person.share)
    return ShownPeople(data.links[facts.speech.id], tuple(shown), not all(person.is_given for person in shown))


def _why(evidence: Evidence, said: Sequence[Sentence]) -> WhyOfSide:
    at = evidence.sentence
    passage = Passage.of(said[at]) if at is not None and at < len(said) else None
    return WhyOfSide(_KINDS.get(evidence.kind, evidence.kind), evidence.text, passage)


PANEL = Panel(view=_people, title="Who speaks")


# Tables of people and of their replies.


def _speakers(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for recording, record in each_of_recording(run, Speakers, lambda record: (record,)):
        words = sum(person.words for person in record.people) or 1
        for person in record.people:
            yield (
                *(recording, person.voice or None, person.name, person.role, person.side, person.side_probability),
                *(person.first, person.role_probability, person.motion, person.words, person.words / words),
                "; ".join(person.given) or None,
                person.recognised,
            )


def _replies(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for recording, record in each_of_recording(run, Speakers, lambda record: (record,)):
        label = {person.voice: person.label for person in record.people}
        for reply in record.replies:
            yield (
                *(recording, label[reply.voice], reply.first, reply.last),
                *(label[reply.to], reply.to_first, reply.to_last, reply.probability),
            )


TABLES = (
    Table(
        "speakers",
        "a voice of a recording, and who it is",
        (
            text("recording", "id of the recording"),
            text("voice", "label of the voice"),
            text("name", "who it is, if it is known"),
            text("role", "debater, moderator, questioner or audience; empty if it is not known"),
            text("side", "pro or con, of debaters; empty if it is not known"),
            number("side_probability", "how probable the side is; 1 if it was given"),
            number("from", "first second of the voice"),
            number("role_probability", "how probable the role is; 1 if it was given"),
            text("motion", "id of the motion that a debater speaks on"),
            integer("words", "words that the voice says"),
            number("share", "share of all words of the recording"),
            text("given", "what the corpus says, and was not found: name, role, side, motion"),
            number("recognised", "how probable the name is, if it comes from the register of voices"),
        ),
        _speakers,
    ),
    Table(
        "replies",
        "a turn that replies to another turn of the same recording",
        (
            text("recording", "id of the recording"),
            text("speaker", "who replies"),
            integer("first", "the first sentence of the reply"),
            integer("last", "the sentence after its last"),
            text("to_speaker", "who is replied to"),
            integer("to_first", "the first sentence of that turn"),
            integer("to_last", "the sentence after its last"),
            number("probability", "that it is a reply to that turn"),
        ),
        _replies,
    ),
)

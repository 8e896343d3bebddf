"""Who is who in a recording: how it is shown, as Markdown and as tables."""

from collections.abc import Iterator
from typing import Any

from pipeline.export.table import Table, each_of_recording, integer, number, text
from pipeline.report.formatting import clock, counted, share, side
from pipeline.report.markdown import escaped, table
from pipeline.run.finished import FinishedRun
from pipeline.speakers.record import Person, Speakers


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
            person.label or "somebody",
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


def _speakers(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for recording, record in each_of_recording(run, Speakers, lambda record: (record,)):
        words = sum(person.words for person in record.people) or 1
        for person in record.people:
            yield (
                *(recording, person.voice or None, person.name, person.role, person.side, person.side_probability),
                *(person.first, person.role_probability, person.motion, person.words, person.words / words),
                "; ".join(person.given) or None,
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

"""Panels of the pages of motions and speeches that no stage has of its own: speeches, figures, files, stages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pipeline.export.formats import FORMATS, SpeechFormat, export_format
from pipeline.records import Motion, Stance
from pipeline.report.formatting import clock, counted, number, percent, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import table
from pipeline.report.page import Panel, Tile
from pipeline.report.run_data import Answering, ReportData
from pipeline.report.speech_facts import SpeechFacts

# The speeches of each side, and the speech that each most probably answers.

SIDES: tuple[Stance | None, ...] = ("pro", "con", None)


@dataclass(frozen=True)
class SpeechOnMotion:
    """A speech, and what it answers, if that is known or was found."""

    facts: SpeechFacts
    link: SpeechLink
    answering: Answering | None


@dataclass(frozen=True)
class Side:
    """The speeches of one side."""

    stance: Stance | None
    speeches: tuple[SpeechOnMotion, ...]


def _speeches(data: ReportData, motion: Motion) -> Iterator[Side]:
    answering = data.answering(motion.id)
    for stance in SIDES:
        speeches = tuple(
            SpeechOnMotion(facts, data.links[facts.speech.id], answering.get(facts.speech.id))
            for facts in data.facts_on(motion.id)
            if facts.speech.stance == stance
        )
        if speeches:
            yield Side(stance, speeches)


def _speeches_markdown(sides: Sequence[Side]) -> str:
    rows = (
        (
            side(own.stance),
            speech.link.id,
            ", ".join(speech.facts.speech.speakers),
            clock(speech.facts.duration),
            percent(speech.facts.wer),
            _answers_markdown(speech.answering),
        )
        for own in sides
        for speech in own.speeches
    )
    return table(("side", "speech", "speaker", "length", "WER", "answers"), rows)


def _answers_markdown(answering: Answering | None) -> str | None:
    if answering is None:
        return None
    notes = [answering.found_by] if answering.found_by else []
    notes += ["by the manifest"] if answering.known else []
    notes += [f"found: {answering.instead.id}"] if answering.instead else []
    return f"{answering.to} ({'; '.join(notes)})"


SPEECHES = Panel(view=_speeches, title="Speeches", markdown=_speeches_markdown)


# How the audience voted before and after the debate, if the corpus says so.


@dataclass(frozen=True)
class VotesOfSide:
    """The votes for or against the motion, in per cent."""

    stance: Stance
    before: float
    after: float

    @property
    def gained(self) -> float:
        return self.after - self.before


def _votes(data: ReportData, motion: Motion) -> Iterator[VotesOfSide]:
    for votes in data.run.known.votes:
        if votes.motion == motion.id:
            yield VotesOfSide("pro", votes.for_before, votes.for_after)
            yield VotesOfSide("con", votes.against_before, votes.against_after)


def _votes_markdown(sides: Sequence[VotesOfSide]) -> str:
    rows = ((side(own.stance), f"{own.before:g} %", f"{own.after:g} %", f"{own.gained:+g}") for own in sides)
    return table(("side", "before", "after", "points gained"), rows)


VOTES = Panel(view=_votes, title="Votes of the audience", markdown=_votes_markdown)


# The transcript, subtitles and data of the speech as files.

# The export formats that a page offers, and their names for readers.
_NAMES = {
    "txt": "text",
    "docx": "Word",
    "srt": "SRT subtitles",
    "vtt": "WebVTT subtitles",
    "textgrid": "Praat",
    "eaf": "ELAN",
    "tsv": "sentences (TSV)",
}


@dataclass(frozen=True)
class Download:
    """A file to download: its format, its name, and its address."""

    format: SpeechFormat
    name: str
    summary: str
    href: str


def _downloads(data: ReportData, facts: SpeechFacts) -> Iterator[Download]:
    link = data.links[facts.speech.id]
    for form, name, summary in _offered() if facts.words is not None else ():
        yield Download(form, name, summary, link.file(form.suffix))


@cache
def _offered() -> list[tuple[SpeechFormat, str, str]]:
    """(format, name, summary) of every file, found once for all speeches."""
    summaries = FORMATS.summaries()
    formats = ((export_format(each), name, summaries[each]) for each, name in _NAMES.items())
    return [(form, name, summary) for form, name, summary in formats if isinstance(form, SpeechFormat)]


DOWNLOADS = Panel(view=_downloads)


# Figures of the speech at a glance: duration, words, word error rate, pace, pitch.


def _overview(data: ReportData, facts: SpeechFacts) -> Iterator[Tile]:
    if facts.duration is not None:
        yield Tile("Duration", clock(facts.duration))
    if facts.words is not None:
        yield Tile("Words", number(facts.words))
    if facts.errors is not None:
        errors, length = facts.errors.errors, facts.errors.length
        yield Tile("WER", percent(facts.wer), f"{counted(errors, 'error')} in {counted(length, 'word')}")
    if facts.figures["words_per_minute"] is not None:
        yield Tile("Pace", number(facts.figures["words_per_minute"]), "words per minute of speech")
    if (pitch := facts.figures["pitch"]) is not None:
        yield Tile("Pitch", f"{pitch:.0f} Hz", "median of the sentences")


OVERVIEW = Panel(view=_overview)


# Time and models of every stage of the speech: its artifacts without their data.

STAGES_PANEL = Panel(view=lambda data, facts: tuple(facts.stages.values()), title="How this was made")

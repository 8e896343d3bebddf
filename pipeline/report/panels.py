"""Panels of the pages of motions and speeches that no stage has of its own: speeches, figures, files, stages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pipeline.export.formats import FORMATS, SpeechFormat, export_format
from pipeline.records import Motion, Stance, Votes
from pipeline.report.formatting import clock, counted, decimal, number, percent, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import table
from pipeline.report.page import Panel, Tile
from pipeline.report.run_data import Answering, ReportData
from pipeline.report.speech_facts import SpeechFacts

# The speeches of each side, and the speech that each most probably answers.

SIDES: tuple[Stance | None, ...] = ("pro", "con", None)


@dataclass(frozen=True)
class SpeechOnMotion:
    """A speech, and the speech that it answers: by the manifest (`is_known`), or most probably, with the pair's score.

    `instead` is the one that was found, if the manifest says another one.
    """

    facts: SpeechFacts
    link: SpeechLink
    answers: SpeechLink | None
    score: float | None
    is_known: bool = False
    instead: SpeechLink | None = None


@dataclass(frozen=True)
class Side:
    """The speeches of one side."""

    stance: Stance | None
    speeches: tuple[SpeechOnMotion, ...]


def _speeches(data: ReportData, motion: Motion) -> tuple[Side, ...]:
    return tuple(_sides(data, motion))


def _sides(data: ReportData, motion: Motion) -> Iterator[Side]:
    answering = data.answering(motion.id)
    for stance in SIDES:
        own = [each for each in data.facts_on(motion.id) if each.speech.stance == stance]
        if own:
            yield Side(stance, tuple(_speech(data, each, answering.get(each.speech.id)) for each in own))


def _speech(data: ReportData, facts: SpeechFacts, answering: Answering | None) -> SpeechOnMotion:
    link = data.links[facts.speech.id]
    if answering is None:
        return SpeechOnMotion(facts, link, None, None)
    instead = data.links[answering.found_instead] if answering.found_instead else None
    score = answering.pair.score if answering.pair and not instead else None
    return SpeechOnMotion(facts, link, data.links[answering.to], score, answering.known is not None, instead)


def _speeches_markdown(sides: Sequence[Side]) -> str:
    rows = (
        (
            side(own.stance),
            each.link.id,
            ", ".join(each.facts.speech.speakers),
            clock(each.facts.duration),
            percent(each.facts.wer),
            _answers_markdown(each),
        )
        for own in sides
        for each in own.speeches
    )
    return table(("side", "speech", "speaker", "length", "WER", "answers (score)"), rows)


def _answers_markdown(speech: SpeechOnMotion) -> str | None:
    if speech.answers is None:
        return None
    notes = [decimal(speech.score)] if speech.score is not None else []
    notes += ["by the manifest"] if speech.is_known else []
    notes += [f"found: {speech.instead.id}"] if speech.instead else []
    return f"{speech.answers.id} ({'; '.join(notes)})"


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


def _votes(data: ReportData, motion: Motion) -> tuple[VotesOfSide, ...]:
    cast = next((votes for votes in data.run.known.votes if votes.motion == motion.id), None)
    return _by_side(cast) if cast else ()


def _by_side(cast: Votes) -> tuple[VotesOfSide, ...]:
    return (
        VotesOfSide("pro", cast.for_before, cast.for_after),
        VotesOfSide("con", cast.against_before, cast.against_after),
    )


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


def _downloads(data: ReportData, facts: SpeechFacts) -> tuple[Download, ...]:
    if facts.words is None:
        return ()
    link = data.links[facts.speech.id]
    return tuple(Download(form, name, summary, link.file(form.suffix)) for form, name, summary in _offered())


@cache
def _offered() -> list[tuple[SpeechFormat, str, str]]:
    """(format, name, summary) of every file, found once for all speeches."""
    summaries = FORMATS.summaries()
    formats = ((export_format(each), name, summaries[each]) for each, name in _NAMES.items())
    return [(form, name, summary) for form, name, summary in formats if isinstance(form, SpeechFormat)]


DOWNLOADS = Panel(view=_downloads)


# Figures of the speech at a glance: duration, words, word error rate, pace, pitch.


def _overview(data: ReportData, facts: SpeechFacts) -> tuple[Tile, ...]:
    return tuple(_tiles(facts))


def _tiles(facts: SpeechFacts) -> Iterator[Tile]:
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

"""Panels of the front page: the run at a glance. Each panel takes the run's data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.grouping import grouped
from pipeline.keypoints.show import PointSide, ShownPoint
from pipeline.measures import word_error_rates
from pipeline.records import ErrorCounts, Motion, Stance
from pipeline.report import formatting
from pipeline.report.figures import figures
from pipeline.report.formatting import counted, duration, interval, number, percent, side
from pipeline.report.links import MotionLink, SpeechLink
from pipeline.report.markdown import bullets, table
from pipeline.report.page import Page, Panel, Tile
from pipeline.report.run_data import Answering, ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.summary import SPEECH_FIGURES, SpeechFigure
from pipeline.stage import STAGES

# Figures of the run at a glance: recordings, hours, words, word error rate, speed.


def _overview(data: ReportData) -> Iterator[Tile]:
    facts = data.facts
    failures = sum(recording.failure is not None for recording in facts)
    heard = sum(recording.duration or 0.0 for recording in facts)
    took = sum(recording.seconds for recording in facts)
    yield Tile("Recordings", number(len(facts)), f"{failures} failed" if failures else "none failed")
    if heard:
        yield Tile("Audio", duration(heard))
    doubtful = sum(recording.is_doubtful for recording in facts)
    note = f"{counted(doubtful, 'transcript')} mostly doubtful" if doubtful else ""
    yield Tile("Words", number(sum(recording.words or 0 for recording in facts)), note)
    counts = [recording.errors for recording in facts if recording.errors and recording.errors.length]
    if counts:
        yield _word_error_rate(counts)
    if took and heard:
        yield Tile("Speed", f"{heard / took:.1f} ×", f"realtime; {duration(took)} of computing")


def _word_error_rate(counts: Sequence[ErrorCounts]) -> Tile:
    rates = word_error_rates(counts)
    notes = interval(rates["wer_low"], rates["wer_high"]), f"{number(rates['words'])} words"
    return Tile("WER, pooled", percent(rates["wer"]), ", ".join(note for note in notes if note))


def _overview_markdown(tiles: Sequence[Tile]) -> str:
    return "\n".join(f"- **{tile.name}**: {tile.value}{f' ({tile.note})' if tile.note else ''}" for tile in tiles)


OVERVIEW = Panel(view=_overview, title="The run in figures", markdown=_overview_markdown)


# What failed or cannot be read, and why: one line per failure.

FAILURES = Panel(view=lambda data: tuple(data.failures), title=lambda lines: f"{len(lines)} failed", markdown=bullets)


# What was argued: for every motion its leading key points, who answers whom, and the most disputed point.

# (number of motions, key points of each side on a card): with more motions, cards show fewer key points.
_MOST_POINTS = ((3, 4), (10, 3))
_FEWEST_POINTS = 2
_MOST_EXCHANGES = 6


@dataclass(frozen=True)
class CardSide:
    """The leading points of one side. `more` is how many are left out."""

    stance: Stance | None
    points: tuple[ShownPoint, ...]
    more: int


@dataclass(frozen=True)
class MotionCard:
    """A motion: how many speak on each side, what they say, and what is disputed."""

    link: MotionLink
    speeches: tuple[tuple[Stance | None, int], ...]
    minutes: float
    sides: tuple[CardSide, ...]
    exchanges: tuple[Answering, ...]
    more_exchanges: int
    disputed: ShownPoint | None


def _card(data: ReportData, motion: Motion) -> MotionCard:
    page, own = data.motion_page(motion), data.facts_on(motion.id)
    stances = [each.speech.stance for each in own]
    exchanges = tuple(data.answering(motion.id).values())
    sides: tuple[PointSide, ...] = page["key-points"]
    most = next((points for motions, points in _MOST_POINTS if len(data.motions) <= motions), _FEWEST_POINTS)
    return MotionCard(
        link=data.motions[motion.id],
        speeches=tuple((stance, stances.count(stance)) for stance in ("pro", "con", None) if stance in stances),
        minutes=sum(each.duration or 0.0 for each in own) / 60,
        sides=tuple(CardSide(each.side.stance, each.points[:most], len(each.points[most:])) for each in sides),
        exchanges=exchanges[:_MOST_EXCHANGES],
        more_exchanges=len(exchanges[_MOST_EXCHANGES:]),
        disputed=_most_disputed(page),
    )


def _most_disputed(page: Page) -> ShownPoint | None:
    """The key point that most speeches make or answer; None if no point is answered."""
    answered = [point for side in page["key-points"] for point in side.points if point.answered_in]
    return max(answered, key=lambda point: len(point.made_in) + len(point.answered_in), default=None)


def _motions_markdown(cards: Sequence[MotionCard]) -> str:
    header = ("motion", "speeches", "leading key points", "most disputed")
    return table(header, map(_motion_row, cards))


def _motion_row(card: MotionCard) -> tuple[str, str, str, str | None]:
    speeches = ", ".join(f"{count} {side(stance)}" for stance, count in card.speeches)
    leading = (f"{side(own.stance)}: {own.points[0].point.text}" for own in card.sides if own.points)
    return card.link.text, speeches, "; ".join(leading), card.disputed.point.text if card.disputed else None


MOTIONS = Panel(
    view=lambda data: (_card(data, motion) for motion in data.run.motions),
    title="What was argued",
    markdown=_motions_markdown,
)


# Figures of the run, which are drawn later: error rates, pitch, and its mentions compared with the labels.

PLOTS = Panel(view=lambda data: figures(data.facts, data.run.known), title="Figures")


# What was skipped, and why.


@dataclass(frozen=True)
class SkipReason:
    """Why a stage was skipped, for how many speeches or motions, and the first of them."""

    stage: str
    reason: str
    count: int
    example: str


def _skips(data: ReportData) -> Iterator[SkipReason]:
    stages = (*((facts.speech.id, facts.stages) for facts in data.facts), *data.motion_stages.items())
    names_by_reason = grouped(
        ((stage.stage, stage.skipped), name)
        for name, own in stages
        for stage in own.values()
        if stage.skipped is not None
    )
    for (stage, reason), names in names_by_reason.items():
        yield SkipReason(stage, reason, len(names), names[0])


def _skips_markdown(reasons: Sequence[SkipReason]) -> str:
    header = ("stage", "why", "how many", "such as")
    return table(header, ((skip.stage, skip.reason, skip.count, skip.example) for skip in reasons))


SKIPS = Panel(view=_skips, title="Skipped, and why", markdown=_skips_markdown)


# The table of all recordings, to sort and to filter.


@dataclass(frozen=True)
class Filter:
    """A list of choices above the table, each with its text. A row has its value as `data-<key>`."""

    key: str
    name: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class PersonInRow:
    """A debater of a recording: side, share of the words, and how many arguments."""

    name: str
    stance: Stance | None
    share: float
    arguments: int


@dataclass(frozen=True)
class SpeechRow:
    """A recording, its debaters if it has several, and a cell for each figure: the value to sort by, and its text."""

    facts: SpeechFacts
    link: SpeechLink
    cells: tuple[tuple[float, str], ...]
    people: tuple[PersonInRow, ...]


@dataclass(frozen=True)
class Speeches:
    """One row per recording."""

    rows: tuple[SpeechRow, ...]
    filters: tuple[Filter, ...]
    headings: tuple[str, ...]


def _speeches(data: ReportData) -> Speeches:
    columns = [
        figure
        for figure in SPEECH_FIGURES
        if figure.heading and (not figure.of_one_voice or any(facts.figures[figure.name] for facts in data.facts))
    ]
    return Speeches(
        rows=tuple(
            SpeechRow(
                facts,
                data.links[facts.speech.id],
                tuple(_cell(figure, facts) for figure in columns),
                _people(data, facts),
            )
            for facts in data.facts
        ),
        filters=tuple(choices for choices in _filters(data) if len(choices.options) > 1),
        headings=tuple(figure.heading for figure in columns),
    )


def _people(data: ReportData, recording: SpeechFacts) -> tuple[PersonInRow, ...]:
    """The debaters of a recording that has several people, those who say most first."""
    parts = data.parts_in(recording)
    total = max(recording.words or 0.0, sum(part.words or 0.0 for part in parts)) or 1.0  # without a transcript, theirs
    people = [
        PersonInRow(
            data.links[part.speech.id].label, part.speech.stance, (part.words or 0.0) / total, len(part.mentioned)
        )
        for part in parts
    ]
    return tuple(sorted(people, key=lambda person: -person.share))


def _cell(figure: SpeechFigure, facts: SpeechFacts) -> tuple[float, str]:
    value = facts.figures[figure.name]
    return -1 if value is None else value, getattr(formatting, figure.shown)(value)


def _filters(data: ReportData) -> Iterator[Filter]:
    yield Filter("motion", "Motion", {motion.id: motion.text for motion in data.run.motions})
    stances = sorted({facts.speech.stance for facts in data.facts if facts.speech.stance}, reverse=True)
    yield Filter("stance", "Side", {stance: side(stance) for stance in stances})
    speakers = sorted({"; ".join(facts.speech.speakers) for facts in data.facts if facts.speech.speakers})
    yield Filter("speaker", "Speaker", {name: name for name in speakers})


SPEECHES = Panel(view=_speeches, title="Recordings")


# Time, speed and models of every stage.


@dataclass(frozen=True)
class StageRow:
    """The time of a stage. `share` is relative to the stage that took longest.

    `models` are the names of its models, each with its digest or version.
    """

    name: str
    seconds: float
    share: float
    speed: float | None
    made: int
    skipped: int
    models: tuple[tuple[str, str], ...]


def _stages(data: ReportData) -> Iterator[StageRow]:
    stages = [*(facts.stages for facts in data.facts), *data.motion_stages.values()]
    heard = sum(facts.duration or 0.0 for facts in data.facts)
    facts_by_stage = {name: [stage[name] for stage in stages if name in stage] for name in STAGES}
    took = {name: sum(stage.seconds for stage in own) for name, own in facts_by_stage.items()}
    longest = max(took.values(), default=0.0) or 1.0
    for name, own in facts_by_stage.items():
        if own:
            skipped = sum(stage.skipped is not None for stage in own)
            models = tuple(sorted({model for stage in own for model in stage.model.items()}))
            speed = heard / took[name] if took[name] and heard else None
            yield StageRow(name, took[name], took[name] / longest, speed, len(own) - skipped, skipped, models)


def _stages_markdown(stages: Sequence[StageRow]) -> str:
    rows = ((stage.name, duration(stage.seconds), number(stage.speed), stage.made, stage.skipped) for stage in stages)
    models = ((stage.name, name, digest[:12]) for stage in stages for name, digest in stage.models)
    return (
        table(("stage", "time", "× realtime", "made", "skipped"), rows)
        + "\n\n## Models\n\n"
        + table(("stage", "model", "digest or version"), models)
    )


STAGES_PANEL = Panel(view=_stages, title="Stages", markdown=_stages_markdown)

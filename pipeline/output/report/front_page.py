"""The front page: the run at a glance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.engine.finished import FinishedRun
from pipeline.measures.error_rates import word_error_rates
from pipeline.output.report.facts import Facts, Header
from pipeline.output.report.figure import Plot
from pipeline.output.report.links import MotionLink, SpeechLink
from pipeline.output.report.templating import duration, number, percent, shortened
from pipeline.output.report.tiles import Tile
from pipeline.records import ErrorCounts, Speech
from pipeline.stages import stage_names


@dataclass(frozen=True)
class Row:
    """A speech's line in the table."""

    speech: Speech
    href: str
    failure: str | None
    duration: float | None
    words: int | None
    wer: float | None
    words_per_minute: float | None
    pitch: float | None


@dataclass(frozen=True)
class MotionCard:
    text: str
    href: str
    pro: int
    con: int
    other: int
    wer: float | None


@dataclass(frozen=True)
class ColumnHead:
    name: str
    is_number: bool


@dataclass(frozen=True)
class Option:
    value: str
    text: str


@dataclass(frozen=True)
class Filter:
    """A choice above the table; rows carry the value as `data-<key>`."""

    key: str
    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Model:
    name: str
    digest: str


@dataclass(frozen=True)
class StageRow:
    """What a stage took; `share` is that of the longest."""

    name: str
    seconds: float
    share: float
    speed: float | None
    made: int
    skipped: int
    models: tuple[Model, ...]


@dataclass(frozen=True)
class SkipReason:
    """Why something was skipped, and for how many; `example` is the first of them."""

    stage: str
    reason: str
    count: int
    example: str


@dataclass
class FrontPage:
    """What the template shows."""

    took: float
    tiles: list[Tile]
    failures: list[str]
    motions: list[MotionCard]
    speeches: list[Row]
    columns: list[ColumnHead]
    has_pitch: bool
    filters: list[Filter]
    stages: list[StageRow]
    skips: list[SkipReason]
    plots: list[Plot] = field(default_factory=list)


def front_page(
    run: FinishedRun,
    facts: Sequence[Facts],
    motion_headers: Mapping[str, Mapping[str, Header]],
    links: Mapping[str, SpeechLink],
    motions: Sequence[MotionLink],
) -> FrontPage:
    """Gather the front page. `motion_headers` are those of each motion's artifacts."""
    named = [*((each.speech.id, each.headers) for each in facts), *motion_headers.items()]
    has_pitch = any(each.pitch is not None for each in facts)
    return FrontPage(
        took=run.summary.seconds,
        tiles=list(_tiles(facts)),
        failures=run.summary.failures,
        motions=[_card(motion, facts) for motion in motions],
        speeches=[_row(each, links[each.speech.id]) for each in facts],
        columns=list(_columns(has_pitch)),
        has_pitch=has_pitch,
        filters=[each for each in _filters(run, facts) if len(each.options) > 1],
        stages=list(_stages([own for _, own in named], sum(each.duration or 0.0 for each in facts))),
        skips=list(_skips(named)),
    )


def _tiles(facts: Sequence[Facts]) -> Iterator[Tile]:
    failures = sum(each.failure is not None for each in facts)
    heard = sum(each.duration or 0.0 for each in facts)
    took = sum(each.seconds for each in facts)
    yield Tile("Speeches", number(len(facts)), f"{failures} failed" if failures else "none failed")
    yield Tile("Audio", duration(heard))
    yield Tile("Words", number(sum(each.words or 0 for each in facts)))
    counts = [each.errors for each in facts if each.errors and each.errors.length]
    if counts:
        yield _wer(counts)
    if took and heard:
        yield Tile("Speed", f"{heard / took:.1f} ×", f"realtime; {duration(took)} of computing")


def _wer(counts: Sequence[ErrorCounts]) -> Tile:
    rates = word_error_rates(counts)
    low, high = rates["wer_low"], rates["wer_high"]
    interval = f"95 % interval {100 * low:.1f} to {100 * high:.1f}, " if low is not None and high is not None else ""
    return Tile("WER, pooled", percent(rates["wer"]), f"{interval}{number(rates['words'])} words")


def _card(motion: MotionLink, facts: Sequence[Facts]) -> MotionCard:
    own = [each for each in facts if each.speech.motion == motion.id]
    stances = [each.speech.stance for each in own]
    total = sum((each.errors for each in own if each.errors), ErrorCounts())
    return MotionCard(
        motion.text, motion.href, stances.count("pro"), stances.count("con"), stances.count(None), total.rate
    )


def _row(facts: Facts, link: SpeechLink) -> Row:
    return Row(
        facts.speech,
        link.href,
        facts.failure,
        facts.duration,
        facts.words,
        facts.wer,
        facts.words_per_minute,
        facts.pitch,
    )


def _columns(has_pitch: bool) -> Iterator[ColumnHead]:
    yield from (ColumnHead(name, False) for name in ("Speech", "Motion", "Side", "Speaker"))
    yield from (ColumnHead(name, True) for name in ("Length", "Words", "WER", "Words/min"))
    if has_pitch:
        yield ColumnHead("Pitch, Hz", True)


def _filters(run: FinishedRun, facts: Sequence[Facts]) -> Iterator[Filter]:
    yield Filter("motion", "Motion", tuple(Option(motion.id, motion.text) for motion in run.motions))
    stances = sorted({each.speech.stance for each in facts if each.speech.stance}, reverse=True)
    yield Filter("stance", "Side", tuple(Option(stance, stance) for stance in stances))
    speakers = sorted({"; ".join(each.speech.speakers) for each in facts if each.speech.speakers})
    yield Filter("speaker", "Speaker", tuple(Option(name, shortened(name)) for name in speakers))


def _stages(headers: Sequence[Mapping[str, Header]], heard: float) -> Iterator[StageRow]:
    found = {name: [each[name] for each in headers if name in each] for name in stage_names()}
    took = {name: sum(header.seconds for header in own) for name, own in found.items()}
    longest = max(took.values(), default=0.0) or 1.0
    for name, own in found.items():
        if own:
            skipped = sum(header.skipped is not None for header in own)
            speed = heard / took[name] if took[name] and heard else None
            share = took[name] / longest
            yield StageRow(name, took[name], share, speed, len(own) - skipped, skipped, _models(own))


def _models(headers: Sequence[Header]) -> tuple[Model, ...]:
    pairs: dict[tuple[str, str], Any] = {item: None for header in headers for item in header.model.items()}
    return tuple(Model(name, digest) for name, digest in sorted(pairs))


def _skips(named: Sequence[tuple[str, Mapping[str, Header]]]) -> Iterator[SkipReason]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, own in named:
        for header in own.values():
            if header.skipped is not None:
                found.setdefault((header.stage, header.skipped), []).append(name)
    for (stage, reason), names in found.items():
        yield SkipReason(stage, reason, len(names), names[0])

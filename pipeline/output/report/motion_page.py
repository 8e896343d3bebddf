"""The page of one motion: both sides, who answers whom, what it comes down to, and who makes which argument."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.engine.finished import FinishedRun
from pipeline.output.report.answers import Matrix, matrix
from pipeline.output.report.facts import Facts
from pipeline.output.report.links import SpeechLink
from pipeline.output.report.templating import counted, duration
from pipeline.records import (
    Argument,
    CounterScores,
    KeyPoint,
    KeyPointMatch,
    KeyPoints,
    Motion,
    Passage,
    Ranking,
    SideStrength,
    Stance,
)

_SIDES: tuple[tuple[Stance | None, str], ...] = (("pro", "For"), ("con", "Against"), (None, "Without a side"))


@dataclass(frozen=True)
class ShownSpeech:
    """A line about a speech, with the one that it is found to answer."""

    link: SpeechLink
    speakers: str
    duration: float | None
    wer: float | None
    answers: SpeechLink | None
    answers_score: float | None


@dataclass(frozen=True)
class Side:
    """The speeches of one side."""

    stance: Stance | None
    title: str
    speeches: tuple[ShownSpeech, ...]


@dataclass(frozen=True)
class Said:
    """A speech, and where in it something is said."""

    link: SpeechLink
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Point:
    """A key point; `share` is that of its side's speeches."""

    text: str
    share: float
    prevalence: str
    said: tuple[Said, ...]
    answers: tuple[Said, ...]


@dataclass(frozen=True)
class PointSide:
    stance: Stance | None
    title: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Mention:
    link: SpeechLink
    probability: float


@dataclass(frozen=True)
class ShownArgument:
    """A known argument, the title of the one that rebuts it, and the speeches that make it."""

    title: str
    text: str
    counter: str | None
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class ArgumentSide:
    stance: Stance
    title: str
    arguments: tuple[ShownArgument, ...]


@dataclass(frozen=True)
class RankedLine:
    """A point of the ranking, where it was said, and its place when delivery counts too."""

    title: str
    stance: Stance | None
    link: SpeechLink
    said: Passage
    strength: float
    place_with_delivery: int | None


@dataclass(frozen=True)
class ShownRanking:
    """Which points convince, in a model's opinion, and how often that opinion was right."""

    points: tuple[RankedLine, ...]
    sides: tuple[SideStrength, ...]
    model: str
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None


@dataclass
class MotionPage:
    """What the template shows."""

    sides: list[Side]
    matrix: Matrix | None = None
    point_sides: list[PointSide] = field(default_factory=list)
    argument_sides: list[ArgumentSide] = field(default_factory=list)
    has_mentions: bool = False
    ranking: ShownRanking | None = None


def motion_page(
    run: FinishedRun, motion: Motion, facts: Sequence[Facts], links: Mapping[str, SpeechLink]
) -> MotionPage:
    """Gather the page of a motion; `facts` are those of its speeches."""
    scores, points = run.of_motion(CounterScores, motion.id), run.of_motion(KeyPoints, motion.id)
    page = MotionPage(list(_sides(facts, scores, links)))
    if scores:
        known = {each.speech.id: each.speech.answers for each in facts}
        page.matrix = matrix(scores, known, links)
    if points:
        page.point_sides = list(_point_sides(points, links))
    page.has_mentions = any(each.probabilities for each in facts)
    page.argument_sides = list(_argument_sides(run.arguments_on(motion.id), facts, links))
    if ranking := run.of_motion(Ranking, motion.id):
        page.ranking = _ranking(ranking, links)
    return page


def _sides(facts: Sequence[Facts], scores: CounterScores | None, links: Mapping[str, SpeechLink]) -> Iterator[Side]:
    found = {pair.opposing: pair for pair in (scores.pairs if scores else ()) if pair.rank == 1}
    for stance, title in _SIDES:
        shown = []
        for each in facts:
            if each.speech.stance != stance:
                continue
            pair = found.get(each.speech.id)
            shown.append(
                ShownSpeech(
                    link=links[each.speech.id],
                    speakers=", ".join(each.speech.speakers),
                    duration=each.duration,
                    wer=each.wer,
                    answers=links[pair.supporting] if pair else None,
                    answers_score=pair.score if pair else None,
                )
            )
        if shown:
            yield Side(stance, f"{title}: {len(shown)}", tuple(shown))


def _point_sides(record: KeyPoints, links: Mapping[str, SpeechLink]) -> Iterator[PointSide]:
    speeches = {side.stance: side.speeches for side in record.sides}
    for stance, title in _SIDES:
        points = [_point(point, speeches.get(stance, 0), links) for point in record.points if point.stance == stance]
        if points:
            yield PointSide(stance, title, tuple(points))


def _point(point: KeyPoint, speeches: int, links: Mapping[str, SpeechLink]) -> Point:
    of = f"{point.speeches} of {speeches} speeches" if speeches > 1 else "the one speech"
    return Point(
        text=point.text,
        share=point.speeches / speeches if speeches else 0.0,
        prevalence=f"{of}, {counted(point.speakers, 'speaker')}, {duration(60 * point.minutes)}",
        said=_said(point.matches, links),
        answers=_said(point.answers, links),
    )


def _said(matches: Sequence[KeyPointMatch], links: Mapping[str, SpeechLink]) -> tuple[Said, ...]:
    """The passages by speech, each speech's in order of time."""
    passages: dict[str, list[Passage]] = {}
    for match in matches:
        passages.setdefault(match.speech, []).append(match.said)
    return tuple(
        Said(links[speech], tuple(sorted(own, key=lambda passage: passage.start))) for speech, own in passages.items()
    )


def _argument_sides(
    arguments: Sequence[Argument], facts: Sequence[Facts], links: Mapping[str, SpeechLink]
) -> Iterator[ArgumentSide]:
    titles = {argument.id: argument.title for argument in arguments}
    for stance, title in _SIDES[:2]:
        shown = tuple(
            ShownArgument(each.title, each.text, titles.get(each.counter or ""), _mentions(each.id, facts, links))
            for each in arguments
            if each.stance == stance
        )
        if shown and stance:
            yield ArgumentSide(stance, title, shown)


def _mentions(argument: str, facts: Sequence[Facts], links: Mapping[str, SpeechLink]) -> tuple[Mention, ...]:
    """Who mentions the argument, the surest first."""
    found = [Mention(links[each.speech.id], each.mentioned[argument]) for each in facts if argument in each.mentioned]
    return tuple(sorted(found, key=lambda mention: -mention.probability))


def _ranking(record: Ranking, links: Mapping[str, SpeechLink]) -> ShownRanking | None:
    if not record.points:
        return None
    points = tuple(
        RankedLine(each.title, each.stance, links[each.speech], each.said, each.strength, each.place_with_delivery)
        for each in sorted(record.points, key=lambda point: point.place)
    )
    return ShownRanking(points, record.sides, record.model, record.accuracy, record.accuracy_low, record.accuracy_high)

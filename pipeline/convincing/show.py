"""How the ranking of points is shown: as Markdown, and on the page of a motion."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.convincing.stage import Agreement, PointPair, RankedPoint, Ranking, SideStrength
from pipeline.export.table import Table, each_of_motion, integer, number, speaker_of, text
from pipeline.records import Motion
from pipeline.report.formatting import clock, counted, decimal, interval, share, side
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.run.finished import FinishedRun


@dataclass(frozen=True)
class PointInRanking:
    """A point of the ranking, and the link of the speech that makes it."""

    point: RankedPoint
    link: SpeechLink


@dataclass(frozen=True)
class RankedPoints:
    """The points of a motion, the most convincing first."""

    points: tuple[PointInRanking, ...]
    sides: tuple[SideStrength, ...]
    model: str
    agreement: str


def ranked_points(record: Ranking, link_of: Callable[[str], SpeechLink] = SpeechLink) -> RankedPoints | None:
    """The ranking with the links of its speeches; None if there is nothing to rank."""
    if not record.points:
        return None
    points = sorted(record.points, key=lambda point: point.rank)
    return RankedPoints(
        points=tuple(PointInRanking(point, link_of(point.speech)) for point in points),
        sides=record.sides,
        model=record.model,
        agreement=_agreement(record),
    )


def _agreement(record: Ranking) -> str:
    """How often such opinions were right: on collections that the model did not learn from, if that was measured."""
    if record.elsewhere:
        within = [one for one in record.elsewhere if not one.across_stances]
        across = [one for one in record.elsewhere if one.across_stances]
        return " ".join(part for part in (_elsewhere(within), _elsewhere(across)) if part)
    if record.accuracy is None:
        return "How often it is right is not known."
    how_sure = interval(record.accuracy_low, record.accuracy_high, decimals=0)
    agreed = f"On topics left out of what it learned from, it agreed with people on {share(record.accuracy)} of pairs"
    return f"{agreed}{f' ({how_sure})' if how_sure else ''}. On arguments from elsewhere it is right less often."


def _elsewhere(measured: Sequence[Agreement]) -> str:
    """One sentence on pairs within a side, or on pairs across sides."""
    if not measured:
        return ""
    names = ", ".join(one.collection for one in measured)
    lowest, highest = (share(choose(one.accuracy for one in measured)) for choose in (min, max))
    agreed = lowest if lowest == highest else f"{lowest} to {highest}"
    if measured[0].across_stances:
        return f"Between arguments of opposite sides, it agreed with people on {agreed} ({names})."
    return (
        f"Between arguments of one side that it had not learned from ({names}), it agreed with people on {agreed} of "
        f"pairs; guessing gives {share(0.5)}. Those were written arguments."
    )


def _view(data: ReportData, motion: Motion) -> RankedPoints | None:
    record = data.of_motion(Ranking, motion.id)
    return ranked_points(record, data.links.__getitem__) if record else None


def _view_markdown(view: RankedPoints) -> str:
    parts = [ranking_table(view.points[:_MOST_POINTS])]
    if len(view.points) > _MOST_POINTS:
        parts.append(f"The first {_MOST_POINTS} of {len(view.points)}.")
    return "\n\n".join([*parts, f"This is a model's opinion. {view.agreement}"])


PANEL = Panel(view=_view, title="Which points convince", markdown=_view_markdown)


_SHOWN_PAIRS = 12
# A short version of the page has so many points.
_MOST_POINTS = 10
# Of a passage, so many characters.
_MOST_CHARACTERS = 240


def headline(record: Ranking) -> str:
    """How many points are in order."""
    return f"{counted(len(record.points), 'point')} in order"


def page(record: Ranking) -> str:
    """How far to trust it, the sides, the points in order, and why neighbours stand in this order."""
    view = ranked_points(record)
    if view is None:
        return "No points to compare."
    parts = [_opinion(record, view)]
    if record.sides:
        parts += ["## The sides", _sides(record)]
    parts += ["## The points, most convincing first", ranking_table(view.points)]
    if record.pairs:
        parts += ["## Why one comes before the next", _neighbours(record)]
    return "\n\n".join(parts)


def _opinion(record: Ranking, view: RankedPoints) -> str:
    return (
        f"This is the opinion of a {escaped(record.model)}, not a judgement of truth. {view.agreement} "
        f"How well it works for speech is not known. With delivery: {record.delivery_weight:g} log odds are added for "
        "each standard deviation of liveliness, a weight set by hand."
    )


def _sides(record: Ranking) -> str:
    header = ("side", "points", "convinces more than the other side", "with delivery")
    rows = [(side(s.stance), s.points, share(s.strength), share(s.strength_with_delivery)) for s in record.sides]
    return table(header, rows)


def _neighbours(record: Ranking) -> str:
    pairs = [pair for pair in record.pairs if pair.second == pair.first + 1][:_SHOWN_PAIRS]
    header = ("probability", "with delivery", "more convincing", "less convincing", "because")
    return table(header, (_pair(record, pair) for pair in pairs))


def _pair(record: Ranking, pair: PointPair) -> tuple[str, str, str, str, str]:
    first, second = record.points[pair.first], record.points[pair.second]
    reasons = ", ".join(f"{reason.name} ({share(reason.share)} of the difference)" for reason in pair.reasons)
    return (
        share(pair.probability) + (", across sides" if pair.across_stances else ""),
        share(pair.probability_with_delivery),
        f"{first.rank}. {first.title}",
        f"{second.rank}. {second.title}",
        reasons,
    )


def ranking_table(points: Iterable[PointInRanking]) -> str:
    """A table of points, ordered by how convincing a model finds them, and a list of where each was said."""
    points = list(points)
    header = ("rank", "with delivery", "delivery", "strength", "side", "by", "point")
    rows = (
        (
            row.point.rank,
            row.point.rank_with_delivery,
            decimal(row.point.delivery),
            share(row.point.strength),
            side(row.point.stance),
            row.link.id,
            row.point.title,
        )
        for row in points
    )
    said = (
        f"- {row.point.rank}: {escaped(row.link.id)} at {clock(row.point.said.start)}, "
        f"“{escaped(_beginning(row.point.said.quoted))}”"
        for row in points
    )
    return "\n\n".join((table(header, rows), "\n".join(said)))


def _beginning(text: str) -> str:
    """The text, or its first words."""
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _ranking(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in each_of_motion(run, Ranking, lambda record: record.points):
        yield (
            *(motion, point.rank, point.strength, point.rank_with_delivery, point.strength_with_delivery),
            *(point.source, point.of, point.title, point.stance, point.speech, speaker_of(run, point.speech)),
            *(point.said.start, point.said.end, point.said.quoted, point.delivery),
        )


TABLES = (
    Table(
        "ranking",
        "an argument as somebody made it, by how convincing a model finds it",
        (
            text("motion", "id of the motion"),
            integer("rank", "1: the most convincing of its motion"),
            number("strength", "mean probability that it convinces more than another point of the motion"),
            integer("rank_with_delivery", "its rank if delivery counts, too"),
            number("strength_with_delivery", "its strength if delivery counts, too"),
            text("source", "mention or key point"),
            text("of", "id of the known argument or key point"),
            text("title", "the point"),
            text("stance", "pro or con"),
            text("speech", "id of the speech"),
            text("speaker", "who makes it"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "what is said"),
            number("delivery", "how lively it is said, in standard deviations of its speaker's sentences"),
        ),
        _ranking,
    ),
)

"""Which points of a motion a model finds convincing."""

from pipeline.output.formatting import counted, share, side
from pipeline.output.markdown.pieces import ranking_table
from pipeline.output.markdown.text import escaped, table
from pipeline.output.views.motion.ranking import RankedPoints, ranked_points
from pipeline.records import PointPair, Ranking

_SHOWN_PAIRS = 12


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
        f"This is the opinion of a model ({escaped(record.model)}), not a judgement of truth. {view.agreement} "
        f"How well it works for speech is not known. With delivery: {record.delivery_weight:g} log odds are added for "
        "each standard deviation of liveliness, a weight set by hand."
    )


def _sides(record: Ranking) -> str:
    header = ("side", "points", "convinces more than the other side", "with delivery")
    rows = [(side(s.stance), s.points, share(s.strength), share(s.strength_with_delivery)) for s in record.sides]
    return table(header, rows)


def _neighbours(record: Ranking) -> str:
    pairs = [pair for pair in record.pairs if pair.second == pair.first + 1][:_SHOWN_PAIRS]
    header = ("more convincing", "less convincing", "probability", "with delivery", "because")
    return table(header, (_pair(record, pair) for pair in pairs))


def _pair(record: Ranking, pair: PointPair) -> tuple[str, str, str, str, str]:
    first, second = record.points[pair.first], record.points[pair.second]
    reasons = ", ".join(f"{reason.name} ({share(reason.share)} of the difference)" for reason in pair.reasons)
    return (
        f"{first.place}. {first.title}",
        f"{second.place}. {second.title}",
        share(pair.probability) + (", across sides" if pair.across_stances else ""),
        share(pair.probability_with_delivery),
        reasons,
    )

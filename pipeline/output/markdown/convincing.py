"""Which points of a debate a model holds convincing."""

from pipeline.output.markdown import clock, escaped, table
from pipeline.records import PointPair, RankedPoint, Ranking

_SHOWN_PAIRS = 12
_MOST_CHARACTERS = 240
_SIDES = {"pro": "for the motion", "con": "against the motion"}


def page(record: Ranking) -> str:
    """What this is worth, the sides, the points in order, and why neighbours stand in this order."""
    if not record.points:
        return "No points to compare."
    parts = [_opinion(record)]
    if record.sides:
        parts += ["## The sides", _sides(record)]
    parts += ["## The points, the most convincing first", _points(record)]
    if record.pairs:
        parts += ["## Why one comes before the next", _neighbours(record)]
    return "\n\n".join(parts)


def _opinion(record: Ranking) -> str:
    known = "how often it is right is not known"
    if record.accuracy is not None:
        known = f"on topics it had not seen it agreed with people on {record.accuracy:.0%} of pairs"
        if record.accuracy_low is not None and record.accuracy_high is not None:
            known += f" ({record.accuracy_low:.0%} to {record.accuracy_high:.0%})"
    return (
        f"This is the opinion of a model ({escaped(record.model)}), not a judgement of truth: {known}. "
        f"That was written argument; how far it holds for speech is not known. With delivery: "
        f"{record.delivery_weight:g} log odds for each standard deviation of how lively it was said, set by hand."
    )


def _sides(record: Ranking) -> str:
    header = ("side", "points", "convinces more than the other side", "with delivery")
    rows = [
        (_SIDES[side.stance], side.points, _percent(side.strength), _percent(side.strength_with_delivery))
        for side in record.sides
    ]
    return table(header, rows)


def _points(record: Ranking) -> str:
    header = ("place", "with delivery", "strength", "side", "point", "by", "at", "delivery", "said")
    rows = [
        (
            point.place,
            point.place_with_delivery,
            _percent(point.strength),
            point.stance,
            point.title,
            _by(point),
            clock(point.said.start),
            point.delivery,
            _shortened(point.said.text),
        )
        for point in record.points
    ]
    return table(header, rows)


def _neighbours(record: Ranking) -> str:
    pairs = [pair for pair in record.pairs if pair.second == pair.first + 1][:_SHOWN_PAIRS]
    header = ("more convincing", "less convincing", "probability", "with delivery", "because of")
    return table(header, (_pair(record, pair) for pair in pairs))


def _pair(record: Ranking, pair: PointPair) -> tuple[str, str, str, str | None, str]:
    first, second = record.points[pair.first], record.points[pair.second]
    reasons = ", ".join(f"{reason.name} ({_percent(reason.share)})" for reason in pair.reasons)
    return (
        f"{first.place}. {first.title}",
        f"{second.place}. {second.title}",
        f"{pair.probability:.0%}",
        _percent(pair.probability_with_delivery),
        reasons,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _by(point: RankedPoint) -> str:
    return f"{point.speech} ({point.speaker})" if point.speaker else point.speech


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.0%}"

"""The points of a debate in order of how convincing a model holds them, with and without how they were said."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from pipeline.argue.convincing.model import ConvincingModel
from pipeline.argue.convincing.points import Point
from pipeline.argue.convincing.preference import sigmoid
from pipeline.arrays import Integers, Matrix, Vector
from pipeline.records import PointPair, RankedPoint, Ranking, Reason, SideStrength, Stance


def ranking(motion: str, points: Sequence[Point], model: ConvincingModel, delivery_weight: float) -> Ranking:
    """The ranking of the points: every point against every other, without and with delivery."""
    rows = model.rows([point.said.text for point in points])
    odds = model.log_odds(rows)
    order = np.argsort(-odds, kind="stable")
    points, rows, odds = [points[i] for i in order], rows[order], odds[order]
    wins = _wins(odds)
    wins_delivered = None
    if any(point.delivery is not None for point in points):
        wins_delivered = _wins(odds + delivery_weight * np.array([point.delivery or 0.0 for point in points]))
    facts = model.facts
    return Ranking(
        motion=motion,
        points=_ranked(points, wins, wins_delivered),
        pairs=_pairs(model, points, rows, wins, wins_delivered),
        sides=_sides(points, wins, wins_delivered),
        model=f"Gaussian process ({facts.view}), trained on {facts.pairs} pairs of {facts.trained_on}",
        accuracy=facts.accuracy,
        accuracy_low=facts.accuracy_low,
        accuracy_high=facts.accuracy_high,
        elsewhere=facts.elsewhere,
        delivery_weight=delivery_weight,
    )


def _wins(odds: Vector) -> Matrix:
    """How probable it is that the row's point convinces more than the column's."""
    return sigmoid(odds[:, None] - odds)


def _ranked(points: Sequence[Point], wins: Matrix, wins_delivered: Matrix | None) -> tuple[RankedPoint, ...]:
    strengths, places = _strengths(wins)
    delivered = None if wins_delivered is None else _strengths(wins_delivered)
    return tuple(
        RankedPoint(
            **vars(point),
            strength=float(strengths[i]),
            place=int(places[i]),
            strength_with_delivery=None if delivered is None else float(delivered[0][i]),
            place_with_delivery=None if delivered is None else int(delivered[1][i]),
        )
        for i, point in enumerate(points)
    )


def _strengths(wins: Matrix) -> tuple[Vector, Integers]:
    """(mean probability of winning over another point, place by it); a point alone has a strength of one half."""
    others = max(len(wins) - 1, 1)
    strengths = (wins.sum(axis=1) - 0.5) / others if len(wins) > 1 else np.full(len(wins), 0.5)
    places = np.empty(len(wins), dtype=np.int64)
    places[np.argsort(-strengths, kind="stable")] = np.arange(1, len(wins) + 1)
    return strengths, places


def _pairs(
    model: ConvincingModel, points: Sequence[Point], rows: Matrix, wins: Matrix, wins_delivered: Matrix | None
) -> tuple[PointPair, ...]:
    """A record for every two points. The first is the more convincing one."""
    return tuple(
        PointPair(
            first=first,
            second=second,
            across_stances={points[first].stance, points[second].stance} == {"pro", "con"},
            probability=float(wins[first, second]),
            probability_with_delivery=None if wins_delivered is None else float(wins_delivered[first, second]),
            reasons=tuple(
                Reason(name=leading.phrase, score=leading.log_odds, share=leading.share)
                for leading in model.leading(rows[first], rows[second])
            ),
        )
        for first, second in combinations(range(len(rows)), 2)
    )


def _sides(points: Sequence[Point], wins: Matrix, wins_delivered: Matrix | None) -> tuple[SideStrength, ...]:
    """How strong each side is; nothing unless both sides have points."""
    stances = np.array([point.stance or "" for point in points])
    sides: tuple[tuple[Stance, Stance], ...] = (("pro", "con"), ("con", "pro"))
    if not all(np.any(stances == stance) for stance, _ in sides):
        return ()

    def against(matrix: Matrix, own: Stance, other: Stance) -> float:
        return float(matrix[np.ix_(stances == own, stances == other)].mean())

    return tuple(
        SideStrength(
            stance=own,
            points=int(np.sum(stances == own)),
            strength=against(wins, own, other),
            strength_with_delivery=None if wins_delivered is None else against(wins_delivered, own, other),
        )
        for own, other in sides
    )

"""Which of a debate's points convince (Habernal and Gurevych 2016)."""

from pipeline.convincing.stage import Agreement, PointPair, RankedPoint, Ranking, SideStrength

__all__ = ["Agreement", "PointPair", "RankedPoint", "Ranking", "SideStrength"]

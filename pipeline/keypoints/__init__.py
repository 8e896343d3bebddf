"""Which key points a debate comes down to, who makes them, and who takes them up (KPA 2021 shared task)."""

from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide

__all__ = ["KeyPoint", "KeyPointMatch", "KeyPointSide", "KeyPoints"]

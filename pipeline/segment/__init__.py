"""Where sentences end: a Transcript becomes Sentences."""

from pipeline.segment.record import Sentences
from pipeline.segment.stage import SegmentSettings, segment

__all__ = ["SegmentSettings", "Sentences", "segment"]

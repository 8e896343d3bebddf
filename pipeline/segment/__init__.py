"""Where sentences end: a Transcript becomes Sentences."""

from pipeline.segment.record import ANOTHER_LANGUAGE, Sentences, in_english
from pipeline.segment.stage import SegmentSettings, segment

__all__ = ["ANOTHER_LANGUAGE", "SegmentSettings", "Sentences", "in_english", "segment"]

"""Where sentences end: a Transcript becomes Sentences."""

from pipeline.segment.stage import ANOTHER_LANGUAGE, SegmentSettings, Sentences, in_english, segment

__all__ = ["ANOTHER_LANGUAGE", "SegmentSettings", "Sentences", "in_english", "segment"]

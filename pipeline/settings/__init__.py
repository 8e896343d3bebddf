"""What can be set, and where a setting's value comes from.

`stages` has one small model per stage; `sources` reads them: file, then environment, then command line.
"""

from pipeline.settings.stages import (
    ContentSettings,
    ConvincingSettings,
    CounterSettings,
    DiarizeSettings,
    IngestSettings,
    KeypointsSettings,
    MentionsSettings,
    ProsodySettings,
    ScoreSettings,
    SegmentSettings,
    Settings,
    StageSettings,
    TranscribeSettings,
)

__all__ = [
    "ContentSettings",
    "ConvincingSettings",
    "CounterSettings",
    "DiarizeSettings",
    "IngestSettings",
    "KeypointsSettings",
    "MentionsSettings",
    "ProsodySettings",
    "ScoreSettings",
    "SegmentSettings",
    "Settings",
    "StageSettings",
    "TranscribeSettings",
]

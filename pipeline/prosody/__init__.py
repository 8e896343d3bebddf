"""How each sentence sounds: pitch, loudness, rate, pauses and emphasis become Prosody."""

from pipeline.prosody.features import FEATURES
from pipeline.prosody.stage import Measures, Prosody, SpeakerNorm, WordEmphasis

__all__ = ["FEATURES", "Measures", "Prosody", "SpeakerNorm", "WordEmphasis"]

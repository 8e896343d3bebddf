"""Who speaks when: a Recording becomes Turns."""

from pipeline.diarize.record import Turns, Voice, assign_speakers
from pipeline.diarize.stage import DiarizeSettings, diarize
from pipeline.diarize.voices import voice_in

__all__ = ["DiarizeSettings", "Turns", "Voice", "assign_speakers", "diarize", "voice_in"]

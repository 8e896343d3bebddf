"""Who speaks when: a Recording becomes Turns."""

from pipeline.diarize.stage import DiarizeSettings, Turns, Voice, assign_speakers, diarize
from pipeline.diarize.voices import voice_in

__all__ = ["DiarizeSettings", "Turns", "Voice", "assign_speakers", "diarize", "voice_in"]

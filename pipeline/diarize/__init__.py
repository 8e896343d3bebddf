"""Who speaks when: a Recording becomes Turns."""

from pipeline.diarize.record import Turns, assign_speakers
from pipeline.diarize.stage import DiarizeSettings, diarize

__all__ = ["DiarizeSettings", "Turns", "assign_speakers", "diarize"]

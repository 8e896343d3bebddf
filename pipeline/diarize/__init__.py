"""Who speaks when: a Recording becomes Turns."""

from pipeline.diarize.record import Turns
from pipeline.diarize.stage import DiarizeSettings, diarize
from pipeline.diarize.turns import assign_speakers

__all__ = ["DiarizeSettings", "Turns", "assign_speakers", "diarize"]

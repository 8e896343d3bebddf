"""An audio file becomes a Recording: 16 kHz mono samples, and how loud, clipped and noisy the original is."""

from pipeline.ingest.decode import Resampler, stated_duration
from pipeline.ingest.stage import IngestSettings, Recording, ingest, ingested

__all__ = ["IngestSettings", "Recording", "Resampler", "ingest", "ingested", "stated_duration"]

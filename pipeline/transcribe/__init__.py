"""Speech becomes words with times: a Recording and its Turns become a Transcript."""

from pipeline.transcribe.recognition import kept_recognition
from pipeline.transcribe.record import Segment, Transcript
from pipeline.transcribe.stage import TranscribeSettings, transcribe

__all__ = ["Segment", "TranscribeSettings", "Transcript", "kept_recognition", "transcribe"]

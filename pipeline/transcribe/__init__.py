"""Speech becomes words with times: a Recording and its Turns become a Transcript."""

from pipeline.transcribe.recognition import is_kept, keeps_recognitions
from pipeline.transcribe.stage import DOUBTFUL, Segment, TranscribeSettings, Transcript, transcribe

__all__ = [
    "DOUBTFUL",
    "Segment",
    "TranscribeSettings",
    "Transcript",
    "is_kept",
    "keeps_recognitions",
    "transcribe",
]

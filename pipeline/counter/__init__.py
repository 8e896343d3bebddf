"""Which speech answers which (Orbach et al. 2020, Out of the Echo Chamber)."""

from pipeline.counter.record import (
    CounterPair,
    CounterScores,
    DetectedResponse,
    Reason,
    SentencePair,
    SharedNgram,
    SpeechReply,
)

__all__ = [
    "CounterPair",
    "CounterScores",
    "DetectedResponse",
    "Reason",
    "SentencePair",
    "SharedNgram",
    "SpeechReply",
]

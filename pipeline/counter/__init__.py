"""Which speech answers which (Orbach et al. 2020, Out of the Echo Chamber)."""

from pipeline.counter.reported_speech import attributes, emphasises, turns_against
from pipeline.counter.stage import (
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
    "attributes",
    "emphasises",
    "turns_against",
]

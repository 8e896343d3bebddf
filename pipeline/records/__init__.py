"""Everything that flows between stages: frozen, typed, JSON out and in.

A record knows its own digest, which is what fingerprints are made of. Arrays do not live in records: they are
attachments, files that lie beside the artifact and are opened when somebody needs them.
"""

from pipeline.records.argue import (
    CounterPair,
    CounterScores,
    Passage,
    Reason,
    Response,
    SentencePair,
    SharedNgram,
)
from pipeline.records.base import Attachment, Record, Seconds, file_digest
from pipeline.records.corpus import (
    Argument,
    Arguments,
    AudioFile,
    GivenTranscript,
    GivenTurns,
    Label,
    Motion,
    Reference,
    References,
    Speech,
    Speeches,
    Stance,
)
from pipeline.records.speech import (
    SAMPLE_RATE,
    AlignedChunk,
    ErrorCounts,
    Recording,
    Segment,
    Sentence,
    Sentences,
    Transcript,
    Turn,
    Turns,
    Word,
    WordErrors,
)

__all__ = [
    "CounterPair",
    "CounterScores",
    "Passage",
    "Reason",
    "Response",
    "SentencePair",
    "SharedNgram",
    "WordErrors",
    "ErrorCounts",
    "AlignedChunk",
    "Argument",
    "Arguments",
    "Attachment",
    "AudioFile",
    "GivenTranscript",
    "GivenTurns",
    "Label",
    "Motion",
    "Record",
    "Recording",
    "Reference",
    "References",
    "SAMPLE_RATE",
    "Seconds",
    "Segment",
    "Sentence",
    "Sentences",
    "Speech",
    "Speeches",
    "Stance",
    "Transcript",
    "Turn",
    "Turns",
    "Word",
    "file_digest",
]

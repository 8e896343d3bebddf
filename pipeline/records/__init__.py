"""The records that come from a corpus, and the parts that the records of several stages share.

A record is frozen and typed. It is written as JSON and read from it. Fingerprints are made from the digests of records.
Arrays are not part of a record. They are attachments: files beside the artifact, which are opened when they are used.
The record of a stage is in the stage's room.
"""

from pipeline.records.base import Attachment, Record, Seconds, Timed, TimeSpan, file_digest
from pipeline.records.corpus import (
    Argument,
    Arguments,
    AudioFile,
    CorrectedPerson,
    Correction,
    ExpectedTexts,
    GivenTranscript,
    GivenTurns,
    Label,
    Motion,
    ReferenceTranscript,
    ResponseKind,
    Role,
    SpeakerCount,
    Speech,
    Speeches,
    Stance,
    Votes,
    check_sentences,
)
from pipeline.records.speech import (
    SAMPLE_RATE,
    TRANSLATED,
    UNTRANSLATED,
    Count,
    ErrorCounts,
    LlmUse,
    Passage,
    Sentence,
    Turn,
    Word,
)

__all__ = [
    "Argument",
    "Arguments",
    "Attachment",
    "AudioFile",
    "CorrectedPerson",
    "Correction",
    "Count",
    "ErrorCounts",
    "ExpectedTexts",
    "GivenTranscript",
    "GivenTurns",
    "Label",
    "LlmUse",
    "Motion",
    "Passage",
    "Record",
    "ReferenceTranscript",
    "ResponseKind",
    "Role",
    "SAMPLE_RATE",
    "TRANSLATED",
    "UNTRANSLATED",
    "Seconds",
    "Sentence",
    "SpeakerCount",
    "Speech",
    "Speeches",
    "Stance",
    "TimeSpan",
    "Timed",
    "Turn",
    "Votes",
    "Word",
    "check_sentences",
    "file_digest",
]

"""The record of `score`."""

from typing import Literal

from pipeline.records import ErrorCounts, Record


class AlignedChunk(Record):
    """A part of the alignment: a range of reference words, and the range of hypothesis words beside it."""

    type: Literal["equal", "substitute", "delete", "insert"]
    reference: tuple[int, int]
    hypothesis: tuple[int, int]


class WordErrors(Record):
    """A transcript compared with its reference, after normalising both.

    `mer` and `wil` are match error rate and word information lost. A rate is None if the reference is empty. `sources`
    has for each word of the hypothesis the range of the transcript's words that it comes from: the normaliser makes
    "will not" of "won't", and "21" of "twenty one".
    """

    normaliser: str
    words: ErrorCounts
    characters: ErrorCounts
    wer: float | None
    mer: float | None
    wil: float | None
    cer: float | None
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    sources: tuple[tuple[int, int], ...]
    alignment: tuple[AlignedChunk, ...]

    def figures(self) -> dict[str, float]:
        return self.words.model_dump() | ({} if self.cer is None else {"cer": self.cer})

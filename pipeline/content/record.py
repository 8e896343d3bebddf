"""The record of `content`."""

from typing import Literal

from pipeline.records import Passage, Record


class ExpectedSentence(Record):
    """An expected sentence, and the most similar sentence of the speech.

    `part` is the id of its argument, or the number of its reference. `similarity` is the encoder's, None without one.
    `words` is the share of its content words that the speech's sentence has; rare words weigh more.
    """

    part: str
    text: str
    covered: bool
    similarity: float | None
    words: float
    said: Passage | None


class Coverage(Record):
    """How much of the expected content a speech covers, as a whole and sentence by sentence.

    In a recording of several speeches, `speeches` has that of each, by the key of its speaker; the figures are then
    those of all together. `base_rouge` is the mean over the parts, `best_rouge` that of the best part. A measure that
    is not defined is None. `left_out` are content words that were expected and not said, the most expected first.
    """

    expected: Literal["references", "arguments"]
    parts: int
    base_rouge: float | None
    new_rouge: float | None
    best_rouge: float | None
    content_vector: float | None
    soft_recall: float | None
    covered: float
    sentences: tuple[ExpectedSentence, ...]
    left_out: tuple[str, ...]
    encoder: str | None
    speeches: dict[str, "Coverage"] = {}

    def of_speaker(self, key: str) -> "Coverage | None":
        """How much one person of a recording with several speeches covers."""
        return self.speeches.get(key)

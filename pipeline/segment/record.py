"""The record of `segment`."""

from pipeline.records import Record, Sentence


class Sentences(Record):
    """A transcript cut into sentences. Every word is in exactly one of them. `language` is that of the transcript."""

    sentences: tuple[Sentence, ...]
    method: str
    language: str = "en"

    def used(self, model: str) -> bool:
        return {"punkt": "punkt", "segmenter": "tagger"}.get(model) == self.method

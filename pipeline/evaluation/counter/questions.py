"""The questions of a motion, and the table of their candidates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Mask, Matrix
from pipeline.evaluation.counter.metrics import accuracy, reciprocal_rank
from pipeline.evaluation.result import Row
from pipeline.records import ResponseKind

# The best assignment of all speeches asked about: one answer for each supporting speech, or any number.
ASSIGNMENT = "assignment"
SEVERAL = "several answers"


class Line(NamedTuple):
    """A line of the table, but for its figures. `config` is empty where each speech is asked alone."""

    transcript: str
    protocol: str
    setting: str
    method: str
    config: str


@dataclass(frozen=True, eq=False)
class Block:
    """The supporting speeches of a motion, who may have answered them, and who has; `kinds` says how."""

    motion: str
    supporting: Sequence[SpeechText]
    opposing: Sequence[SpeechText]
    allowed: Mask
    answers: Mask
    kinds: tuple[ResponseKind | None, ...]

    def asked(self) -> Iterator[tuple[int, Mask, Mask]]:
        """(row, its candidates, which are right) of every speech with an answer among two candidates or more."""
        for row, allowed in enumerate(self.allowed):
            correct = self.answers[row, allowed]
            if correct.any() and len(correct) > 1:
                yield row, allowed, correct

    def outcomes(self, scores: Matrix) -> list[tuple[float, float]]:
        """Accuracy and reciprocal rank of each question."""
        return [
            (accuracy(scores[row, allowed], correct), reciprocal_rank(scores[row, allowed], correct))
            for row, allowed, correct in self.asked()
        ]


def candidate_rows(transcript: str, blocks: Mapping[tuple[str, str], Iterable[Block]]) -> Iterator[Row]:
    """The questions under each protocol and setting: the paper's Table 2.

    Its columns are the supporting speeches, the opposing speeches that are candidates, the mean number of candidates,
    and the share of candidates that are answers.
    """
    for (protocol, setting), found in blocks.items():
        questions = [(block, allowed, correct) for block in found for _, allowed, correct in block.asked()]
        if questions:
            candidates = sum(len(correct) for _, _, correct in questions)
            opposing = {speech.id for block, allowed, _ in questions for speech in _chosen(block.opposing, allowed)}
            yield {
                **Line(transcript, protocol, setting, "candidates", "")._asdict(),
                "supporting": len(questions),
                "opposing": len(opposing),
                "candidates": candidates / len(questions),
                "positives": sum(int(correct.sum()) for _, _, correct in questions) / candidates,
            }


def _chosen(speeches: Sequence[SpeechText], chosen: Mask) -> list[SpeechText]:
    return [speech for speech, taken in zip(speeches, chosen, strict=True) if taken]

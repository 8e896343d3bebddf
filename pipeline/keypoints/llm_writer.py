"""Key points by a large language model: it writes them, or it matches those that a faster matcher has chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pipeline.keypoints.candidates import Candidate
from pipeline.keypoints.generation import Generated, Style, generate, scores_of
from pipeline.llm.large_model import Answer, Check, LargeModel, Prompt, numbered
from pipeline.matching.matcher import Matcher

# So many texts are read at once. More texts are read in parts, and the key points of all parts are summed up again.
_PART = 150


class _KeyPoint(Answer):
    text: Annotated[str, Field(min_length=3, max_length=300)]
    statements: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]


class Written(Answer):
    """Key points, and the numbers of the statements that make each."""

    key_points: list[_KeyPoint]


WRITE = Prompt("write", Written)


@dataclass(frozen=True)
class LlmWriter:
    """Writes as `generate` does, but by asking a large language model, which decides on their number up to `most`."""

    asked: LargeModel

    def __call__(
        self,
        topic: str,
        texts: Sequence[str],
        matcher: Matcher,
        *,
        style: Style = "written",
        most: int = 10,
        most_words: int = 15,
        **others: object,
    ) -> Generated:
        if not texts:
            return Generated((), np.zeros((0, 0)), ())
        key_points = self.written(topic, list(texts), most, most_words)
        return Generated(key_points, scores_of(topic, texts, key_points, matcher, style), (None,) * len(key_points))

    def written(self, topic: str, texts: Sequence[str], most: int = 10, most_words: int = 15) -> tuple[Candidate, ...]:
        """The key points alone, not yet matched."""
        parts = [range(start, min(start + _PART, len(texts))) for start in range(0, len(texts), _PART)]
        fields = {"topic": topic, "most": str(most), "most_words": str(most_words)}
        answers = self.asked.ask(
            WRITE,
            [{**fields, "statements": numbered(texts[index] for index in part)} for part in parts],
            [_within(len(part), most) for part in parts],
        )
        key_points = [
            Candidate(" ".join(point.text.split()).rstrip("."), part[point.statements[0] - 1], 1.0)
            for part, answer in zip(parts, answers, strict=True)
            for point in answer.key_points
        ]
        if len(parts) == 1 or not key_points:
            return tuple(key_points)
        # Each part writes at most `most` key points, fewer than the texts that it read. So this comes to an end.
        summed_up = self.written(topic, [point.text for point in key_points], most, most_words)
        return tuple(replace(point, source=key_points[point.source].source) for point in summed_up)


@dataclass(frozen=True)
class ChosenBy:
    """Writes as `generate` does with a matcher that is fast enough to read hundreds of candidates.

    Only what it chose is matched by the matcher that is given.
    """

    chooser: Matcher

    def __call__(
        self,
        topic: str,
        texts: Sequence[str],
        matcher: Matcher,
        *,
        style: Style = "written",
        threshold: float | None = None,  # the matcher's, not the chooser's
        **others: Any,
    ) -> Generated:
        chosen = generate(topic, texts, self.chooser, style=style, **others)
        return replace(chosen, scores=scores_of(topic, texts, chosen.key_points, matcher, style))


def _within(count: int, most: int) -> Check[Written]:
    """A check that an answer has not too many key points, and names only statements that there are."""

    def check(answer: Written) -> str:
        if len(answer.key_points) > most:
            return f"it has {len(answer.key_points)} key points, and {most} is the most"
        named = [number for point in answer.key_points for number in point.statements]
        return f"there is no statement {max(named)}" if max(named, default=0) > count else ""

    return check

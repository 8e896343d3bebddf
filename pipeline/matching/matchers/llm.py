"""llm: asks the large language model of llm.url, many sentences at a time; key points are chosen by ensemble."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from pipeline.arrays import Matrix
from pipeline.llm.large_model import Answer, Check, LargeModel, Prompt, numbered
from pipeline.matching.matcher import MatcherKind, no_models

# The most key points to ask about at once: a model forgets some of more when it reads the statements.
_KEY_POINTS = 20


class _Match(Answer):
    statement: Annotated[int, Field(ge=1)]
    key_point: Annotated[int, Field(ge=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]


class Matches(Answer):
    """Which statements make which key points, by their numbers."""

    matches: list[_Match]


MATCH = Prompt("match", Matches)


@dataclass(frozen=True)
class LlmMatcher:
    """How sure a large language model is of a match; 0 where it names none."""

    asked: LargeModel
    threshold: float = 0.5
    digest: str = ""

    @property
    def name(self) -> str:
        return f"llm {self.asked.client.model}"

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        starts = [
            (row, column)
            for row in range(0, len(arguments), self.asked.batch)
            for column in range(0, len(key_points), _KEY_POINTS)
        ]
        blocks = [
            (arguments[row : row + self.asked.batch], key_points[column : column + _KEY_POINTS])
            for row, column in starts
        ]
        questions = [
            {"topic": topic, "statements": numbered(statements), "key_points": numbered(points)}
            for statements, points in blocks
        ]
        answers = self.asked.ask(MATCH, questions, [_within(*block) for block in blocks])
        confidence = np.zeros((len(arguments), len(key_points)))
        for (row, column), answer in zip(starts, answers, strict=True):
            for match in answer.matches:
                cell = row + match.statement - 1, column + match.key_point - 1
                confidence[cell] = max(confidence[cell], match.confidence)
        return confidence


def _within(statements: Sequence[str], key_points: Sequence[str]) -> Check[Matches]:
    """A check that an answer names only statements and key points that there are."""

    def check(answer: Matches) -> str:
        for match in answer.matches:
            if match.statement > len(statements):
                return f"there is no statement {match.statement}"
            if match.key_point > len(key_points):
                return f"there is no key point {match.key_point}"
        return ""

    return check


MATCHERS = (MatcherKind("llm", LlmMatcher, no_models, asks=True),)

"""A large language model's opinion on whether a passage makes an argument."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from pipeline.arrays import Probabilities
from pipeline.llm.large_model import Check, LargeModel
from pipeline.llm.prompt import Answer, Prompt


class _Opinion(Answer):
    pair: Annotated[int, Field(ge=1)]
    probability: Annotated[float, Field(ge=0, le=1)]


class Opinions(Answer):
    """For each pair, by its number, how probable it is that the argument is made."""

    answers: list[_Opinion]


HEAR = Prompt("hear", Opinions)


class LlmOpinion:
    """Reads passages with arguments, as a cross-encoder does."""

    def __init__(self, asked: LargeModel) -> None:
        self.asked = asked

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """For each (passage, argument), the model's probability that the passage makes the argument."""
        parts = [pairs[start : start + self.asked.batch] for start in range(0, len(pairs), self.asked.batch)]
        answers = self.asked.ask(HEAR, [{"pairs": _listed(part)} for part in parts], [_each(len(p)) for p in parts])
        found = [{each.pair: each.probability for each in answer.answers} for answer in answers]
        return np.array([of_part[number] for of_part in found for number in sorted(of_part)], dtype=np.float64)


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(
        f"Pair {number}\nPassage: {' '.join(passage.split())}\nArgument: {' '.join(argument.split())}"
        for number, (passage, argument) in enumerate(pairs, start=1)
    )


def _each(count: int) -> Check[Opinions]:
    """A check that an answer has every pair once."""

    def check(answer: Opinions) -> str:
        wanted, given = set(range(1, count + 1)), [each.pair for each in answer.answers]
        if lacking := sorted(wanted - set(given)):
            return f"pair {lacking[0]} is missing"
        return "" if len(given) == count else "there are more answers than pairs"

    return check

"""A language model on this machine as the reader of passages: it is asked yes or no, pair by pair."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pipeline.llm.large_model import LargeModel
from pipeline.mentions.finding import LlmOpinion


class Small:
    """A model that agrees where passage and claim have a word in common."""

    is_local = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def agreements(self, prompt: Any, questions: Sequence[Mapping[str, str]]) -> list[float]:
        self.asked += [prompt.filled(question) for question in questions]
        return [0.9 if set(q["passage"].split()) & set(q["claim"].split()) else 0.1 for q in questions]


def test_each_pair_is_a_question_of_its_own() -> None:
    small = Small()
    pairs = [("phones distract  pupils", "Phones distract."), ("toys cost money", "US schools lose time.")]
    assert LlmOpinion(cast("LargeModel", small)).probabilities(pairs).tolist() == [0.9, 0.1]
    assert '"phones distract pupils"' in small.asked[0]
    assert "argued that phones distract?" in small.asked[0]
    assert "argued that US schools lose time?" in small.asked[1]

import numpy as np
import pytest

from pipeline.counter.evaluate.debates import AnsweredDebate
from pipeline.counter.evaluate.learning import Scored, learn
from tests.pipeline.counter.speeches import FIRST, OTHER_SUPPORTING, SECOND, SUPPORTING

ALL = np.ones((2, 2), dtype=bool)
NONE = np.zeros((2, 2), dtype=bool)


def example(answers: np.ndarray, table: dict[str, np.ndarray]) -> Scored:
    return AnsweredDebate("m", (SUPPORTING, OTHER_SUPPORTING), (FIRST, SECOND), ALL, answers, (None, None)), table


def test_weights_go_to_what_tells_the_answer() -> None:
    random = np.random.default_rng(0)
    answers = np.eye(2, dtype=bool)
    examples = [
        example(answers, {"good": np.eye(2) + random.normal(0, 0.3, (2, 2)), "noise": random.normal(size=(2, 2))})
        for _ in range(30)
    ]
    weights = learn(examples, ["good", "noise"])
    assert weights["good"] > 5 * weights["noise"] >= 0
    assert learn(examples, ["good", "noise"]) == weights


def test_with_nothing_to_learn_from_the_weights_are_equal() -> None:
    assert learn([], ["a", "b"]) == pytest.approx({"a": 0.5, "b": 0.5})
    nothing = example(NONE, {"a": np.eye(2), "b": np.eye(2)})
    assert learn([nothing] * 3, ["a", "b"]) == pytest.approx({"a": 0.5, "b": 0.5})

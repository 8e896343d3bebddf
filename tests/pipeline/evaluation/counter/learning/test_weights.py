import numpy as np
import pytest

from pipeline.evaluation.counter.attribution import Scored
from pipeline.evaluation.counter.learning.weights import learn

ALL = np.ones((2, 2), dtype=bool)
NONE = np.zeros((2, 2), dtype=bool)
ZEROS = np.zeros((2, 2))


def test_weights_go_to_what_tells_the_answer() -> None:
    random = np.random.default_rng(0)
    answers = np.eye(2, dtype=bool)
    examples = [
        Scored(
            {"good": np.eye(2) + random.normal(0, 0.3, (2, 2)), "noise": random.normal(size=(2, 2))},
            ZEROS,
            ALL,
            answers,
        )
        for _ in range(30)
    ]
    ranker = learn(examples, ["good", "noise"])
    assert ranker.weights["good"] > 5 * ranker.weights["noise"] >= 0
    assert learn(examples, ["good", "noise"]).weights == ranker.weights


def test_with_nothing_to_learn_from_the_weights_are_equal() -> None:
    assert learn([], ["a", "b"]).weights == pytest.approx({"a": 0.5, "b": 0.5})
    nothing = Scored({"a": np.eye(2), "b": np.eye(2)}, ZEROS, ALL, NONE)
    assert learn([nothing] * 3, ["a", "b"]).weights == pytest.approx({"a": 0.5, "b": 0.5})

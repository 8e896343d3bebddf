from pathlib import Path

import numpy as np
import pytest

from pipeline.counter.evaluate.asking import Choice, choice_rows, choices
from pipeline.counter.evaluate.debates import AnsweredDebate, read_debates
from pipeline.counter.evaluate.learning import Resources, Scored, fit_ranker, learn, left_out, load_resources, scored
from pipeline.counter.ranker import Ranker
from tests.pipeline.counter.speeches import FIRST, OTHER_SUPPORTING, SECOND, SUPPORTING
from tests.pipeline.counter.test_evaluate_counter import write_ibm

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


@pytest.fixture(scope="module")
def resources() -> Resources:
    return load_resources(encoder=None, vectors=None)


@pytest.fixture(scope="module")
def debates(tmp_path_factory: pytest.TempPathFactory) -> list[AnsweredDebate]:
    topics = ("cats", "dogs", "birds", "trees", "rocks", "moons", "suns", "seas")
    return read_debates(write_ibm(tmp_path_factory.mktemp("ibm"), topics), "trs.txt")


def chosen(debate: AnsweredDebate, resources: Resources, ranker: Ranker) -> list[Choice]:
    return choices(scored(debate, resources, ranker.configuration), ranker)


def test_leaving_out_a_speech_leaves_its_answers_without_one(debates: list[AnsweredDebate]) -> None:
    without_anna, without_bob = left_out(debates[0])
    assert [speech.id for speech in without_anna.supporting] == ["bob_0_cats_pro_opening"]
    assert without_anna.answers.tolist() == [[True, False]]
    assert without_bob.answers.tolist() == [[False, True]]
    assert list(left_out(without_anna)) == []


def test_it_is_learned_when_a_speech_answers_nobody(debates: list[AnsweredDebate], resources: Resources) -> None:
    ranker = fit_ranker(debates[:5], resources)
    assert ranker.attribution is not None
    assert ranker.attribution.sharpness > 0
    whole = [chosen(debate, resources, ranker) for debate in debates[5:]]
    # anna's opposing speech answers bob; cleo's answers anna: both are there
    assert all(choice.somebody and choice.right for motion in whole for choice in motion)
    parts = [chosen(part, resources, ranker) for debate in debates[5:] for part in left_out(debate)]
    # anna cannot answer herself: without bob only cleo's speech is left, and without anna both
    assert [len(motion) for motion in parts] == [2, 1] * 3
    nobody = [choice.probability for motion in parts for choice in motion if not choice.somebody]
    somebody = [choice.probability for motion in parts for choice in motion if choice.somebody]
    assert len(nobody) == 3
    assert max(nobody) < min(somebody)


def test_told_how_many_answer_it_is_right_on_average(debates: list[AnsweredDebate], resources: Resources) -> None:
    """Of the three speeches that are left of each motion, one answers nobody, as in the debates it learned from."""
    ranker = fit_ranker(debates[:5], resources)
    told = ranker.for_share(2 / 3)
    taught = [choice for d in debates[:5] for part in left_out(d) for choice in chosen(part, resources, told)]
    # what a logistic regression with an intercept promises of the examples it was fitted to
    assert np.mean([each.probability for each in taught]) == pytest.approx(2 / 3, abs=1e-3)


def test_the_rows_stand_beside_always_taking_somebody(debates: list[AnsweredDebate], resources: Resources) -> None:
    ranker = fit_ranker(debates[:5], resources)
    found = [[choice for part in left_out(d) for choice in chosen(part, resources, ranker)] for d in debates[5:]]
    always, learned = choice_rows("trs.txt", {"one speech left out": found})
    assert always["method"] == "always somebody"
    assert always["accuracy"] == pytest.approx(2 / 3)
    assert learned["accuracy"] == 1.0
    assert learned["answer_nobody"] == 3
    assert learned["brier"] < learned["brier_of_share"] == pytest.approx(2 / 9)


def test_a_ranker_keeps_what_it_learned_in_its_file(
    debates: list[AnsweredDebate], resources: Resources, tmp_path: Path
) -> None:
    ranker = fit_ranker(debates[:3], resources)
    ranker.save(tmp_path / "ranker.json")
    assert Ranker.load(tmp_path / "ranker.json") == ranker

from pathlib import Path

import numpy as np
import pytest

from pipeline.counter.ranker import Ranker, standardised
from pipeline.counter.word_movers import Configuration
from pipeline.errors import RostrumError

ALL = np.ones((2, 2), dtype=bool)


def test_standardised_over_the_allowed_pairs_only() -> None:
    allowed = np.array([[True, True], [True, False]])
    found = standardised(np.array([[1.0, 2.0], [3.0, 999.0]]), allowed)
    assert found[allowed] == pytest.approx(np.array([-1, 0, 1]) * np.sqrt(3 / 2))
    assert (standardised(np.full((2, 2), 0.1), ALL) == 0).all()
    assert standardised(np.zeros((1, 0)), np.ones((1, 0), dtype=bool)).shape == (1, 0)


def test_the_combined_score_is_the_sum_of_its_parts() -> None:
    table = {"one": np.array([[1.0, 0.0], [0.0, 1.0]]), "two": np.array([[0.0, 4.0], [0.0, 0.0]])}
    ranker = Ranker({"one": 3.0, "two": 1.0})
    expected = 0.75 * standardised(table["one"], ALL) + 0.25 * standardised(table["two"], ALL)
    assert ranker.combined(table, ALL) == pytest.approx(expected)
    assert sum(ranker.parts(table, ALL).values()) == pytest.approx(expected)


def test_a_ranker_is_read_as_it_was_written(tmp_path: Path) -> None:
    ranker = Ranker({"JS": 0.25}, Configuration(("max", "min"), ("min", "min"), 0.9))
    ranker.save(tmp_path / "deep" / "ranker.json")
    assert Ranker.load(tmp_path / "deep" / "ranker.json") == ranker


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"weights": {"JS": "much"}, "configuration": {}}',
        '{"weights": {"JS": 1}, "configuration": {"alpha": "much"}}',
    ],
)
def test_what_is_no_ranker_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "ranker.json"
    path.write_text(content)
    with pytest.raises(RostrumError, match=r"ranker\.json: not a ranker"):
        Ranker.load(path)
    with pytest.raises(RostrumError, match="cannot read"):
        Ranker.load(tmp_path / "missing.json")


def test_the_untrained_ranker_weighs_what_needs_no_training_alike() -> None:
    weights = Ranker.untrained().weights
    assert set(weights.values()) == {1.0}
    assert {"JS", "c-MI", "content ngrs", "quotes"} < weights.keys()
    assert not {"Cos", "MI", "ngrs", "SD-e"} & weights.keys(), "others look at the same counts; SD-e is tuned"


def test_tf_idf_alone_ranks_and_the_other_methods_are_reasons() -> None:
    ranker = Ranker.by_tf_idf()
    table = {name: np.array([[0.0, 1.0], [1.0, 0.0]]) for name in ranker.uses}
    table["tf-idf"] = np.array([[0.9, 0.1], [0.1, 0.9]])
    assert ranker.combined(table, ALL).argmax(axis=1).tolist() == [0, 1]
    assert {"tf-idf", "JS", "quotes"} <= ranker.parts(table, ALL).keys()

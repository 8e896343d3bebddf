import numpy as np
import pytest

from pipeline.convincing.evaluate.data import read_pairs
from pipeline.convincing.train_convincing import JudgedCollection, agreements, temperature


def collection(folder, name, rows):
    """A collection of evidence whose first text always wins, by (first stance, second stance) of each pair."""
    header = "topic,evidence_1,evidence_2,label,evidence_1_stance,evidence_2_stance"
    lines = [f"{name} {n % 2},winner {n},loser {n},1,{first},{second}" for n, (first, second) in enumerate(rows)]
    folder.mkdir()
    (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return read_pairs(folder)[0]


def test_collections_count_the_same_and_confidence_is_by_the_others(tmp_path):
    one = JudgedCollection(collection(tmp_path / "a", "a", [("PRO", "PRO")] * 4), np.array([1.0, 1.0, 1.0, -1.0]))
    two = JudgedCollection(collection(tmp_path / "b", "b", [("PRO", "CON")] * 4), np.array([1.0, 1.0, -1.0, -1.0]))
    # right in 3 of 4: odds of 3 to 1
    assert temperature([one]) == pytest.approx(np.log(3), rel=0.01)
    # 5 of 8 together, each counting the same: odds of 5 to 3
    assert temperature([one, two]) == pytest.approx(np.log(5 / 3), rel=0.01)
    within, across = agreements([one, two])
    assert (within.across_stances, within.pairs, within.accuracy) == (False, 4, 0.75)
    assert (across.across_stances, across.pairs, across.accuracy) == (True, 4, 0.5)
    assert within.confidence == pytest.approx(0.5, abs=0.01)
    assert across.confidence == pytest.approx(0.75, abs=0.01)


def test_one_collection_alone_says_nothing_of_confidence(tmp_path):
    mixed = collection(tmp_path / "a", "a", [("PRO", "PRO"), ("PRO", "CON"), ("CON", "CON")])
    found = agreements([JudgedCollection(mixed, np.array([1.0, 0.0, -1.0]))])
    assert [(each.across_stances, each.pairs, each.accuracy) for each in found] == [(False, 2, 0.5), (True, 1, 0.5)]
    assert [each.confidence for each in found] == [None, None]

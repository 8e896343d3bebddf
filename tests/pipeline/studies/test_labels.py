"""Agreement and labels, beside independent implementations and published examples."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.graph import Votes, run_mace
from pipeline.measures import mean_pairwise_kappa
from pipeline.studies.labels import krippendorff_alpha, mean_cohen_kappa

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def counts_of(observers: list[list[int | None]], values: range) -> np.ndarray:
    return np.array(
        [[sum(row[unit] == value for row in observers) for value in values] for unit in range(len(observers[0]))]
    )


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level: str, published: float) -> None:
    alpha = krippendorff_alpha(counts_of(OBSERVERS, range(1, 6)), level)  # type: ignore[arg-type]
    assert alpha == pytest.approx(published, abs=0.0006)


@given(
    table=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=12),
    level=st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_as_another_implementation_has_it(table: list[list[int]], level: str) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    counts = np.array(table)
    used = counts[counts.sum(axis=1) >= 2].sum(axis=0)
    assume((used > 0).sum() > 1)
    theirs = krippendorff.alpha(value_counts=counts, value_domain=[0, 1, 2, 3], level_of_measurement=level)
    assert krippendorff_alpha(counts, level) == pytest.approx(theirs)  # type: ignore[arg-type]


@given(table=st.lists(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=6, max_size=6), min_size=2, max_size=5))
def test_cohen_of_all_pairs_as_scikit_learn_has_it(table: list[list[int | None]]) -> None:
    chosen = np.array([[[one == value for one in worker] for worker in table] for value in range(3)], dtype=np.int64)
    expected = mean_pairwise_kappa(table)
    found = mean_cohen_kappa(chosen)
    assert found == (expected if expected is None else pytest.approx(expected, abs=1e-8))


def test_one_value_or_one_vote_has_no_alpha() -> None:
    assert krippendorff_alpha(np.array([[3, 0], [2, 0]])) is None
    assert krippendorff_alpha(np.array([[1, 0], [0, 1]])) is None


@pytest.mark.slow
def test_mace_and_majority_as_crowd_kit_has_them() -> None:
    """60 items, 12 workers of whom a third guesses; the labels and the trust in workers are as crowd-kit finds them."""
    aggregation = pytest.importorskip("crowdkit.aggregation")
    import pandas as pd

    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 60)
    votes = [
        (item, worker, int(truth[item] if worker >= 4 and random.random() < 0.85 else random.integers(0, 3)))
        for item in range(60)
        for worker in random.choice(12, 6, replace=False)
    ]
    ours = run_mace(Votes.from_triples(votes, 60, 12, 3), restarts=20)
    table = pd.DataFrame(votes, columns=["task", "worker", "label"])
    theirs = aggregation.MACE(n_restarts=3, random_state=0).fit(table)
    same = ours.labels() == theirs.labels_.sort_index().to_numpy()
    assert same.mean() >= 0.95
    assert set(np.argsort(-ours.competence)[:8]) == set(range(4, 12))
    knowing = theirs.spamming_[:, 1]  # in the order in which workers first occur
    assert np.corrcoef(ours.competence[pd.unique(table.worker)], knowing)[0, 1] > 0.9
    majority = aggregation.MajorityVote().fit_predict(table).sort_index().to_numpy()
    counts = np.zeros((60, 3))
    for item, _, label in votes:
        counts[item, label] += 1
    clear = np.sort(counts, axis=1)[:, -1] > np.sort(counts, axis=1)[:, -2]
    assert (counts.argmax(axis=1) == majority)[clear].all()

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.counter.transport import transport_cost
from pipeline.counter.word_movers import SentenceDistances, speech_words
from tests.pipeline.counter.speeches import SUPPORTING, VECTORS, WORDS, speech

MASS = arrays(np.float64, st.integers(1, 6), elements=st.integers(0, 5)).filter(lambda mass: mass.sum() > 0)


@settings(deadline=None, max_examples=50)
@given(MASS, MASS, st.integers(0, 2**32 - 1))
def test_the_transport_costs_what_pot_says(supply: np.ndarray, demand: np.ndarray, seed: int) -> None:
    import ot  # takes seconds to import

    supply, demand = supply / supply.sum(), demand / demand.sum()
    cost = np.random.default_rng(seed).integers(0, 4, size=(len(supply), len(demand))) / 2
    assert transport_cost(supply, demand, cost) == pytest.approx(ot.emd2(supply, demand, cost), abs=1e-9)


def distances() -> SentenceDistances:
    long = speech("long", "Cat dog tree.", "Cat.", "Rock fish moon cat.", "Sun sun moon.")
    return SentenceDistances(speech_words(SUPPORTING, VECTORS), speech_words(long, VECTORS))


def test_distances_are_those_of_pot_and_between_their_bounds() -> None:
    import ot

    found = distances()
    exact = found.all
    # 'cat dog fish' to 'cat dog tree': two stay, and fish becomes tree, a third of the way
    fish, tree = (VECTORS.table[WORDS.index(word)].astype(np.float64) for word in ("fish", "tree"))
    rest = VECTORS.table[[0, 1]].astype(np.float64)
    cost = ot.dist(np.vstack([rest, fish]), np.vstack([rest, tree]), metric="euclidean")
    assert exact[0, 0] == pytest.approx(ot.emd2(np.full(3, 1 / 3), np.full(3, 1 / 3), cost), abs=1e-6)
    assert (found.lower <= exact + 1e-9).all()
    assert (found.upper >= exact - 1e-9).all()


def test_extremes_by_bounds_are_the_extremes_of_all_with_less_work() -> None:
    everything, least, most = distances(), distances(), distances()
    exact = everything.all
    assert least.smallest() == pytest.approx(exact.min(axis=1))
    assert most.largest() == pytest.approx(exact.max(axis=1))
    assert least.solved < everything.solved == exact.size


def test_sentences_without_a_known_word_are_left_out() -> None:
    words = speech_words(speech("s", "Cat.", "Zebra.", "The of."), VECTORS)
    assert words.shares.shape == (1, 1)

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.argue.counter.dissimilarity import (
    AGGREGATIONS,
    CONFIGURATIONS,
    Configuration,
    MoverSimilarity,
    SimilarityDissimilarity,
    WordSimilarity,
)
from pipeline.argue.counter.movers import SentenceDistances, speech_words
from pipeline.argue.counter.question import Question
from pipeline.argue.counter.terms import Vocabulary
from pipeline.argue.counter.transport import transport_cost
from pipeline.text.encoders.word_vectors import WordVectors
from tests.pipeline.argue.counter.speeches import CANDIDATES, EMPTY, FIRST, SUPPORTING, THIRD, WORDS, speech

RANDOM = np.random.default_rng(1)
VECTORS = WordVectors(
    "tiny", "", {word: row for row, word in enumerate(WORDS)}, RANDOM.normal(size=(8, 3)).astype(np.float32)
)
MASS = arrays(np.float64, st.integers(1, 6), elements=st.integers(0, 5)).filter(lambda mass: mass.sum() > 0)


@settings(deadline=None, max_examples=50)
@given(MASS, MASS, st.integers(0, 2**32 - 1))
def test_the_transport_costs_what_pot_says(supply: np.ndarray, demand: np.ndarray, seed: int) -> None:
    supply, demand = supply / supply.sum(), demand / demand.sum()
    cost = np.random.default_rng(seed).integers(0, 4, size=(len(supply), len(demand))) / 2
    assert transport_cost(supply, demand, cost) == pytest.approx(ot.emd2(supply, demand, cost), abs=1e-9)


def distances() -> SentenceDistances:
    long = speech("long", "Cat dog tree.", "Cat.", "Rock fish moon cat.", "Sun sun moon.")
    return SentenceDistances(speech_words(SUPPORTING, VECTORS), speech_words(long, VECTORS))


def test_distances_are_those_of_pot_and_between_their_bounds() -> None:
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


def test_word_similarity_by_hand() -> None:
    # abc / da against abe / a: Manhattan distances 2/3, 4/3; 2/3 + 2/3 + ... worked out a term at a time
    words = WordSimilarity(Vocabulary(WORDS))
    abc_abe = 1 / 3 + 1 / 3
    abc_a = 2 / 3 + 1 / 3 + 1 / 3
    da_abe = 1 / 2 + (1 / 2 - 1 / 3) + 1 / 3 + 1 / 3
    da_a = 1 / 2 + 1 / 2
    table = 1 / (1 + np.array([[abc_abe, abc_a], [da_abe, da_a]]))
    wanted = (("max", "average"), ("average", "max"), ("min", "min"), ("product", "product"))
    found = words.aggregated(SUPPORTING, FIRST, wanted)
    expected = [table.max(1).mean(), table.mean(1).max(), table.min(), np.exp(np.log(table).mean())]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("alpha", [1.0, 0.8])
def test_scores_are_those_of_the_whole_table(alpha: float) -> None:
    config = Configuration(("max", "average"), ("min", "product"), alpha)
    words, movers = WordSimilarity(Vocabulary(WORDS)), MoverSimilarity(VECTORS)
    scores = SimilarityDissimilarity(words, movers, config).scores(SUPPORTING, CANDIDATES)
    table = SimilarityDissimilarity(words, MoverSimilarity(VECTORS)).table(SUPPORTING, CANDIDATES)
    similarity = table[:, AGGREGATIONS.index(config.similarity)]
    dissimilarity = table[:, AGGREGATIONS.index(config.dissimilarity)]
    assert scores == pytest.approx(alpha * similarity - (1 - alpha) * dissimilarity)


def test_an_empty_speech_scores_nothing() -> None:
    method = SimilarityDissimilarity(WordSimilarity(Vocabulary(WORDS)), MoverSimilarity(VECTORS))
    assert method.scores(SUPPORTING, [EMPTY]).tolist() == [0.0]
    assert method.scores(EMPTY, [FIRST]).tolist() == [0.0]


def test_every_pair_of_different_similarities_is_tried() -> None:
    assert len(CONFIGURATIONS) == 16 + 16 * 15 * 2
    assert len(set(CONFIGURATIONS)) == len(CONFIGURATIONS)
    assert all(config.alpha == 1 or config.similarity != config.dissimilarity for config in CONFIGURATIONS)


def test_tuning_finds_a_configuration_that_answers() -> None:
    question = Question(SUPPORTING, (THIRD, FIRST), np.array([False, True]))
    method = SimilarityDissimilarity(None, MoverSimilarity(VECTORS))
    config = method.tuned([question])
    tuned = SimilarityDissimilarity(None, method.movers, config)
    assert tuned.scores(SUPPORTING, (THIRD, FIRST)).argmax() == 1
    assert Configuration.of(config.as_json()) == config

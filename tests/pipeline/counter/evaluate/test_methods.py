import numpy as np
import pytest

from pipeline.counter.evaluate.debates import Question
from pipeline.counter.evaluate.learning import CONFIGURATIONS, tuned
from pipeline.counter.evaluate.methods import WordSimilarity
from pipeline.counter.methods.word_movers import SimilarityDissimilarity
from pipeline.counter.texts import Vocabulary
from pipeline.counter.word_movers import AGGREGATIONS, Configuration, MoverSimilarity
from tests.pipeline.counter.speeches import CANDIDATES, EMPTY, FIRST, SUPPORTING, THIRD, VECTORS, WORDS


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
    scores = SimilarityDissimilarity([movers, words], config)(SUPPORTING, CANDIDATES)
    table = SimilarityDissimilarity([words, MoverSimilarity(VECTORS)]).table(SUPPORTING, CANDIDATES)
    similarity = table[:, AGGREGATIONS.index(config.similarity)]
    dissimilarity = table[:, AGGREGATIONS.index(config.dissimilarity)]
    assert scores == pytest.approx(alpha * similarity - (1 - alpha) * dissimilarity)


def test_an_empty_speech_scores_nothing() -> None:
    method = SimilarityDissimilarity([WordSimilarity(Vocabulary(WORDS)), MoverSimilarity(VECTORS)])
    assert method(SUPPORTING, [EMPTY]).tolist() == [0.0]
    assert method(EMPTY, [FIRST]).tolist() == [0.0]


def test_every_pair_of_different_similarities_is_tried() -> None:
    assert len(CONFIGURATIONS) == 16 + 16 * 15 * 2
    assert len(set(CONFIGURATIONS)) == len(CONFIGURATIONS)
    assert all(config.alpha == 1 or config.similarity != config.dissimilarity for config in CONFIGURATIONS)


def test_tuning_finds_a_configuration_that_answers() -> None:
    question = Question(SUPPORTING, (THIRD, FIRST), np.array([False, True]))
    movers = MoverSimilarity(VECTORS)
    config = tuned([movers], [question])
    assert SimilarityDissimilarity([movers], config)(SUPPORTING, (THIRD, FIRST)).argmax() == 1

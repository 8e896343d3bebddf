import numpy as np
import pytest

from pipeline.counter.comparison import Relations, SharedWordSimilarity, worded_opposition
from pipeline.counter.methods.sentences import chain_weight, comprehensive, in_order, main_issue, opposes, quotes
from pipeline.counter.reported_speech import report_weights
from pipeline.counter.texts import SpeechText
from tests.pipeline.counter.speeches import CANDIDATES, FIRST, SECOND, SUPPORTING, speech


class Given:
    """The likeness of two speeches' sentences, as the test says."""

    def __init__(self, values: dict[tuple[str, str], list[list[float]]]) -> None:
        self.values = values

    def __call__(self, one: SpeechText, other: SpeechText) -> np.ndarray:
        return np.array(self.values[one.id, other.id], dtype=np.float64)


def test_comprehensive_is_the_mean_of_the_best_matches() -> None:
    expected = [(2 / 3 + 1 / np.sqrt(2)) / 2, (1 / np.sqrt(6) + 0) / 2, 0.0]
    similarity = SharedWordSimilarity()
    assert [comprehensive(similarity, SUPPORTING, each) for each in CANDIDATES] == pytest.approx(expected)


def test_the_main_issue_is_what_is_central_and_emphasised() -> None:
    supporting = speech("s", "Most importantly it is unfair.", "It rains.")
    similarity = Given({("s", "s"): [[1.0, 0.5], [0.5, 1.0]], ("s", "x"): [[0.8], [0.2]], ("s", "y"): [[0.2], [0.8]]})
    scores = main_issue(similarity, supporting, [speech("x", "No."), speech("y", "No.")])
    # centrality is 0.75 of both, and the first counts twice
    assert scores == pytest.approx([(2 * 0.8 + 0.2) / 3, (2 * 0.2 + 0.8) / 3])


def test_quotes_count_reports_by_what_they_match_and_the_sentence_after_by_half() -> None:
    supporting = speech("s", "One.", "Two.", speakers=("Anna",))
    candidate = speech("c", "They told us this.", "It is not so.", "We go on.", "Anna forgets it.")
    similarity = Given({("s", "c"): [[0.9, 0.1, 0.7, 0.3], [0.2, 0.4, 0.6, 0.5]]})
    assert report_weights(candidate, ("Anna",)).tolist() == [1.0, 0.5, 0.0, 1.0]
    expected = (0.9 + 0.4 / 2 + 0.5) / np.sqrt(4)
    assert quotes(similarity, supporting, candidate) == pytest.approx(expected)


def test_a_chain_goes_forward_in_both_speeches() -> None:
    straight, crossed = np.eye(3), np.eye(3)[::-1]
    # the mean of all, 1/3, counts for nothing
    assert chain_weight(straight) == pytest.approx(3 * (2 / 3) / 3)
    assert chain_weight(crossed) == pytest.approx((2 / 3) / 3)
    assert chain_weight(np.zeros((0, 3))) == 0.0


def test_order_prefers_the_candidate_that_answers_in_order() -> None:
    similarity = Given(
        {("supporting", "first"): [[1.0, 0.0], [0.0, 1.0]], ("supporting", "second"): [[0.0, 1.0], [1.0, 0.0]]}
    )
    first, second = in_order(similarity, SUPPORTING, FIRST), in_order(similarity, SUPPORTING, SECOND)
    assert first == pytest.approx(2 * second)


def test_what_contradicts_counts_in_full() -> None:
    supporting = speech("s", "Cats are good.")
    against, along = speech("against", "Cats are not good."), speech("along", "Cats are good.")
    similarity = Given({("s", "against"): [[0.9]], ("s", "along"): [[0.9]]})
    relations = Relations(similarity, worded_opposition)
    assert opposes(relations, supporting, against) == pytest.approx(0.9)
    assert opposes(relations, supporting, along) == pytest.approx(0.45)

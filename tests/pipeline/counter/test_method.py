"""What every method promises, whatever it computes, and how a method is added."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from pipeline.counter.comparison import Relations, SharedWordSimilarity
from pipeline.counter.evaluate.debates import AnsweredDebate
from pipeline.counter.evaluate.learning import CONFIGURATIONS
from pipeline.counter.evaluate.methods import Taught, all_methods
from pipeline.counter.evaluate.next_sentence import NextSentence
from pipeline.counter.method import Method, build, run_methods, score_table
from pipeline.counter.ranker import Ranker
from pipeline.counter.texts import Vocabularies, allowed_pairs, ranks
from pipeline.counter.word_movers import MoverSimilarity
from tests.members import add_member
from tests.pipeline.counter.speeches import (
    CANDIDATES,
    EMPTY,
    FIRST,
    OTHER_SUPPORTING,
    SECOND,
    SUPPORTING,
    THIRD,
    VECTORS,
    speech,
)


class CountingBert(NextSentence):
    """Next sentence prediction without a model: a probability that only depends on the two texts."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def _probabilities(self, pairs):  # type: ignore[no-untyped-def]
        return [1 / (1 + len(one) + 2 * len(other)) for one, other in pairs]


def built_methods() -> dict[str, Method]:
    """Every method there is, by terms of training pairs and by open vocabularies."""
    relations, movers = Relations(SharedWordSimilarity()), MoverSimilarity(VECTORS)
    both, first = np.array([[True, True]]), np.array([[True, False]])
    debate = AnsweredDebate("m", (SUPPORTING,), (FIRST, SECOND), both, first, (None, None))
    given = {"speeches": [SUPPORTING, *CANDIDATES], "movers": movers, "configuration": CONFIGURATIONS[0]}
    pairs = [(SUPPORTING, FIRST), (OTHER_SUPPORTING, THIRD)]
    taught = Taught(
        relations, Vocabularies.of_pairs(pairs), training=[debate], validation=[debate], bert=CountingBert(), **given
    )
    untaught = build(run_methods(), Taught(relations, **given))
    return build(all_methods(), taught) | {f"{name}, open": each for name, each in untaught.items()}


ALL = built_methods()
EVERY_METHOD = pytest.mark.parametrize("name", ALL)


@EVERY_METHOD
def test_the_order_of_the_candidates_changes_no_score(name: str) -> None:
    method = ALL[name]
    expected = dict(zip(CANDIDATES, method(SUPPORTING, CANDIDATES), strict=True))
    for order in permutations(CANDIDATES):
        found = dict(zip(order, method(SUPPORTING, order), strict=True))
        assert found == pytest.approx(expected, abs=1e-12)


@EVERY_METHOD
def test_identical_candidates_score_the_same(name: str) -> None:
    twin = speech("twin", *FIRST.sentences)
    scores = ALL[name](SUPPORTING, [SECOND, FIRST, twin])
    assert scores[1] == scores[2]


@EVERY_METHOD
def test_no_candidate_one_candidate_and_empty_speeches(name: str) -> None:
    method = ALL[name]
    assert method(SUPPORTING, []).shape == (0,)
    assert method(SUPPORTING, [FIRST]).shape == (1,)
    assert np.isfinite(method(SUPPORTING, [FIRST])).all()
    assert method(SUPPORTING, [EMPTY, FIRST])[0] == 0.0
    if name != "longest":
        assert method(EMPTY, [FIRST, EMPTY]).tolist() == [0.0, 0.0]


def test_a_table_is_the_same_to_the_last_bit_in_any_order() -> None:
    supporting = [SUPPORTING, OTHER_SUPPORTING]
    allowed = np.array([[True, True, True], [True, False, True]])
    expected = score_table(ALL, supporting, CANDIDATES, allowed)
    for order in permutations(range(3)):
        found = score_table(ALL, supporting, [CANDIDATES[index] for index in order], allowed[:, order])
        assert all((found[name] == expected[name][:, order]).all() for name in expected)


def test_who_cannot_answer_is_no_candidate() -> None:
    # 'cat dog' is shared by two; where one of them is not allowed it is the other's alone
    twin = speech("twin", *FIRST.sentences)
    methods = {"stemmed ngrs": ALL["stemmed ngrs"]}
    both = score_table(methods, [SUPPORTING], [FIRST, twin], np.array([[True, True]]))
    alone = score_table(methods, [SUPPORTING], [FIRST, twin], np.array([[True, False]]))
    assert both["stemmed ngrs"].tolist() == [[0.0, 0.0]]
    assert alone["stemmed ngrs"].tolist() == [[2.0, 0.0]]


def test_ties_are_broken_by_the_next_scores_and_then_by_id() -> None:
    assert ranks(["b", "a", "c"], np.array([1.0, 1.0, 2.0])) == [3, 2, 1]
    assert ranks(["b", "a", "c"], np.array([1.0, 1.0, 2.0]), np.array([5.0, 4.0, 0.0])) == [2, 3, 1]
    assert ranks([], np.zeros(0)) == []


def test_a_table_has_every_method_in_its_place() -> None:
    known = ["random", "longest", "tf-idf", "Cos", "JS", "SD"]
    assert [each.name for each in all_methods() if each.name in known] == known
    entries = all_methods()
    assert len({each.name for each in entries}) == len({each.order for each in entries}) == len(entries)


def test_a_method_is_one_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = '''
        """first letter: whether both speeches begin with the same letter."""
        import numpy as np
        from pipeline.counter.method import CounterMethod

        def same_first_letter(supporting, candidates):
            ours = "".join(supporting.sentences)[:1]
            return np.array([float(ours != "" and "".join(each.sentences)[:1] == ours) for each in candidates])

        METHODS = (
            CounterMethod(
                "first letter", "same first letter", order=55, weight=2.0, build=lambda given: same_first_letter
            ),
        )
    '''
    add_member(monkeypatch, tmp_path / "added", "pipeline.counter.methods", "first_letter.py", source)
    assert Ranker.untrained().weights["first letter"] == 2.0
    methods = build(run_methods(), Taught(Relations(SharedWordSimilarity())))
    allowed = allowed_pairs([SUPPORTING], CANDIDATES)
    scores = score_table(methods, [SUPPORTING], CANDIDATES, allowed)
    assert scores["first letter"].tolist() == [[1.0, 0.0, 0.0]]
    parts = Ranker.untrained().parts(scores, allowed)
    assert parts["first letter"].max() == parts["first letter"][0, 0] > 0

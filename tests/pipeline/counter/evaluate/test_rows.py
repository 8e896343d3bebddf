"""Which methods are shown to answer more than tf-idf: differences on the same questions."""

import pytest

from pipeline.counter.evaluate.rows import ASSIGNMENT, Line, Results, beaten, rows, tables


def results(motions: int = 12) -> Results:
    """Every motion asks two questions; of these tf-idf answers the first, JS both, random the second."""
    answered = {"tf-idf": (1.0, 0.0), "JS": (1.0, 1.0), "random": (0.0, 1.0)}
    return {
        Line("trs.txt", "motion", "all", method, config): {
            f"motion {number}": [(right, right) for right in of_method] for number in range(motions)
        }
        for method, of_method in answered.items()
        for config in ("", ASSIGNMENT)
    }


def test_the_difference_is_that_of_the_same_questions_with_the_same_assignment() -> None:
    found = {(row["method"], row["config"]): row for row in rows(results()) if row["accuracy"] is not None}
    for config in ("", ASSIGNMENT):
        better, other = found["JS", config], found["random", config]
        assert [better[f"over_tf_idf{end}"] for end in ("", "_low", "_high")] == pytest.approx([0.5, 0.5, 0.5])
        assert [other[f"over_tf_idf{end}"] for end in ("", "_low", "_high")] == pytest.approx([0, 0, 0])
        assert "over_tf_idf" not in found["tf-idf", config]


def test_what_is_shown_to_be_better_is_named_and_how_many_were_compared() -> None:
    assert list(beaten(list(rows(results())))) == [
        "trs.txt, motion, all: of 2 methods, shown to be better than tf-idf: JS",
        "trs.txt, motion, all, assignment: of 2 methods, shown to be better than tf-idf: JS",
    ]
    titles = [title for title, _ in tables(list(rows(results())))]
    assert "accuracy less that of tf-idf, on the same questions" in titles


def test_a_few_motions_show_nothing() -> None:
    assert list(beaten(list(rows(results(motions=9))))) == []

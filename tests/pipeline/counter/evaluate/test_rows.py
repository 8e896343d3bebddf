"""Which methods are shown to answer more than tf-idf: differences on the same questions."""

from pathlib import Path

import pytest

from pipeline.counter.evaluate.debates import read_debates
from pipeline.counter.evaluate.rows import ASSIGNMENT, Line, Results, beaten, people_rows, rows, tables
from pipeline.errors import RostrumError


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


SAMPLES = Path(__file__).parents[4] / "audio_samples"
HEADER = "speech,candidates,annotator,answer,sure\n"


def test_accuracy_and_agreement_by_hand(tmp_path: Path) -> None:
    """Of four answers three are right; of the two pairs of people who answered the same speech, one agrees."""
    file = tmp_path / "answers.csv"
    file.write_text(
        HEADER
        + "schools_pro_anna,,w1,schools_con_ruth,sure\n"
        + "schools_pro_anna,,w2,schools_con_lena,guess\n"
        + "transport_pro_oliver,,w1,transport_con_paul,sure\n"
        + "transport_pro_oliver,,w3,transport_con_paul,sure\n"
        + "somebody_else,,w3,transport_con_paul,sure\n"
    )
    (row,) = people_rows(file, read_debates(SAMPLES, "reference"))
    assert (row["accuracy"], row["agreement"], row["answers"]) == (0.75, 0.5, 4)


def test_answers_to_other_speeches_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(HEADER + "somebody_else,,w1,transport_con_paul,sure\n")
    with pytest.raises(RostrumError, match="no answer to a speech"):
        people_rows(file, read_debates(SAMPLES, "reference"))

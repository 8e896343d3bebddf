"""People beside matchers on the same pairs, by figures that were worked out by hand."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import read_part
from pipeline.keypoints.evaluate.matching import MethodScores
from pipeline.keypoints.evaluate.people import people_rows
from pipeline.matching.matchers.words import TokenOverlap
from tests.pipeline.keypoints.evaluate.test_table import write

# Of the pairs of the first two arguments, by three people: who says that it is a match.
SAID = {
    ("a1_0", "k1_0"): (1, 1, 1),
    ("a1_0", "k1_1"): (0, 0, 1),
    ("a1_1", "k1_0"): (1, 1, 0),
    ("a1_1", "k1_1"): (0, 0, 0),
}


def decisions(file: Path, others: list[tuple[object, ...]] = []) -> Path:  # noqa: B006
    rows = [
        (f"w{person}", 1, "", argument, "points", point, answer)
        for (argument, point), answers in SAID.items()
        for person, answer in enumerate(answers)
    ]
    with file.open("w", newline="") as handle:
        header = ("worker", "kept", "mode", "subject", "question", "row", "answer")
        csv.writer(handle).writerows([header, *rows, *others])
    return file


def test_one_person_against_the_others(tmp_path: Path) -> None:
    """Two pairs are unanimous. In the other two, the two who agree face a tie of the others, and the third is alone.

    So accuracy is (1 + 1/3 + 1/3 + 1) / 4. Without ties: 3 + 3 decisions that agree, and 2 that do not: one yes against
    two no, and one no against two yes. Precision is 3/4, recall 3/4.
    """
    part = read_part(write(tmp_path / "task", ""))
    (people, none, overlap) = people_rows(
        decisions(tmp_path / "decisions.csv"), part, [MethodScores.of(TokenOverlap("overlap"), part)]
    )
    assert people["method"] == "people, one against the others"
    assert people["accuracy"] == pytest.approx(2 / 3)
    assert (people["precision"], people["recall"], people["f1"]) == (0.75, 0.75, 0.75)
    # by the definition: observed agreement (1 + 1/3 + 1/3 + 1) / 4, expected .5 ** 2 + .5 ** 2
    assert people["fleiss_kappa"] == pytest.approx((2 / 3 - 0.5) / 0.5)
    assert (none["accuracy"], none["f1"]) == (0.5, 0.0), "two of the four pairs are labelled as matches"
    assert (overlap["method"], overlap["pairs"]) == ("overlap", 4)


def test_who_is_left_out_and_what_has_no_label_do_not_count(tmp_path: Path) -> None:
    part = read_part(write(tmp_path / "task", ""))
    more = [
        ("w8", 0, "", "a1_0", "points", "k1_0", 0),
        ("w1", 1, "", "elsewhere", "points", "k1_0", 0),
        ("w1", 1, "", "a1_2", "points", "k1_0", 0),
    ]
    rows = people_rows(decisions(tmp_path / "decisions.csv", more), part, [])
    assert rows[0]["pairs"] == 4
    assert rows[0]["accuracy"] == pytest.approx(2 / 3)


def test_decisions_on_other_data_are_refused(tmp_path: Path) -> None:
    part = read_part(write(tmp_path / "task", "", ids="other-"))
    with pytest.raises(RostrumError, match=r"decisions\.csv: no decisions of two people"):
        people_rows(decisions(tmp_path / "decisions.csv"), part, [])


def test_the_command_shows_people_in_a_table_of_their_own(tmp_path: Path) -> None:
    data, file = write(tmp_path / "task", ""), decisions(tmp_path / "decisions.csv")
    asked = ["evaluate", "keypoints", "--data", str(data), "--unlearned", "--encoder", "token overlap"]
    result = CliRunner().invoke(main_group, [*asked, "--people", str(file), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout[result.stdout.index("{") :])["rows"]
    beside = {row["method"]: row for row in rows if row.get("decided")}
    assert {"people, one against the others", "no match at all", "token overlap", "tf-idf"} <= beside.keys()
    assert {row["pairs"] for row in beside.values()} == {4}
    text = CliRunner().invoke(main_group, [*asked, "--people", str(file)], catch_exceptions=False).stdout
    assert "people beside methods, pair by pair" in text

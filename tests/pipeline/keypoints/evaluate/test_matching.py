"""The task's score, against scikit-learn's average precision, hand calculation and a published system's predictions."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import Part, Statement, read_part, read_predictions, score_matrix
from pipeline.keypoints.evaluate.matching import (
    MethodScores,
    average_precision,
    better_half,
    expected_precision,
    has_ties,
    people_rows,
    ranked,
    reported_on,
)
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.measures import mean_of_defined
from tests.pipeline.keypoints.evaluate.test_table import write

SEED = np.random.default_rng(0)
NAN = np.nan


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_average_precision_is_that_of_scikit_learn(pairs):
    right = np.array([each for each, _ in pairs])
    scores = np.array([score / 5 for _, score in pairs])
    expected = average_precision_score(right, scores) if right.any() else 0.0
    assert average_precision(right, scores) == pytest.approx(expected)


def test_a_worked_example():
    """Four arguments: the lower two are dropped; of the rest one pair is labelled right, the other has no label."""
    scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.3], [0.1, 0.0]])
    labels = np.array([[-1, 0], [1, 0], [1, 1], [1, 1]], dtype=np.int8)
    half = better_half(scores, labels, SEED)
    assert half.labels.tolist() == [-1, 1]
    assert half.precision("strict", "leaderboard") == 0.5
    assert half.precision("relaxed", "leaderboard") == 1.0
    assert half.precision("strict", "later") == 0.25
    assert half.precision("relaxed", "later") == 1.0


def test_an_argument_without_prediction_is_wrong_and_ranks_high_once_it_is_in_the_half():
    scores = np.array([[0.9], [NAN], [-0.5], [-0.6]])
    labels = np.array([[1], [1], [1], [1]], dtype=np.int8)
    half = better_half(scores, labels, SEED)
    assert half.labels.tolist() == [1, 0]
    assert half.scores.tolist() == [0.9, 0.99]
    assert half.precision("strict", "leaderboard") == 0.5


def test_no_key_points_is_no_match_at_all():
    half = better_half(np.zeros((4, 0)), np.zeros((4, 0), dtype=np.int8), SEED)
    assert half.precision("relaxed", "leaderboard") == 0.0


def test_one_argument_has_no_better_half():
    half = better_half(np.array([[0.3]]), np.array([[1]], dtype=np.int8), SEED)
    assert half.precision("strict", "leaderboard") is None
    assert mean_of_defined([None, 0.5, 0.7]) == pytest.approx(0.6)
    assert mean_of_defined([None]) is None


def test_expectation_over_tied_key_points():
    """Two tied key points, one right and one wrong: right half of the time."""
    scores = np.array([[0.5, 0.5], [0.1, 0.0]])
    labels = np.array([[1, 0], [0, 0]], dtype=np.int8)
    assert has_ties(scores)
    expected = expected_precision(scores, labels, "strict", "leaderboard", draws=4000)
    assert expected == pytest.approx(0.5, abs=0.03)
    first = better_half(scores, labels, np.random.default_rng(7)).labels.tolist()
    assert better_half(scores, labels, np.random.default_rng(7)).labels.tolist() == first


@pytest.mark.parametrize(
    ("scores", "ties"),
    [
        ([[0.9], [0.5], [0.5], [0.1]], True),  # at the cut
        ([[0.9], [0.9], [0.5], [0.1]], False),  # inside of the half: one threshold
        ([[0.9, 0.8], [0.5, 0.4]], False),
        ([[NAN], [0.0]], True),
        ([[NAN, NAN], [0.5, 0.2]], False),
    ],
)
def test_where_chance_has_a_say(scores, ties):
    assert has_ties(np.array(scores)) is ties


@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 1000))
def test_the_later_version_is_never_above_the_leaderboard_s(arguments, key_points, seed):
    random = np.random.default_rng(seed)
    labels = random.integers(-1, 2, size=(arguments, key_points)).astype(np.int8)
    half = better_half(random.random((arguments, key_points)), labels, random)
    for reading in ("strict", "relaxed"):
        assert half.precision(reading, "later") <= half.precision(reading, "leaderboard")


# What the task's own tool prints for these files, with its two versions of the average precision. The scores are
# rounded to 16 bits, so that some are tied, and the tool breaks ties as its sorting happens to.
@pytest.mark.parametrize(
    ("system", "scorer", "strict", "relaxed"),
    [
        ("roberta-roberta-base", "leaderboard", 0.879251, 0.983771),
        ("roberta-roberta-base", "later", 0.692437, 0.942984),
        ("bert-bert-base-uncased", "leaderboard", 0.716728, 0.927777),
        ("bert-bert-base-uncased", "later", 0.497482, 0.830533),
    ],
)
def test_published_predictions(system, scorer, strict, relaxed):
    folder = Path(os.environ.get("ROSTRUM_DATA", "")) / "kpa2021"
    if "ROSTRUM_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("the KPA 2021 data is not here; set ROSTRUM_DATA to the folder that has kpa2021")
    part = read_part(folder, "dev")
    predictions = read_predictions(folder / "published-predictions" / f"modern-talking-dev-{system}.json")
    for reading, figure in (("strict", strict), ("relaxed", relaxed)):
        low = high = 0.0
        for group in part.groups:
            scores = score_matrix(group, predictions)
            draws = [better_half(scores, group.labels, SEED).precision(reading, scorer) for _ in range(50)]
            low, high = low + min(draws) / len(part.groups), high + max(draws) / len(part.groups)
        assert low - 1e-6 <= figure <= high + 1e-6
        assert high - low < 0.02


def row(method, strict, relaxed, **more):
    return {"method": method, "scorer": "leaderboard", "strict": strict, "relaxed": relaxed, **more}


def test_the_mean_of_both_ranks_of_the_published_leaderboard():
    # Friedman-Melamed et al. 2021, table 2: strict and relaxed ranks of the first systems are (2, 1), (1, 3) and (5, 2)
    # among all submissions; among these three: (2, 1), (1, 3), (3, 2).
    found = list(ranked([row("mspl", 0.908, 0.972), row("heinrichreimer", 0.912, 0.967), row("vund", 0.878, 0.968)]))
    assert [(each["strict_rank"], each["relaxed_rank"], each["mean_rank"]) for each in found] == [
        (2, 1, 1.5),
        (1, 3, 2),
        (3, 2, 2.5),
    ]


def test_equal_figures_share_the_mean_of_their_ranks_and_no_figure_has_no_rank():
    found = list(ranked([row("a", 0.5, 0.9), row("b", 0.5, 0.8), row("c", None, None)]))
    assert [each["strict_rank"] for each in found] == [1.5, 1.5, None]
    assert [each["mean_rank"] for each in found] == [1.25, 1.75, None]


def test_where_ties_make_a_figure_chance_its_expectation_is_ranked():
    lucky = row("lucky", 0.9, 0.9, strict_expected=0.4, relaxed_expected=0.4)
    steady = row("steady", 0.6, 0.6, strict_expected=0.6, relaxed_expected=0.6)
    assert [each["mean_rank"] for each in ranked([lucky, steady])] == [2, 1]


def test_the_reported_systems_stand_beside_the_test_part_alone():
    topics = (
        "Routine child vaccinations should be mandatory",
        "Social media platforms should be regulated by the government",
        "The USA is a good country to live in",
    )
    part = Part("test", tuple(Statement(f"a{n}", "text", topic, "pro") for n, topic in enumerate(topics)), (), {})
    assert reported_on(part)["mspl (RoBERTa-large)"] == (0.908, 0.972)
    assert reported_on(Part("dev", part.arguments[:1], (), {})) == {}


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

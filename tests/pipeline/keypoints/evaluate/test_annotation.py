"""What people are given to label, and what their labels say: counted by hand."""

import csv
import json

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.annotation import export, judged_rows, strengths
from pipeline.keypoints.evaluate.data import read_part
from pipeline.keypoints.evaluate.writing import Written
from pipeline.matching.matchers.words import TokenOverlap
from tests.pipeline.keypoints.evaluate.test_table import write

GOOD = ["Phones distract pupils", "A camera helps bullies"]
BAD = ["Phones ring"]


@pytest.fixture
def folder(tmp_path):
    part = read_part(write(tmp_path / "data", "dev"), "dev")
    pro = next(group for group in part.groups if group.stance == "pro")
    files = export(tmp_path / "labels", [Written(pro, {"good": [GOOD], "bad": [BAD]})], TokenOverlap())
    assert [file.name for file in files] == ["matches.csv", "sets.csv", "systems.json"]
    return tmp_path / "labels"


def read(file):
    with file.open(newline="") as handle:
        return list(csv.DictReader(handle))


def save(file, rows):
    with file.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_people_see_the_better_half_of_the_matches_and_not_whose_they_are(folder):
    rows = read(folder / "matches.csv")
    # Four arguments, so two matches of each system: shares of the key point's words decide which.
    assert {(row["argument"], row["key_point"]) for row in rows} == {
        ("Phones distract pupils from learning", "Phones distract pupils"),
        ("Every phone distracts pupils in class", "Phones distract pupils"),
        ("Phones distract pupils from learning", "Phones ring"),
        ("Every phone distracts pupils in class", "Phones ring"),
    }
    assert all(row["label"] == "" for row in rows)
    assert "good" not in (folder / "matches.csv").read_text() + (folder / "sets.csv").read_text()
    known = json.loads((folder / "systems.json").read_text())
    assert sorted(map(len, known["matches"].values())) == [2, 2]
    (pair,) = read(folder / "sets.csv")
    assert {pair["left"], pair["right"]} == {"\n".join(GOOD), "\n".join(BAD)}


def test_several_people_s_labels_make_precision_and_preference(folder):
    rows = read(folder / "matches.csv")
    # Three people: all see a match with the good set's points, one of three with the bad one's, which is undecided.
    labelled = [
        {**row, "label": "1" if row["key_point"] in GOOD or person == 0 else "0"} for row in rows for person in range(3)
    ]
    save(folder / "matches.csv", labelled)
    (pair,) = read(folder / "sets.csv")
    side = "left" if pair["left"] == "\n".join(GOOD) else "right"
    save(folder / "sets.csv", [{**pair, "better": each} for each in (side, side, "equal")])
    good, bad = judged_rows(folder)
    assert (good["method"], good["strict"], good["relaxed"]) == ("good", 1.0, 1.0)
    assert (bad["method"], bad["strict"], bad["relaxed"]) == ("bad", 0.0, 1.0)
    assert (good["wins"], bad["wins"]) == pytest.approx((2.5 / 3, 0.5 / 3))
    assert good["strength"] == pytest.approx(0.75)  # (2.5 + .5) of 4 games, half a win and half a defeat added


def test_what_cannot_be_a_label_is_said_with_its_line(folder):
    rows = read(folder / "matches.csv")
    save(folder / "matches.csv", [{**rows[0], "label": "yes"}, *rows[1:]])
    with pytest.raises(RostrumError, match=r"matches.csv:2: label is 'yes'; write 1 for a match, 0 for none"):
        list(judged_rows(folder))
    (folder / "systems.json").unlink()
    with pytest.raises(RostrumError, match="not what --annotate wrote"):
        list(judged_rows(folder))


def test_labels_are_never_overwritten(folder):
    before = (folder / "matches.csv").read_text()
    with pytest.raises(RostrumError, match="matches.csv: is there already, perhaps with labels"):
        export(folder, [], TokenOverlap())
    assert (folder / "matches.csv").read_text() == before


def test_a_comparison_that_nobody_asked_about_is_said_with_its_line(folder):
    (pair,) = read(folder / "sets.csv")
    save(folder / "sets.csv", [{**pair, "comparison": "c9", "better": "left"}])
    with pytest.raises(RostrumError, match=r"sets.csv:3: systems.json knows no comparison 'c9'"):
        list(judged_rows(folder))


def test_strengths_are_those_under_which_what_happened_is_likeliest():
    # Three that beat one another in a circle equally often are equally strong.
    circle = np.array([[0.0, 2, 1], [1, 0, 2], [2, 1, 0]])
    assert strengths(circle) == pytest.approx([1 / 3] * 3)
    # Under the model, each one's expected wins are its wins (with the half wins that are added).
    wins = np.array([[0.0, 7, 4], [3, 0, 5], [1, 2, 0]])
    found = strengths(wins)
    added = wins + 0.5 * (1 - np.eye(3))
    expected = (added + added.T) * found[:, None] / (found[:, None] + found[None, :])
    assert expected.sum(axis=1) - np.diag(expected) == pytest.approx(added.sum(axis=1), abs=1e-6)

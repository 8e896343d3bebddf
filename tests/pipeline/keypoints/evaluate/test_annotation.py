"""What people are given to label, and what their labels say: counted by hand."""

import csv
import json

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.annotation import chosen_labels, export, judged_rows, strengths, write_labels
from pipeline.keypoints.evaluate.data import read_part
from pipeline.keypoints.evaluate.writing import Written
from pipeline.matching.matchers.words import TokenOverlap
from tests.pipeline.keypoints.evaluate.test_table import write

GOOD = ["Phones distract pupils", "A camera helps bullies"]
BAD = ["Phones ring"]
LIST_OF_GOOD = "Phones distract pupils (50%)\nA camera helps bullies (50%)"


@pytest.fixture
def folder(tmp_path):
    part = read_part(write(tmp_path / "data", "dev"), "dev")
    pro = next(group for group in part.groups if group.stance == "pro")
    files = export(tmp_path / "labels", [Written(pro, {"good": [GOOD], "bad": [BAD]})], TokenOverlap())
    assert [file.name for file in files] == ["matches.csv", "sets.csv", "choices.csv", "systems.json"]
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
    # Four arguments, so two matches of each system: shares of the key point's words decide which. Three arguments have
    # all words of the good set's, so that chance takes two; all four have half the words of the bad set's.
    assert {row["argument"] for row in rows if row["key_point"] == "Phones distract pupils"} <= {
        "Phones distract pupils from learning",
        "Every phone distracts pupils in class",
    }
    assert sum(row["key_point"] in GOOD for row in rows) == sum(row["key_point"] in BAD for row in rows) == 2
    assert all(row["label"] == "" for row in rows)
    assert "good" not in (folder / "matches.csv").read_text() + (folder / "sets.csv").read_text()
    known = json.loads((folder / "systems.json").read_text())
    assert sorted(map(len, known["matches"].values())) == [2, 2]
    (pair,) = read(folder / "sets.csv")
    # with the share of arguments that make each: two of four, and all
    assert {pair["left"], pair["right"]} == {LIST_OF_GOOD, "Phones ring (100%)"}


def halves(folder, **options):
    folder.mkdir()
    part = read_part(write(folder / "data", "dev"), "dev")
    pro = next(group for group in part.groups if group.stance == "pro")
    export(folder / "labels", [Written(pro, {"bad": [BAD]})], TokenOverlap(), **options)
    return {row["argument"] for row in read(folder / "labels" / "matches.csv")}


def test_chance_decides_between_equal_scores_with_a_seed_and_large_halves_are_sampled(tmp_path):
    drawn = [halves(tmp_path / f"{number}-{seed}", seed=seed) for number in range(2) for seed in range(6)]
    assert drawn[:6] == drawn[6:]
    assert len(set(map(frozenset, drawn))) > 1
    assert len(halves(tmp_path / "few", most=1)) == 1


def test_what_people_choose_of_the_whole_list_becomes_labels(folder, tmp_path):
    part = read_part(tmp_path / "data", "dev")
    written = [Written(group, {}) for group in part.groups if group.stance == "pro"]
    rows = read(folder / "choices.csv")
    assert rows[0]["key_points"] == "1. Phones distract pupils\n2. Phones help bullies"
    # three people on the first argument: the first point by all, the second by one; nobody sees any in the second
    chosen = ["1", "1, 2", "1"]
    people = [{**rows[0], "made": made} for made in chosen] + [{**rows[1], "made": "none"}] + rows[2:]
    save(folder / "choices.csv", people)
    first, second = (row["argument_id"] for row in rows[:2])
    assert chosen_labels(folder, written) == [(first, "k1_0", 1), (second, "k1_0", 0), (second, "k1_1", 0)]
    assert write_labels(folder, written) == [
        f"written: {folder / 'labels.csv'}, 3 labels by what people chose of whole lists"
    ]
    save(folder / "choices.csv", [{**rows[0], "made": "3"}])
    with pytest.raises(RostrumError, match="made is '3'; write numbers of the list from 1 to 2, or none"):
        chosen_labels(folder, written)


def test_several_people_s_labels_make_precision_and_preference(folder):
    rows = read(folder / "matches.csv")
    # Three people: all see a match with the good set's points, one of three with the bad one's, which is undecided.
    labelled = [
        {**row, "label": "1" if row["key_point"] in GOOD or person == 0 else "0"} for row in rows for person in range(3)
    ]
    save(folder / "matches.csv", labelled)
    (pair,) = read(folder / "sets.csv")
    side = "left" if pair["left"] == LIST_OF_GOOD else "right"
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

"""What is read from the data sets, and what of it is learned as what."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.matching.evaluate_pairs import UNDECIDED_VOTES, UNKNOWN, lessons, read_claim_stance, strays
from pipeline.matching.weights import AGAINST, FOR, NEITHER


def folders(folder: Path) -> Path:
    """One topic in each of the three data sets."""
    claims, perspectrum, argkp = (folder / name for name in ("ibm-claim-stance", "perspectrum", "kpa2021"))
    for each in (claims, perspectrum, argkp):
        each.mkdir()
    with (claims / "claim_stance_dataset.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["topicText", "split", "claims.claimCorrectedText", "claims.stance"])
        rows.writerows(
            [["Ban boxing", "train", "Boxing harms", "PRO"], ["Ban boxing", "train", "Boxing is art", "CON"]]
        )
        rows.writerow(["Ban chess", "test", "Chess is dull", "PRO"])
    pool = [
        {"pId": 1, "text": "It is the state's duty"},
        {"pId": 2, "text": "The state must"},
        {"pId": 3, "text": "No "},
    ]
    clusters = [
        {"pids": [1, 2], "stance_label_3": "SUPPORT"},
        {"pids": [3], "stance_label_3": "UNDERMINE"},
        {"pids": [3], "stance_label_3": "not-a-perspective"},
    ]
    claim = [{"cId": 7, "text": "Vaccinate", "perspectives": clusters}]
    for name, content in (
        ("perspective_pool", pool),
        ("dataset_split", {"7": "train"}),
        ("perspectrum_with_answers", claim),
    ):
        (perspectrum / f"{name}_v1.0.json").write_text(json.dumps(content), encoding="utf-8")
    for name, lines in {
        "arguments": "arg_id,argument,topic,stance\na,costs a lot,Ban it,1\nb,is fun,Ban it,-1\nc,who knows,Ban it,1\n",
        "key_points": "key_point_id,key_point,topic,stance\nk,Costs,Ban it,1\nl,Harms,Ban it,1\nm,Fun,Ban it,-1\n",
        "labels": "arg_id,key_point_id,label\na,k,1\nb,m,1\n",
    }.items():
        (argkp / f"{name}_train.csv").write_text(lines, encoding="utf-8")
    return folder


def test_what_people_said_is_learnt_and_nothing_else(tmp_path: Path):
    argkp, perspectrum, claims = lessons(folders(tmp_path), "train")
    # nobody was asked about c; a's other point was undecided; no argument makes a point of the other side
    assert argkp.same.tolist() == [[1, UNDECIDED_VOTES, 0], [UNKNOWN, UNKNOWN, 0], [0, 0, 1]]
    assert (argkp.sides.tolist(), argkp.point_sides.tolist()) == ([FOR, FOR, AGAINST], [FOR, FOR, AGAINST])
    assert (perspectrum.texts, perspectrum.points) == (("The state must",), ("It is the state's duty", "No"))
    assert (perspectrum.same.tolist(), perspectrum.point_sides.tolist()) == ([[1, 0]], [FOR, AGAINST])
    assert (claims.texts, claims.points) == (("Boxing harms", "Boxing is art"), ())
    assert claims.sides.tolist() == [FOR, AGAINST]


def test_a_table_without_its_columns_is_an_error_of_one_line(tmp_path: Path):
    (tmp_path / "claim_stance_dataset.csv").write_text("split,topicText\ntrain,T\n")
    with pytest.raises(RostrumError, match=r"claim_stance_dataset\.csv:1: no column 'claims\.claimCorrectedText'"):
        read_claim_stance(tmp_path, "train")


def test_the_test_part_is_not_read(tmp_path: Path):
    found = lessons(folders(tmp_path), "train")
    assert not any("chess" in each.topic.lower() for each in found)


def test_texts_of_other_topics_are_on_neither_side_and_make_no_point(tmp_path: Path):
    argkp, *others = lessons(folders(tmp_path), "train")
    found = strays(argkp, others, 1.0, np.random.default_rng(0))
    assert len(found.texts) == 6
    assert found.sides[3:].tolist() == [NEITHER] * 3
    assert not found.same[3:].any()

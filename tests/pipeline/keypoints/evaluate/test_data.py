"""The task's files: what is read, what is refused and in which words."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import (
    UNDECIDED,
    Statement,
    as_predictions,
    part_names,
    read_part,
    read_predictions,
    score_matrix,
    write_key_points,
    write_predictions,
)

ARGUMENTS = """arg_id,argument,topic,stance
a1,"Uniforms are cheap,  and plain.",Uniforms,1
a2,Uniforms stop bullying,Uniforms,1
a3,Uniforms kill joy,Uniforms,-1
"""
KEY_POINTS = """key_point_id,key_point,topic,stance
k1,Uniforms save money,Uniforms,1
k2,Uniforms reduce bullying,Uniforms,1
k3,Uniforms limit expression,Uniforms,-1
"""
LABELS = """arg_id,key_point_id,label
a1,k1,1
a1,k2,0
a2,k2,1
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("arguments", ARGUMENTS), ("key_points", KEY_POINTS), ("labels", LABELS)):
        (tmp_path / f"{name}_dev.csv").write_text(text, encoding="utf-8")
    return tmp_path


def refusal(folder):
    with pytest.raises(RostrumError) as error:
        read_part(folder, "dev")
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_part_is_groups_with_label_matrices(folder):
    assert part_names(folder) == ["dev"]
    pro, con = read_part(folder, "dev").groups
    assert (pro.topic, pro.stance, con.stance) == ("Uniforms", "pro", "con")
    assert pro.arguments[0].text == "Uniforms are cheap, and plain."
    assert pro.labels.tolist() == [[1, 0], [UNDECIDED, 1]]
    assert con.labels.tolist() == [[UNDECIDED]]


def test_files_without_a_part_s_name(folder):
    for path in folder.iterdir():
        path.rename(folder / path.name.replace("_dev", ""))
    assert part_names(folder) == [""]
    assert len(read_part(folder).arguments) == 3


def test_arguments_alone_are_enough_to_read(folder):
    (folder / "key_points_dev.csv").unlink()
    (folder / "labels_dev.csv").unlink()
    part = read_part(folder, "dev")
    assert part.groups[0].labels.shape == (2, 0)
    assert part.remarks == ()


def test_an_empty_folder(tmp_path):
    with pytest.raises(RostrumError, match="no arguments"):
        part_names(tmp_path)


def test_predictions_and_key_points_come_back_as_they_went(folder):
    part = read_part(folder, "dev")
    group = part.groups[0]
    scores = np.array([[0.25, 0.5], [1.5, -1.0]])
    write_predictions(
        folder / "out" / "predictions.p", as_predictions([group], SimpleNamespace(scores=lambda *_: scores))
    )
    assert json.loads((folder / "out" / "predictions.p").read_text())["a2"] == {"k1": 1.5, "k2": -1.0}
    assert score_matrix(group, read_predictions(folder / "out" / "predictions.p")).tolist() == scores.tolist()
    write_key_points(folder / "key_points_dev.csv", part.key_points)
    assert read_part(folder, "dev") == part


def test_a_pair_without_prediction_is_nan(folder):
    matrix = score_matrix(read_part(folder, "dev").groups[0], {"a1": {"k2": 1.0}})
    assert np.isnan(matrix).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize(
    ("label", "remark"),
    [
        ("a9,k1,1", "there is no argument a9"),
        ("a1,k9,1", "there is no key point k9"),
        ("a1,k3,1", "a1 and k3 are not of the same topic and stance"),
    ],
)
def test_a_label_for_an_unknown_pair_is_left_out_and_said(folder, label, remark):
    with (folder / "labels_dev.csv").open("a") as file:
        file.write(f"{label}\n")
    part = read_part(folder, "dev")
    assert len(part.labels) == 3
    assert part.remarks == (f"labels_dev.csv: 1 labels left out of 4, the first at line 5: {remark}",)


def test_labels_of_other_data(folder):
    (folder / "labels_dev.csv").write_text("arg_id,key_point_id,label\nx,y,1\n")
    assert "no label fits" in refusal(folder)


def test_a_side_without_key_points_is_said(folder):
    (folder / "key_points_dev.csv").write_text(KEY_POINTS.replace("k3,Uniforms limit expression,Uniforms,-1\n", ""))
    part = read_part(folder, "dev")
    assert part.remarks == ("'Uniforms', con: arguments, but no key points",)
    assert part.groups[1].labels.shape == (1, 0)


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("arguments", "a4,,Uniforms,1", "arguments_dev.csv:5: argument is empty"),
        ("arguments", "a1,again,Uniforms,1", "arguments_dev.csv:5: arg_id a1 is there a second time"),
        ("arguments", "a4,some text,Uniforms,", "arguments_dev.csv:5: stance is ''; it must be 1 (pro) or -1 (con)"),
        ("arguments", "a4,some text", "arguments_dev.csv:5: too few columns"),
        ("key_points", "k4,text,Uniforms,maybe", "key_points_dev.csv:5: stance is 'maybe'"),
        ("labels", "a1,k1,0", "labels_dev.csv:5: a1 with k1 is labelled both 1 and 0"),
        ("labels", "a1,k1,yes", "labels_dev.csv:5: label is 'yes'; it must be 1 or 0"),
    ],
)
def test_bad_lines_are_named(folder, name, line, said):
    with (folder / f"{name}_dev.csv").open("a") as file:
        file.write(f"{line}\n")
    assert said in refusal(folder)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"arg_id,argument,topic\n", "no column 'stance'"),
        (b"arg_id,argument,topic,stance\n", "nothing in it but the header"),
        (b"arg_id,argument,topic,stance\na,caf\xe9,t,1\n", "not UTF-8"),
        (b"", "no column 'arg_id'"),
    ],
)
def test_a_file_that_is_not_the_task_s(folder, content, said):
    (folder / "arguments_dev.csv").write_bytes(content)
    assert said in refusal(folder)


@pytest.mark.parametrize(
    ("content", "said"), [("[1]", "not predictions"), ("{", "not JSON"), ('{"a": {"k": "high"}}', "not a number")]
)
def test_bad_predictions(tmp_path, content, said):
    (tmp_path / "predictions.p").write_text(content)
    with pytest.raises(RostrumError, match=said):
        read_predictions(tmp_path / "predictions.p")


def test_a_byte_order_mark_is_no_part_of_the_header(folder):
    (folder / "arguments_dev.csv").write_bytes(b"\xef\xbb\xbf" + ARGUMENTS.encode())
    assert read_part(folder, "dev").arguments[0] == Statement("a1", "Uniforms are cheap, and plain.", "Uniforms", "pro")

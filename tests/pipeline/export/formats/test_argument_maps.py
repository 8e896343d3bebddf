"""xAIF, read by its own library and by the rules of AIF; Argdown."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.export.argument_graph import ArgumentGraph, Point, Said, argument_graph
from pipeline.export.formats import export
from pipeline.export.formats.argument_maps import argdown
from pipeline.keypoints import KeyPoints
from pipeline.run.finished import FinishedRun
from tests.synthetic_run import debate, panel, write_run

# Which kinds of node a scheme may link: the rules of the Argument Interchange Format.
LINKED = {"YA": ("L", "I"), "TA": ("L", "L"), "RA": ("I", "I"), "CA": ("I", "I"), "MA": ("I", "I")}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return FinishedRun(write_run(tmp_path_factory.mktemp("run"), debate(seconds=9.0)))


@pytest.fixture(scope="module")
def phones(run: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    files = export(run, "xaif", tmp_path_factory.mktemp("xaif"))
    assert sorted(file.name for file in files) == ["buses.xaif.json", "phones.xaif.json"]
    return json.loads(next(file for file in files if file.name.startswith("phones")).read_text("utf-8"))


def relations(content: dict[str, Any]) -> set[tuple[str, str, str]]:
    """(text, scheme, text) of every scheme node."""
    nodes = {node["nodeID"]: node for node in content["AIF"]["nodes"]}
    edges = content["AIF"]["edges"]
    into = {edge["toID"]: edge["fromID"] for edge in edges if nodes[edge["toID"]]["type"] in LINKED}
    out = {edge["fromID"]: edge["toID"] for edge in edges if nodes[edge["fromID"]]["type"] in LINKED}
    return {(nodes[into[id]]["text"], nodes[id]["type"], nodes[out[id]]["text"]) for id in into}


def test_it_follows_the_rules_of_aif(phones: dict[str, Any]) -> None:
    aif = phones["AIF"]
    assert phones.keys() == {"AIF", "text", "dialog", "OVA"}
    assert aif.keys() == {
        *("nodes", "edges", "schemefulfillments", "descriptorfulfillments", "participants", "locutions")
    }
    kinds = {node["nodeID"]: node["type"] for node in aif["nodes"]}
    assert len(kinds) == len(aif["nodes"])
    assert len({edge["edgeID"] for edge in aif["edges"]}) == len(aif["edges"])
    for id, kind in kinds.items():
        if kind in LINKED:
            source = [kinds[edge["fromID"]] for edge in aif["edges"] if edge["toID"] == id]
            target = [kinds[edge["toID"]] for edge in aif["edges"] if edge["fromID"] == id]
            assert (source, target) == ([LINKED[kind][0]], [LINKED[kind][1]])
    people = {person["participantID"] for person in aif["participants"]}
    assert {locution["nodeID"] for locution in aif["locutions"]} == {id for id, kind in kinds.items() if kind == "L"}
    assert {locution["personID"] for locution in aif["locutions"]} <= people


def test_key_points_support_and_attack(run: FinishedRun, phones: dict[str, Any]) -> None:
    record = run.of_motion(KeyPoints, "phones")
    assert record
    pro, con = record.points
    found, motion = relations(phones), "We should ban phones in schools."
    assert {(pro.text, "RA", motion), (con.text, "CA", motion)} <= found
    assert (con.text, "CA", pro.text) in found, "a sentence that answers pro makes con"
    assert {(match.said.text, "MA", pro.text) for match in pro.matches} <= found
    assert {(match.said.text, "CA", pro.text) for match in pro.answers} <= found
    titles = {each.title for each in debate().arguments if each.motion == "phones"}
    assert {text for _, kind, text in found if kind == "MA"} & titles


def test_a_key_point_with_the_words_of_an_argument_is_that_argument(tmp_path: Path) -> None:
    run = FinishedRun(write_run(tmp_path / "a", debate(seconds=9.0)))
    record = run.of_motion(KeyPoints, "phones")
    assert record
    made = debate(seconds=9.0)
    same = made.arguments[0].model_copy(update={"title": record.points[0].text.upper().rstrip(".")})
    made.arguments = (same, *made.arguments[1:])
    graph = argument_graph(FinishedRun(write_run(tmp_path / "b", made)), made.motions[0])
    assert [point.id for point in graph.points.values() if point.stance == "pro"] == ["argument focus"]
    said = {source.text for source in graph.to(graph.points["argument focus"], "rephrase") if isinstance(source, Said)}
    assert {match.said.text for match in record.points[0].matches} <= said


def test_locutions_have_times(run: FinishedRun, phones: dict[str, Any]) -> None:
    record = run.of_motion(KeyPoints, "phones")
    assert record
    expected = {
        (match.speech, round(match.said.start, 3), round(match.said.end, 3)) for match in record.points[0].matches
    }
    assert expected <= {(each["source"], each["start"], each["end"]) for each in phones["AIF"]["locutions"]}


def test_xaif_reads_it(phones: dict[str, Any]) -> None:
    xaif = pytest.importorskip("xaif")
    document = xaif.AIF(phones)
    assert document.is_valid_json_aif()
    assert document.is_json_aif_dialog()
    table = document.get_csv("argument-relation")
    read = {(row.proposition1_text, row.relation, row.proposition2_text) for row in table.itertuples()}
    named = {"RA": "Default Inference", "CA": "Default Conflict", "MA": "Default Rephrase"}
    ours = relations(phones)
    assert {(one, named[kind], other) for one, kind, other in ours if kind in named} <= read
    said = {each["source"]: each["nodeID"] for each in phones["AIF"]["locutions"]}
    assert document.get_speaker(said["phones/pro_anna"])[0].strip() == "Anna"


def test_a_recording_of_several_people(tmp_path: Path) -> None:
    run = FinishedRun(write_run(tmp_path / "run", panel()))
    (file,) = export(run, "xaif", tmp_path / "out")
    content = json.loads(file.read_text("utf-8"))
    assert {each["source"] for each in content["AIF"]["locutions"]} == {each.id for each in run.recordings}
    assert "Default Transition" in {node["text"] for node in content["AIF"]["nodes"]}


def test_argdown(run: FinishedRun, tmp_path: Path) -> None:
    record = run.of_motion(KeyPoints, "phones")
    assert record
    files = export(run, "argdown", tmp_path)
    lines = next(file for file in files if file.stem == "phones").read_text("utf-8").splitlines()
    assert lines[:2] == ["[motion]: We should ban phones in schools.", "  + [key point pro-1]"]
    assert "  - [key point con-1]" in lines
    assert f"[key point pro-1]: {record.points[0].text}" in lines
    assert any(line.startswith("  + <Anna, phones/pro anna 0:") for line in lines)


def test_argdown_takes_no_sign_of_a_text_for_its_own() -> None:
    """Its parser (@argdown/core) reads this text as one statement."""
    graph = ArgumentGraph(
        Point("m", "We [should] // ban =====\n <zoos> {a: 1} #now @you *all* _this_ /* so.", "motion", None)
    )
    assert argdown(graph) == "[motion]: We (should) / / ban = == == ‹zoos› (a: 1) ＃now ＠you all this / so.\n"

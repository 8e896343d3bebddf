"""An argument map is exported, corrected by other programs' means, and taken over into the corpus."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli.show import correct
from pipeline.corpus import open_corpus
from pipeline.corpus.manifest import add_rows
from pipeline.errors import RostrumError
from pipeline.export.argument_graph import ArgumentGraph, Point, Said
from pipeline.export.formats import export
from pipeline.export.formats.argument_maps import aif, xaif
from pipeline.formats import read_argument_map
from pipeline.run.finished import FinishedRun
from pipeline.run.index import save
from pipeline.run.store import Store
from tests.synthetic_run import debate, write_run

Map = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A run whose corpus has manifests."""
    corpus, made = tmp_path / "corpus", debate(seconds=9.0)
    corpus.mkdir()
    rows = "".join(f"{each.id},{each.id}.txt,{each.motion},{each.stance or ''}\n" for each in made.speeches)
    for each in made.speeches:
        (corpus / each.id).parent.mkdir(exist_ok=True)
        (corpus / f"{each.id}.txt").write_text("We should.\n")
    (corpus / "speeches.csv").write_text("id,reference,motion,stance\n" + rows)
    (corpus / "motions.csv").write_text("id,text\n" + "".join(f"{each.id},{each.text}\n" for each in made.motions))
    arguments = "".join(
        f"{each.id},{each.motion},{each.stance},{each.title},{each.counter or ''}\n" for each in made.arguments
    )
    (corpus / "arguments.csv").write_text("id,motion,stance,title,counter\n" + arguments.rstrip("\n"))
    store = write_run(tmp_path / "run", made)
    save(FinishedRun(store).summary.model_copy(update={"corpus": str(corpus)}), store)
    return store


def exported(store: Store, folder: Path, name: str = "xaif") -> tuple[Path, Map]:
    path = next(path for path in export(FinishedRun(store), name, folder) if path.name.startswith("phones"))
    return path, json.loads(path.read_text("utf-8"))


def called(store: Store, path: Path) -> str:
    result = CliRunner().invoke(correct, [store.root, str(path)])
    assert result.exit_code == 0, result.exception
    return result.output


def node(content: Map, text: str) -> Any:
    return next(each["nodeID"] for each in content["nodes"] if each["text"] == text and each["type"] == "I")


def unlink(content: Map, kind: str, target: Any) -> None:
    """Remove the schemes of a kind that lead to a proposition, as somebody does who clicks them away."""
    schemes = {each["nodeID"] for each in content["nodes"] if each["type"] == kind}
    gone = {each["fromID"] for each in content["edges"] if each["toID"] == target} & schemes
    content["edges"] = [each for each in content["edges"] if not gone & {each["fromID"], each["toID"]}]
    content["nodes"] = [each for each in content["nodes"] if each["nodeID"] not in gone]


@pytest.mark.parametrize("name", ["xaif", "aif"])
def test_a_removed_mention_and_a_new_argument(store: Store, tmp_path: Path, name: str) -> None:
    library = pytest.importorskip("xaif")
    path, content = exported(store, tmp_path / "maps", name)
    document = library.AIF(content if name == "xaif" else {"AIF": content})
    focus, motion = node(document.aif, "Phones distract."), node(document.aif, debate().motions[0].text)
    unlink(document.aif, "MA", focus)
    said = next(each for each in document.aif["locutions"] if each["source"] == "phones/con_dan")
    new = document.get_next_max_id("nodes", "nodeID")
    document.aif["nodes"].append({"nodeID": new, "text": "Phones save lives.", "type": "I"})
    document.add_component("argument_relation", relation_type="CA", iNode_ID1=new, iNode_ID2=motion)
    ya = {each["nodeID"] for each in document.aif["nodes"] if each["type"] == "YA"}
    asserting = {each["toID"] for each in document.aif["edges"] if each["fromID"] == said["nodeID"]} & ya
    proposition = next(each["toID"] for each in document.aif["edges"] if each["fromID"] in asserting)
    document.add_component("argument_relation", relation_type="MA", iNode_ID1=proposition, iNode_ID2=new)
    path.write_text(json.dumps(document.xaif))
    output = called(store, path)
    corpus = open_corpus(Path(FinishedRun(store).summary.corpus))
    assert not corpus.problems
    argument = next(each for each in corpus.arguments if each.title == "Phones save lives.")
    assert (argument.id, argument.motion, argument.stance) == ("phones-save-lives", "phones", "con")
    labels = {(label.speech, label.argument): label.mentioned for label in corpus.labels}
    assert labels["phones/con_dan", "phones-save-lives"] is True
    assert labels["phones/pro_anna", "focus"] is False
    assert labels["phones/con_carla", "control"] is True
    assert "arguments.csv" in output
    before = {file: file.read_bytes() for file in corpus.folder.iterdir() if file.is_file()}
    assert "0 new rows" in called(store, path), "the second time there is nothing new"
    assert {file: file.read_bytes() for file in corpus.folder.iterdir() if file.is_file()} == before


def test_a_map_without_what_only_rostrum_writes(store: Store, tmp_path: Path) -> None:
    """Ids as texts, no times, no ids of points, names in two parts, as OVA leaves them."""
    path, content = exported(store, tmp_path / "maps")
    content["AIF"]["nodes"] = [{**each, "nodeID": f"{each['nodeID']}_1"} for each in content["AIF"]["nodes"]]
    for each in content["AIF"]["nodes"]:
        each.pop("pointID", None)
    for each in content["AIF"]["edges"]:
        each |= {"fromID": f"{each['fromID']}_1", "toID": f"{each['toID']}_1"}
    content["AIF"]["locutions"] = [
        {"nodeID": f"{each['nodeID']}_1", "personID": each["personID"]} for each in content["AIF"]["locutions"]
    ]
    path.write_text(json.dumps(content))
    called(store, path)
    corpus = open_corpus(Path(FinishedRun(store).summary.corpus))
    assert not corpus.problems
    assert {(each.speech, each.argument) for each in corpus.labels if each.argument in ("focus", "control")} == {
        ("phones/pro_anna", "focus"),
        ("phones/pro_ben", "focus"),
        ("phones/con_carla", "control"),
        ("phones/con_dan", "control"),
    }


def test_what_contradicts_the_manifests_is_said_and_left(store: Store, tmp_path: Path) -> None:
    path, content = exported(store, tmp_path / "maps")
    corpus = Path(FinishedRun(store).summary.corpus)
    (corpus / "labels.csv").write_text("speech,argument,mentioned\nphones/pro_anna,focus,0\n")
    next(each for each in content["AIF"]["nodes"] if each["text"] == "Phones distract.")["text"] = "They distract."
    path.write_text(json.dumps(content))
    output = called(store, path)
    assert "labels.csv says otherwise of phones/pro_anna and focus" in output
    assert "another title of focus; to change it, write there: They distract." in output
    assert (corpus / "labels.csv").read_text().startswith("speech,argument,mentioned\nphones/pro_anna,focus,0\n")


def test_a_locution_of_no_recording_is_said_and_left(store: Store, tmp_path: Path) -> None:
    path, content = exported(store, tmp_path / "maps")
    content["AIF"]["locutions"] = [
        {"nodeID": each["nodeID"], "source": "elsewhere", "start": 0.0} for each in content["AIF"]["locutions"]
    ]
    path.write_text(json.dumps(content))
    assert "not found in a recording of the run; left out" in called(store, path)


# The library xaif writes None for the missing part of a name.
_texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9).filter(
    lambda text: text != "None"
)
_said = st.builds(Said, _texts, st.integers(0, 99), st.integers(99, 200), _texts, _texts, _texts)


@given(st.lists(st.tuples(_said, st.sampled_from(["support", "attack", "rephrase"]), st.integers(0, 3)), max_size=9))
def test_any_map_there_and_back(tmp_path_factory: pytest.TempPathFactory, links: list[tuple[Said, Any, int]]) -> None:
    graph = ArgumentGraph(Point("m", "We should.", "motion", None))
    points = [Point(f"key point {n}", f"text {n}", "key point", "pro" if n % 2 else "con") for n in range(4)]
    for point in points:
        graph.add(point)
    for said, relation, n in links:
        graph.link(said, relation, points[n])
    for content in (xaif(graph), aif(graph)):
        path = tmp_path_factory.mktemp("map") / "map.json"
        path.write_text(content, encoding="utf-8")
        read = read_argument_map(path)
        text = read.propositions
        assert sorted((text[a], kind, text[b]) for a, kind, b in read.links) == sorted(
            (link.source.text, link.relation, link.target.text) for link in graph.links
        )
        assert sorted(
            (each.text, each.speaker, each.recording, each.start) for own in read.said.values() for each in own
        ) == sorted((each.text, each.speaker, each.recording, float(each.start)) for each in graph.said)
        assert set(read.points.values()) == {"m", *(point.id for point in points)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "no argument map"),
        ('{"AIF": {"nodes": [{"nodeID": 1}], "edges": []}}', r"nodes\.0\.type: field required"),
        ('{"nodes": [], "edges": []}', "none of its propositions is a motion of the run"),
    ],
)
def test_errors(store: Store, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    result = CliRunner().invoke(correct, [store.root, str(path)])
    assert isinstance(result.exception, RostrumError)
    with pytest.raises(RostrumError, match=message):
        raise result.exception


def test_rows_are_added_as_the_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes("# mine\r\nargument,speech,mentioned\r\na,s,1".encode("utf-16"))
    add_rows(tmp_path, "labels.csv", [{"speech": "t", "argument": "a", "mentioned": 0, "how": None}])
    assert path.read_text("utf-16").split() == ["#", "mine", "argument,speech,mentioned", "a,s,1", "a,t,0"]
    with pytest.raises(RostrumError, match="has no column 'how'"):
        add_rows(tmp_path, "labels.csv", [{"speech": "t", "argument": "a", "mentioned": 0, "how": "explicit"}])

"""Forms without a server, Label Studio, and CSV files of crowd platforms."""

import csv
import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from pipeline.errors import RostrumError
from pipeline.studies.exchange import add_answers, write_csv, write_label_studio
from pipeline.studies.pages import write_static_forms
from pipeline.studies.study import StudyFolder, all_given
from tests.pipeline.studies.conftest import Make

REASON = "It names a study that anybody can check."


@pytest.fixture
def pairs(make: Make, arguments: Path) -> StudyFolder:
    return make("pairs", arguments, workers=3, consent=False)


def test_results_of_a_platform_become_answers_once(pairs: StudyFolder, tmp_path: Path) -> None:
    """People of the platform become workers of the study, the same ones in a second file."""
    first, second = (item.id for item in pairs.study.items[:2])

    def results(name: str, *rows: tuple[str, str, str]) -> Path:
        with (tmp_path / name).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(
                ["WorkerId", "Input.item", "WorkTimeInSeconds", "Answer.vote", "Answer.reason", "Answer.stance"]
            )
            writer.writerows((who, item, 40, vote, REASON, "none") for who, item, vote in rows)
        return tmp_path / name

    batch = results("one.csv", ("A7", first, "a1"), ("B9", first, "equal"), ("A7", second, "a2"))
    assert add_answers(pairs, batch) == 3
    assert add_answers(pairs, batch) == 0, "the same file again adds nothing"
    assert add_answers(pairs, results("two.csv", ("B9", second, "a2"))) == 1
    given = list(all_given(pairs))
    assert {(each.worker, each.item): each.answers["vote"] for each in given} == {
        ("w1", first): "a1",
        ("w1", second): "a2",
        ("w2", first): "equal",
        ("w2", second): "a2",
    }
    assert {each.seconds for each in given} == {40.0}


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (("A", "i0001", "a1", "short", "none"), "30 characters"),
        (("A", "i9999", "a1", REASON, "none"), "no item"),
        (("A", "i0001", "a9", REASON, "none"), "Choose one"),
    ],
)
def test_a_file_with_a_mistake_adds_nothing(
    pairs: StudyFolder, tmp_path: Path, row: tuple[str, ...], error: str
) -> None:
    path = tmp_path / "results.csv"
    with path.open("w", newline="") as file:
        good = ("A", "i0002", "a1", REASON, "none")
        header = ("worker", "item", "answer.vote", "answer.reason", "answer.stance")
        csv.writer(file).writerows([header, good, row])
    with pytest.raises(RostrumError, match=error):
        add_answers(pairs, path)
    assert list(all_given(pairs)) == []


def test_the_csv_has_every_part_of_an_item(pairs: StudyFolder, tmp_path: Path) -> None:
    write_csv(pairs, tmp_path / "items.csv")
    with (tmp_path / "items.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == [item.id for item in pairs.study.items]
    assert rows[0]["vote.options"].splitlines()[-1] == "equal: Equally convincing"
    texts = {part.text for part in pairs.study.items[0].shown}
    assert {rows[0]["shown1"].split("\n", 1)[1], rows[0]["shown2"].split("\n", 1)[1]} == texts
    with pytest.raises(FileExistsError):
        write_csv(pairs, tmp_path / "items.csv")


def test_label_studio_there_and_back(make: Make, tmp_path: Path) -> None:
    """Tasks and the interface name the same fields; an export with annotations becomes answers."""
    folder = make("listening", workers=3, options={"medium": "text"}, consent=False)
    files = write_label_studio(folder, tmp_path / "out")
    interfaces = {path.stem.removeprefix("interface"): path for path in files if path.suffix == ".xml"}
    exported = []
    for suffix, path in interfaces.items():
        interface = fromstring(path.read_text())
        tasks = json.loads((tmp_path / "out" / f"tasks{suffix}.json").read_text())
        fields = {each.attrib["value"][1:] for each in interface.iter() if each.attrib.get("value", "").startswith("$")}
        assert fields <= tasks[0]["data"].keys()
        names = [each.attrib["name"] for each in interface.iter("Choices")]
        result = [{"from_name": name, "type": "choices", "value": {"choices": ["implicit"]}} for name in names]
        for task in tasks:
            annotations = [{"completed_by": {"email": "a@b.example", "id": 4}, "lead_time": 50.5, "result": result}]
            exported.append({**task, "annotations": annotations})
    path = tmp_path / "export.json"
    path.write_text(json.dumps(exported))
    assert add_answers(folder, path) == len(folder.study.items)
    for given in all_given(folder):
        heard = given.answers["heard"]
        assert isinstance(heard, dict)
        assert set(heard.values()) == {"implicit"}
        assert heard.keys() == folder.study.by_id[given.item].about.keys()
        assert (given.worker, given.seconds) == ("w1", 50.5)


def test_a_page_without_a_server_has_its_sheet_and_nothing_else(make: Make, tmp_path: Path) -> None:
    folder = make("counter", options={"medium": "text"}, workers=3, tests=1, training=1, consent=False)
    pages = list(write_static_forms(folder, tmp_path / "forms"))
    assert [page.name for page in pages] == ["w1.html", "w2.html", "w3.html"]
    text = pages[0].read_text()
    assert "http" not in text.split('id="data"')[1].split("</script>")[0]
    sheet = json.loads(text.split('id="data">')[1].split("</script>")[0])["sheet"]
    assert [item["id"] for item in sheet["items"]] == list(folder.study.sheet_of["w1"].items)
    assert ["known" in item for item in sheet["items"]] == [True, *[False] * (len(sheet["items"]) - 1)]
    with pytest.raises(RostrumError, match="not an empty folder"):
        list(write_static_forms(folder, tmp_path / "forms"))

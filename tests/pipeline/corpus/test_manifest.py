import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus.manifest import MANIFESTS, Manifest, Problem, read_manifest
from pipeline.errors import RostrumError

MOTIONS = 'id,text\n1,We should ban cars\n2,"We should, at last, ban\nbicycles"\n'


def read(tmp_path: Path, content: str | bytes, name: str = "motions.csv") -> Manifest:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    manifest = read_manifest(tmp_path, name)
    assert manifest is not None
    return manifest


@pytest.mark.parametrize(
    "content",
    [
        MOTIONS.encode(),
        codecs.BOM_UTF8 + MOTIONS.encode(),
        MOTIONS.encode("utf-16"),
        MOTIONS.replace("\n1", "\r\n1").replace("\n2", "\r\n2").encode(),
        MOTIONS.replace("\n1,", "\n\n1,").encode(),
        MOTIONS.replace("1,We", " 1 , We").encode(),
        codecs.BOM_UTF8 + f'# What is debated\n#\n# id: "mine", or\n\n{MOTIONS}# the end'.encode(),
        MOTIONS.replace("\n1,", '\n"# a spreadsheet\nquotes, and fills up",\n# ,\n1,').encode(),
    ],
    ids=["plain", "byte order mark", "UTF-16", "CRLF", "empty line", "spaces", "comments", "comments of a spreadsheet"],
)
def test_one_content_in_many_forms(tmp_path: Path, content: bytes) -> None:
    manifest = read(tmp_path, content)
    assert not manifest.problems
    assert [row for _, row in manifest.rows] == [
        {"id": "1", "text": "We should ban cars"},
        {"id": "2", "text": "We should, at last, ban\nbicycles"},
    ]


def test_no_manifest(tmp_path: Path) -> None:
    assert read_manifest(tmp_path, "motions.csv") is None


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    manifest = read(tmp_path, 'id,text\n1,"two\nlines"\n2,\n')
    assert [line for line, _ in manifest.rows] == [2]
    assert manifest.problems == [Problem("motions.csv", "must not be empty", 4, "text")]


def test_comments_are_counted_as_lines_and_only_between_rows(tmp_path: Path) -> None:
    manifest = read(tmp_path, '# one\n# two, "half a quote\nid,text\n# four\n#1,"two\n# lines"\n2,\n')
    assert manifest.rows == ((5, {"id": "#1", "text": "two\n# lines"}),)
    assert manifest.problems == [Problem("motions.csv", "must not be empty", 7, "text")]


def test_a_wrong_header_below_comments_is_named_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match=r"motions\.csv:3: unknown column 'txt'"):
        read(tmp_path, "# one\n\nid,txt\n")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1", "labels.csv:2: 1 cells where the header has 6"),
        ("s,a,1,,,,,", "labels.csv:2: 8 cells where the header has 6"),
        ("s,a,yes,,,", "labels.csv:2:mentioned: must be 0 or 1, not 'yes'"),
        ("s,,1,,,", "labels.csv:2:argument: must not be empty"),
        ("s,a,1,perhaps,,", "labels.csv:2:how: must be explicit or implicit, not 'perhaps'"),
        ("s,a,1,,-1,", "labels.csv:2:votes_yes: must be a whole number, not '-1'"),
        (f"s,a,1,,,{'9' * 9999}", "labels.csv:2:votes_no: must be a whole number, not '999"),
    ],
)
def test_a_wrong_row_is_said_with_its_place_and_the_others_stay(tmp_path: Path, row: str, message: str) -> None:
    header = ",".join(column.name for column in MANIFESTS["labels.csv"])
    manifest = read(tmp_path, f"{header}\n{row}\ns,a,1,,3,4\n", "labels.csv")
    assert [line for line, _ in manifest.rows] == [3]
    (problem,) = manifest.problems
    assert str(problem).startswith(message)
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no column 'id'; the first line names the columns"),
        ("id\n1\n", "no column 'text'"),
        ("id,txt\n1,x\n", r"unknown column 'txt'; did you mean text\?"),
        ("id,text,zzz\n", "unknown column 'zzz'; the columns are id, text"),
        ("id,text,text\n", "a column occurs twice"),
        ("1,We should ban cars\n", "unknown column '1'"),
        ('id,text\n1,"never closed\n', "motions.csv:2: not valid CSV"),
        ('id,text\n1,"closed" early"\n', "motions.csv:2: not valid CSV"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(RostrumError, match=message) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_a_wrong_encoding_is_said_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match=r"motions\.csv:2: not UTF-8 text; save it as UTF-8"):
        read(tmp_path, "id,text\n1,Größe\n".encode("latin-1"))


def test_a_folder_in_place_of_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "motions.csv").mkdir()
    with pytest.raises(RostrumError, match="cannot be read: Is a directory"):
        read_manifest(tmp_path, "motions.csv")


@given(st.binary(max_size=200), st.sampled_from(sorted(MANIFESTS)))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    folder.mkdir(exist_ok=True)
    header = ",".join(column.name for column in MANIFESTS[name]).encode() + b"\n"
    for each in (content, header + content):
        try:
            manifest = read(folder, each, name)
        except RostrumError:
            continue
        finally:
            (folder / name).unlink()
        for problem in manifest.problems:
            assert "\n" not in str(problem)

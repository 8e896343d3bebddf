"""A family's members are what is in its folder."""

import sys
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.family import Family
from tests.members import add_member


@pytest.fixture
def animals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Family:
    folder = tmp_path / "animals"
    for file, text in {
        "__init__.py": '"""Animals."""\n',
        "grey_cat.py": '"""Purrs.\n\nMore of it."""\nSOUND = "purr"\n',
        "dog.py": '"""Barks."""\nraise ImportError("nobody may import it to list it")\n',
        "_helper.py": '"""No animal."""\n',
        "zoo/__init__.py": '"""A package of its own."""\n',
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield Family("animals", "animal")
    for name in [each for each in sys.modules if each.partition(".")[0] == "animals"]:
        del sys.modules[name]


def test_members_are_the_files_of_the_folder_and_none_is_imported(animals: Family) -> None:
    assert animals.names() == ["dog", "grey-cat", "zoo"]
    assert animals.summaries() == {"dog": "Barks.", "grey-cat": "Purrs.", "zoo": "A package of its own."}
    assert "animals.dog" not in sys.modules


def test_a_file_may_hold_several_members(animals: Family, tmp_path: Path) -> None:
    source = '"""Birds."""\nMEMBERS = {"owl": "Hoots.", "great-tit": "Sings."}\nSOUNDS = {"owl": "hoot"}\n'
    (tmp_path / "animals" / "birds.py").write_text(source)
    assert animals.names() == ["dog", "great-tit", "grey-cat", "owl", "zoo"]
    assert animals.summaries()["great-tit"] == "Sings."
    assert animals.load("owl").SOUNDS["owl"] == "hoot"
    assert "animals.dog" not in sys.modules


def test_only_files_with_a_prefix(animals: Family) -> None:
    assert Family("animals", "cat", prefix="grey_").names() == ["cat"]
    assert Family("animals", "cat", prefix="grey_").load("cat").SOUND == "purr"


def test_a_member_is_imported_by_name(animals: Family) -> None:
    assert animals.load("grey-cat").SOUND == "purr"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("grey-cats", "there is no animal 'grey-cats'; did you mean grey-cat?"),
        ("whale", "there is no animal 'whale'; there are dog, grey-cat, zoo"),
        ("_helper", "there is no animal '_helper'; there are dog, grey-cat, zoo"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(animals: Family, asked: str, message: str) -> None:
    with pytest.raises(RostrumError) as error:
        animals.load(asked)
    assert str(error.value) == message


def test_a_file_that_is_added_is_a_member(animals: Family, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    add_member(monkeypatch, tmp_path / "more", "animals", "owl.py", '"""Hoots."""\nSOUND = "hoot"\n')
    assert animals.summaries()["owl"] == "Hoots."
    assert animals.load("owl").SOUND == "hoot"

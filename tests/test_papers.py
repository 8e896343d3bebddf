"""docs/papers.md: its commands parse, every method of an evaluation is in its table, and no table names another."""

import ast
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import click
import pytest

import flows.cli  # noqa: F401  (the commands that need Prefect are added to the library's)
from pipeline.cli import main_group
from pipeline.content import evaluate_content as content
from pipeline.convincing.evaluate.methods import METHODS as CONVINCING_METHODS
from pipeline.counter.evaluate.methods import all_methods
from pipeline.counter.evaluate.rows import RANKERS
from pipeline.keypoints.evaluate.writing import GENERATORS
from pipeline.matching.matcher import kinds
from pipeline.mentions import evaluate_listening
from tests.pipeline.content import test_evaluate_content as responses
from tests.pipeline.mentions.counting import CountingEncoder
from tests.pipeline.mentions.test_evaluate_listening import release

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "papers.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## [^\n]*`(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M))
COMMANDS = [
    line
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.S)
    for line in block.replace("\\\n", " ").splitlines()
    if line.strip()
]
# The page that has a section's figures in full, where it has another name.
OWN_PAGE = {"listening": "mentions"}
# What an evaluation finds in its folders, so that a table that lacks one is seen.
FOUND = {
    "counter": lambda: [each.name for each in all_methods()] + list(RANKERS),
    "keypoints": lambda: list(kinds()) + list(GENERATORS),
    "convincing": lambda: [method.name for method in CONVINCING_METHODS],
}


def named(section: str) -> list[str]:
    """The methods in the first column of the section's tables that begin with `method`."""
    tables = re.findall(r"^\| method \|.*\n\|[-| :]+\|\n((?:\|.*\n)+)", section, re.M)
    return [
        name for table in tables for row in table.splitlines() for name in re.findall("`([^`]+)`", row.split("|")[1])
    ]


def figures(text: str) -> set[str]:
    """Every number with a decimal point, without the 0 before it."""
    return {figure.lstrip("0") for figure in re.findall(r"(?<![\w.])\d*\.\d+(?!\w|\.\d)", text)}


def texts_in(folders: Iterable[Path]) -> set[str]:
    """Every string in the code of some folders, and every constant part of a formatted one."""
    trees = (ast.parse(file.read_text("utf-8")) for folder in folders for file in folder.rglob("*.py"))
    return {
        node.value.strip()
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_parses(command: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(command)
    assert program == "rostrum"
    call: click.Command = main_group
    context = click.Context(call)
    while isinstance(call, click.Group):
        name, *arguments = arguments
        found = call.get_command(context, name)
        assert found is not None, f"there is no {name}"
        call, context = found, click.Context(found, parent=context, info_name=name)
    call.make_context(call.name, [_existing(word, tmp_path) for word in arguments], parent=context.parent)


def _existing(word: str, folder: Path) -> str:
    """A word of a command; where it is a path, one that exists."""
    if word in ("audio_samples", "DIR", "FOLDER") or word.startswith("../"):
        (folder / word.strip("./")).mkdir(parents=True, exist_ok=True)
        return str(folder / word.strip("./"))
    if word == "FILE":
        (folder / "file").touch()
        return str(folder / "file")
    return word


def test_there_is_a_section_for_every_paper() -> None:
    assert list(SECTIONS) == ["counter", "keypoints", "convincing", "listening", "content"]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_the_command_that_prints_its_table(name: str) -> None:
    assert f"rostrum evaluate {name} --data" in SECTIONS[name]


@pytest.mark.parametrize("name", FOUND)
def test_every_method_is_in_its_table(name: str) -> None:
    assert sorted(set(FOUND[name]()) - set(named(SECTIONS[name]))) == []


def test_every_method_of_the_listening_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_listening, "load_encoder", lambda name: CountingEncoder())
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("costs 1 0\nharms 0 1\n")
    found = evaluate_listening.evaluate(
        release(tmp_path / "data", range(8, 18)), encoders=("counting",), vectors=str(vectors)
    )
    assert {str(row["method"]) for row in found.rows} - {"counting"} - set(named(SECTIONS["listening"])) == set()


def test_every_method_of_the_content_table_is_named(tmp_path: Path) -> None:
    found = content.evaluate(responses.write(tmp_path, delivery_rate=["1", "2", "4"]), options=responses.OPTIONS)
    alone = {
        str(row["method"]) for row in found.rows if not re.search("and (length|delivery)|, delivery", row["method"])
    }
    assert alone - set(named(SECTIONS["content"])) == set()


@pytest.mark.parametrize("name", SECTIONS)
def test_every_figure_of_a_table_stands_in_the_evaluation_s_own_page_too(name: str) -> None:
    own = figures((ROOT / "docs" / f"{OWN_PAGE.get(name, name)}.md").read_text("utf-8"))
    tables = "\n".join(line for line in SECTIONS[name].splitlines() if line.startswith("|"))
    assert sorted(figures(tables) - own) == []


@pytest.mark.parametrize("name", SECTIONS)
def test_a_table_names_no_method_that_there_is_not(name: str) -> None:
    known = texts_in([ROOT / "pipeline"])
    known |= set(FOUND[name]()) if name in FOUND else set()
    assert [each for each in named(SECTIONS[name]) if each not in known] == []


def test_the_page_is_named_where_the_docs_are_listed() -> None:
    assert "(docs/papers.md)" in (ROOT / "README.md").read_text("utf-8")

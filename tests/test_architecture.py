"""Who may import whom, by rooms: held over every module and every import statement, also in functions."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.stage import STAGES

ROOT = Path(__file__).parent.parent

# What rooms stand on. Those of a line do not know one another, and know only earlier lines.
FOUNDATIONS = (
    ("errors", "progress", "arrays", "grouping"),
    ("family", "system"),
    ("records",),
    ("models", "settings", "measures", "formats"),
    ("stage", "llm", "text"),
    ("matching", "sentence_roles"),
)
# A room imports what earlier rooms offer in their `__init__`, and nothing else of them.
ROOMS = (
    "ingest",
    "diarize",
    "transcribe",
    "score",
    "segment",
    "prosody",
    "speakers",
    "mentions",
    "counter",
    "keypoints",
    "convincing",
    "content",
    "grade",
    "graph",
)
# Those of a line may know one another. `show` are the modules of rooms that say how their records are shown;
# `evaluate` those that reproduce a paper or train.
ABOVE = (
    ("corpus",),
    ("run",),
    ("report", "export", "show"),
    ("compare",),
    ("evaluation", "evaluate"),
    ("studies",),
    ("cli",),
    ("flows",),
    ("rostrum",),
)
LINES = (*FOUNDATIONS, *((room,) for room in ROOMS), *ABOVE)


class Import(NamedTuple):
    """A module imports another."""

    module: str
    imported: str


@cache
def modules() -> dict[str, Path]:
    """Every module of the project, by name."""
    files = [*ROOT.glob("pipeline/**/*.py"), *ROOT.glob("flows/**/*.py"), ROOT / "rostrum.py"]
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in sorted(files)
    }


def imports(module: str, file: Path) -> Iterator[Import]:
    """Every module of the project that a module imports, wherever in it the statement is."""
    known = modules()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are written in full"
            written = [f"{node.module}.{each.name}" for each in node.names]
            names = [name if name in known else str(node.module) for name in written]
        else:
            continue
        for name in names:
            yield Import(module, name)


@cache
def every_import() -> list[Import]:
    """All imports of the project."""
    return [each for module, file in modules().items() for each in imports(module, file)]


def part(module: str) -> str:
    """The name by which the lines know a module."""
    first, *others = module.split(".")
    if first != "pipeline" or not others:
        return first
    inside = others[1] if len(others) > 1 and others[0] in (*ROOMS, "matching", "sentence_roles") else ""
    if inside in ("show", "map"):
        return "show"
    if re.match(r"evaluate|train_", inside):
        return "evaluate"
    return others[0]


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"pipeline", "flows", "rostrum"}


def test_imports_go_one_way() -> None:
    line = {name: number for number, names in enumerate(LINES) for name in names}
    shared = {name for names in ABOVE for name in names}
    wrong = {
        tuple(each)
        for each in every_import()
        if is_ours(each.imported)
        and each.imported != "pipeline"
        and (above := part(each.module)) != (below := part(each.imported))
        and (line[below] > line[above] or (line[below] == line[above] and below not in shared))
    }
    assert not wrong, f"see LINES in {Path(__file__).name}"


def test_every_part_has_its_line() -> None:
    assert {part(module) for module in modules()} - {"pipeline"} <= {name for names in LINES for name in names}


def test_a_room_is_entered_by_its_door() -> None:
    wrong = {
        tuple(each)
        for each in every_import()
        if part(each.imported) in ROOMS
        and each.imported.count(".") > 1
        and each.module.split(".")[:2] != each.imported.split(".")[:2]
    }
    assert not wrong, "import it from the room itself, as its __init__ offers it"


def test_every_stage_has_a_room() -> None:
    assert set(STAGES) <= set(ROOMS)
    for name in STAGES:
        room = ROOT / "pipeline" / name
        assert all((room / file).is_file() for file in ("__init__.py", "stage.py", "show.py"))


@pytest.mark.parametrize("library", ["prefect", "prefect_dask", "distributed"])
def test_only_flows_knows_prefect(library: str) -> None:
    users = {each.module for each in every_import() if each.imported.partition(".")[0] == library}
    assert {part(user) for user in users} <= {"flows"}


def test_the_docs_name_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = {part(module) for module in modules()} - {"pipeline", "rostrum", "show", "evaluate"}
    assert [name for name in sorted(names) if f"`{name}" not in text] == []


def test_every_file_that_the_documents_name_exists() -> None:
    named = re.compile(r"(?<![\w./-])(?:pipeline|flows|tests|benchmarks|deploy|docs)/[\w./-]*\.[a-z0-9]+\b")
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "audio_samples" / "README.md"]
    paths = {(page.name, path) for page in pages for path in named.findall(page.read_text(encoding="utf-8"))}
    # Words in capitals stand for names of one's own: pipeline/NAME/stage.py
    assert [each for each in paths if not re.search("[A-Z]{3}", each[1]) and not (ROOT / each[1]).exists()] == []


def test_every_module_that_the_picture_of_the_house_names_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {path.removeprefix("pipeline/") for path in re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)}
    assert {"run/plan.py", "server/lasting.py"} <= named
    assert [path for path in named if not any((ROOT / at / path).is_file() for at in ("pipeline", "flows", "."))] == []

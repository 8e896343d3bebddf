"""The rules of `docs/architecture.md`, held over every module and every import statement, also in functions."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent

# A package imports those of earlier lines. Packages of one line do not know one another.
LAYERS = (
    ("printable",),
    ("errors", "progress", "arrays", "grouping"),
    ("family", "system"),
    ("records",),
    ("models", "settings", "measures"),
    ("formats", "text", "llm"),
    ("audio", "argue"),
    ("asr", "corpus"),
    ("stages",),
    ("configuration",),
    ("engine",),
    ("output",),
    ("operations",),
    ("evaluation",),
    ("cli",),
    ("flows",),
    ("rostrum",),
)


class Import(NamedTuple):
    """A module imports another."""

    module: str
    imported: str


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
            found = [f"{node.module}.{each.name}" for each in node.names]
            names = [name if name in known else str(node.module) for name in found]
        else:
            continue
        for name in names:
            yield Import(module, name)


EVERY = [each for module, file in modules().items() for each in imports(module, file)]


def package(module: str) -> str:
    """The name by which the layers know a module's package."""
    first, *others = module.split(".")
    return others[0] if first == "pipeline" and others else first


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"pipeline", "flows", "rostrum"}


def test_a_package_imports_only_those_below_it() -> None:
    line = {name: number for number, names in enumerate(LAYERS) for name in names}
    wrong = {
        tuple(each)
        for each in EVERY
        if is_ours(each.imported)
        and each.imported != "pipeline"
        and package(each.module) != package(each.imported)
        and line[package(each.imported)] >= line[package(each.module)]
    }
    assert not wrong, f"see LAYERS in {Path(__file__).name}"


def test_every_package_has_its_line() -> None:
    named = {name for names in LAYERS for name in names}
    assert {package(module) for module in modules()} - {"pipeline"} <= named


@pytest.mark.parametrize("library", ["prefect", "prefect_dask", "distributed"])
def test_only_flows_knows_prefect(library: str) -> None:
    users = {each.module for each in EVERY if each.imported.partition(".")[0] == library}
    assert {package(user) for user in users} <= {"flows"}


def test_the_docs_name_every_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = [file.parent for file in modules().values() if file.name == "__init__.py"]
    names = [
        folder.relative_to(ROOT).as_posix() + "/" for folder in folders if folder.parent in (ROOT, ROOT / "pipeline")
    ]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_docs_have_a_row_for_every_stage() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    stages = [name.rpartition(".")[2] for name in modules() if re.fullmatch(r"pipeline\.stages\.[a-z]\w*", name)]
    assert [stage for stage in stages if f"\n| {stage} |" not in text] == []


MOST_SIDE_BY_SIDE = 18


def test_a_package_with_much_side_by_side_says_why() -> None:
    """Modules and packages count alike. The reason is in the package's docstring."""
    packages = {file.parent: file for file in modules().values() if file.name == "__init__.py"}
    held = Counter(file.parent if file.name != "__init__.py" else file.parent.parent for file in modules().values())
    crowded = [each for each in packages if held[each] > MOST_SIDE_BY_SIDE]
    reasons = {each.name: ast.get_docstring(ast.parse(packages[each].read_text("utf-8"))) or "" for each in crowded}
    assert [
        name for name, reason in reasons.items() if not re.search(r"as many\s+modules\s+as|side by side", reason)
    ] == []


def test_every_file_that_the_documents_name_exists() -> None:
    named = re.compile(r"(?<![\w./-])(?:pipeline|flows|tests|benchmarks|deploy|docs)/[\w./-]*\.[a-z0-9]+\b")
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "audio_samples" / "README.md"]
    found = {(page.name, path) for page in pages for path in named.findall(page.read_text(encoding="utf-8"))}
    # Words in capitals stand for names of one's own: pipeline/stages/NAME.py
    assert [each for each in found if not re.search("[A-Z]{3}", each[1]) and not (ROOT / each[1]).exists()] == []

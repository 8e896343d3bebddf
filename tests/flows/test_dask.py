"""A run on real Dask workers, one of which is killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]


def test_the_work_of_a_killed_worker_is_done_by_another(tmp_path: Path, own_home: dict[str, str]) -> None:
    pytest.importorskip("prefect_dask")
    for index in range(6):
        write_speech(tmp_path / "corpus" / f"{index}.wav", start=3.0 * index)
    script = [sys.executable, "benchmarks/dask_workers.py", str(tmp_path / "corpus"), "--killed-only"]
    found = subprocess.run(script, capture_output=True, text=True, check=False, cwd=ROOT, env=own_home)
    assert found.returncode == 0, found.stdout + found.stderr
    assert [line.split()[-1] for line in found.stdout.splitlines() if "killed" in line] == ["True"]

"""A run on real Dask workers, one of which is killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("store", ["folder", "s3"])
def test_the_work_of_a_killed_worker_is_done_by_another(own_home: dict[str, str], store: str) -> None:
    """Each worker has its own models, fetched from the store. One is killed with a third of the work done."""
    pytest.importorskip("prefect_dask")
    pytest.importorskip("moto")
    if postgres.PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed")
    script = [sys.executable, "benchmarks/cluster.py", "--on", "dask", "--in", store, "--clips", "6"]
    options = ["--stages", "diarize", "--set", "diarize.mode=vad", "--models", "punkt"]
    environment = {**own_home, "PYTHONPATH": str(ROOT)}
    found = subprocess.run([*script, *options], capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize(
    ("on", "message"),
    [
        (
            "dask://127.0.0.1:9",
            "error: --on dask://127.0.0.1:9: no Dask scheduler answers there; start one: dask scheduler\n",
        ),
        (
            "dask://cluster",
            "Invalid value for '--on': dask://cluster: must be threads, processes or dask://HOST:PORT\n",
        ),
    ],
)
def test_an_address_where_nobody_listens_is_said_before_anything_begins(
    on: str, message: str, tmp_path: Path, own_home: dict[str, str]
) -> None:
    """Without importing Prefect, and without a server: both would take seconds."""
    command = [sys.executable, "-X", "importtime", "-m", "flows", "run", str(tmp_path), "--on", on]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=own_home)
    assert found.returncode == 2
    assert found.stderr.endswith(message)
    assert " prefect" not in found.stderr

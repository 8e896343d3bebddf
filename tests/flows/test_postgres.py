"""A run whose history is kept in a real PostgreSQL."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from tests.sounds import write_speech


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a database on a server of its own, on loopback."""
    if postgres.PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres.running() as (address, _):
        yield address


def test_a_run_is_kept_in_postgresql(database: str, tmp_path: Path, own_home: dict[str, str]) -> None:
    write_speech(tmp_path / "debate" / "ann.wav")
    environment = {**own_home, "PREFECT_API_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://rostrum@{database}"}
    command = [sys.executable, "-m", "flows", "run", str(tmp_path / "debate"), "--out", str(tmp_path / "run")]
    options = ["--stages", "ingest,diarize", "--set", "diarize.mode=vad"]
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = postgres.ask(database, "select name, state_type from task_run where name like '%[%' order by name")
    assert found == [["diarize[ann]", "COMPLETED"], ["ingest[ann]", "COMPLETED"]]

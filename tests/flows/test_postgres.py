"""A run whose history is kept in a real PostgreSQL."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.server.temporary import free_port
from tests.sounds import write_speech

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


def as_postgres(*command: str) -> list[str]:
    """PostgreSQL does not run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.getuid() == 0 else list(command)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The URL of a database on a server of its own, on loopback."""
    if PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="rostrum-postgres-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    port = free_port()
    data = folder / "data"
    subprocess.run(as_postgres(f"{PROGRAMS}/initdb", "-D", str(data), "-U", "rostrum", "-A", "trust"), check=True)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = as_postgres(f"{PROGRAMS}/pg_ctl", "-D", str(data), "-w")
    subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], check=True)
    try:
        yield f"127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True)
        shutil.rmtree(folder)


def test_a_run_is_kept_in_postgresql(database: str, tmp_path: Path, own_home: dict[str, str]) -> None:
    write_speech(tmp_path / "debate" / "ann.wav")
    environment = {**own_home, "PREFECT_API_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://rostrum@{database}"}
    command = [sys.executable, "-m", "flows", "run", str(tmp_path / "debate"), "--out", str(tmp_path / "run")]
    options = ["--stages", "ingest,diarize", "--set", "diarize.mode=vad"]
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    question = "select name, state_type from task_run where name like '%[%' order by name"
    found = subprocess.run(
        ["psql", f"postgresql://rostrum@{database}", "-Atc", question], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["diarize[ann]|COMPLETED", "ingest[ann]|COMPLETED"]

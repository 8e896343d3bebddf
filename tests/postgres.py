"""A PostgreSQL server of one's own on loopback, for tests and benchmarks."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.server.temporary import free_port

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


def as_postgres(*command: str) -> list[str]:
    """PostgreSQL does not run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.getuid() == 0 else list(command)


@contextmanager
def running() -> Iterator[tuple[str, int]]:
    """(address of a database, number of the server's process), while the context is open."""
    folder = Path(tempfile.mkdtemp(prefix="rostrum-postgres-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    port = free_port()
    data = folder / "data"
    subprocess.run(
        as_postgres(f"{PROGRAMS}/initdb", "-D", str(data), "-U", "rostrum", "-A", "trust"),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = as_postgres(f"{PROGRAMS}/pg_ctl", "-D", str(data), "-s", "-w")
    subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], check=True)
    try:
        yield f"127.0.0.1:{port}/postgres", int((data / "postmaster.pid").read_text().split()[0])
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True)
        shutil.rmtree(folder)


def ask(database: str, question: str) -> list[list[str]]:
    """The rows of an answer."""
    command = ["psql", f"postgresql://rostrum@{database}", "-AtF", "\t", "-c", question]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in answer.splitlines()]

import socket
import subprocess
import sys
from pathlib import Path

import httpx
from click.testing import CliRunner

from flows.server.lasting import server as command
from pipeline.errors import RostrumError
from tests.flows.servers import PATIENCE, OwnServer

ROOT = Path(__file__).parents[3]


def test_the_ui_asks_the_api_where_the_browser_has_found_it(own_home: dict[str, str]) -> None:
    server = OwnServer(own_home, "flows", "server", "--port")
    try:
        settings = httpx.get(f"{server.url.removesuffix('/api')}/ui-settings", timeout=PATIENCE).json()
    finally:
        server.stop()
    assert settings["api_url"] == "/api", "also where the server is known by another name, or listens on 0.0.0.0"


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = CliRunner().invoke(command, ["--port", str(port)])
    assert isinstance(result.exception, RostrumError)
    assert str(result.exception) == (
        f"127.0.0.1:{port}: cannot listen there (Address already in use); give another --port or --host"
    )


# Makes Prefect's database where no file can be locked, as in a home on a network drive.
WITHOUT_LOCKS = """
import fcntl

def flock(*_):
    raise OSError(37, "No locks available")

fcntl.flock = flock
from flows.server.lasting import make_database
make_database()
"""


def test_a_home_without_locks_gets_its_database(tmp_path: Path, own_home: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_LOCKS], env=own_home, check=True, cwd=ROOT)
    assert list((tmp_path / "home").glob("prefect.db"))

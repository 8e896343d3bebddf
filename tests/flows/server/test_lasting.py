import socket

import httpx
from click.testing import CliRunner

from flows.server.lasting import server as command
from pipeline.errors import RostrumError
from tests.flows.servers import PATIENCE, OwnServer


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

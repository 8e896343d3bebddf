import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.output.report.server import make_server

CONTENT = bytes(range(200))


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a.ogg").write_bytes(CONTENT)
    server = make_server(tmp_path, 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def asked(port: int, headers: dict[str, str]) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/a.ogg", headers=headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_the_whole_file(port: int) -> None:
    response, content = asked(port, {})
    assert (response.status, content) == (200, CONTENT)
    assert response.headers["Content-Type"] == "audio/ogg"


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [("bytes=0-", 0, 199), ("bytes=10-19", 10, 19), ("bytes=190-999", 190, 199), ("bytes=-5", 195, 199)],
)
def test_a_part_of_it(port: int, wanted: str, first: int, last: int) -> None:
    response, content = asked(port, {"Range": wanted})
    assert (response.status, content) == (206, CONTENT[first : last + 1])
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/200"


@pytest.mark.parametrize("wanted", ["bytes=200-", "bytes=-"])
def test_a_part_that_is_not_there(port: int, wanted: str) -> None:
    assert asked(port, {"Range": wanted})[0].status == 416


def test_another_name_is_not_answered(port: int) -> None:
    assert asked(port, {"Host": f"elsewhere.example:{port}"})[0].status == 403


def test_a_port_in_use(port: int, tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="--port"):
        make_server(tmp_path, port)

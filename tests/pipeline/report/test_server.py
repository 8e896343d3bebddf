"""The report's server, asked as browsers and others ask it."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from starlette.applications import Starlette

from pipeline.errors import RostrumError
from pipeline.report.server import reading_application
from pipeline.system.serving import listening, server

CONTENT = bytes(range(200))


def served(folder: Path) -> AbstractContextManager[int]:
    """The folder on a free port."""
    return served_by(reading_application(folder))


@contextmanager
def served_by(app: Starlette) -> Iterator[int]:
    """The application on a free port."""
    listener = listening(0)
    running = server(app)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        running.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    report = tmp_path / "report"
    report.mkdir()
    (report / "a.ogg").write_bytes(CONTENT)
    (report / "index.html").write_text("<p>front</p>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (report / "link.txt").symlink_to(tmp_path / "secret.txt")
    (report / "folder").symlink_to(tmp_path)
    with served(report) as port:
        yield port


def asked(port: int, path: str = "/a.ogg", method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_the_whole_file(port: int) -> None:
    response, content = asked(port)
    assert (response.status, content) == (200, CONTENT)
    assert response.headers["Content-Type"] == "audio/ogg"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_the_front_page(port: int) -> None:
    assert asked(port, "/")[1] == b"<p>front</p>"


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [("bytes=0-", 0, 199), ("bytes=10-19", 10, 19), ("bytes=190-999", 190, 199), ("bytes=-5", 195, 199)],
)
def test_a_part_of_it(port: int, wanted: str, first: int, last: int) -> None:
    response, content = asked(port, Range=wanted)
    assert (response.status, content) == (206, CONTENT[first : last + 1])
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/200"


def test_a_part_that_is_not_there(port: int) -> None:
    assert asked(port, Range="bytes=200-")[0].status == 416


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize("path", ["/a.ogg", "/", "/none"])
def test_another_name_is_not_answered(port: int, method: str, path: str) -> None:
    response, content = asked(port, path, method, Host=f"elsewhere.example:{port}")
    assert response.status == 400
    assert b"front" not in content


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_its_own_names_are_answered(port: int, name: str) -> None:
    assert asked(port, Host=f"{name}:{port}")[0].status == 200


@pytest.mark.parametrize(
    "path", ["/link.txt", "/folder/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/folder/", "/..%2fsecret.txt"]
)
def test_nothing_outside_of_the_folder_is_answered(port: int, path: str) -> None:
    response, content = asked(port, path)
    assert response.status == 404
    assert b"secret" not in content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_it_is_only_for_reading(port: int, method: str) -> None:
    assert asked(port, "/a.ogg", method)[0].status == 405


def test_two_hundred_clients_at_once(port: int) -> None:
    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(lambda _: asked(port), range(1000)))
    assert {(response.status, content) for response, content in answers} == {(200, CONTENT)}


def test_a_download_that_is_broken_off_is_no_news(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A player that is left, a window that is closed: nothing is printed, and the next one is answered."""
    (tmp_path / "long.ogg").write_bytes(bytes(50_000_000))
    with served(tmp_path) as port:
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(f"GET /long.ogg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                assert client.recv(1000)
        assert asked(port, "/long.ogg", "HEAD")[0].status == 200
    assert capfd.readouterr() == ("", "")


def test_a_port_in_use(port: int) -> None:
    with pytest.raises(RostrumError, match="--port"):
        listening(port)

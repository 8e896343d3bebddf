"""Models from HuggingFace's hub, by the command itself. The hub is a server of the test's own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

COMMIT = "a" * 40
FILES = {"config.json": b'{"model_type": "whisper"}', "model.bin": bytes(range(256)) * 60_000}


@dataclass
class Hub:
    """What the hub was asked, with which token, and how often it breaks off in the middle of the weights."""

    address: str = ""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    breaks: int = 0
    wanted_token: str | None = None


@pytest.fixture
def hub() -> Iterator[Hub]:
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            state.tokens.add(self.headers["Authorization"])
            if state.wanted_token and self.headers["Authorization"] != f"Bearer {state.wanted_token}":
                self._answer(401, b"Unauthorized")
            elif "/tree/" in self.path:
                rows = [{"type": "file", "path": name, "size": len(file)} for name, file in FILES.items()]
                self._answer(200, json.dumps([{**row, "oid": "b" * 40} for row in rows]).encode())
            elif self.path.startswith("/api/models/"):
                self._answer(200, json.dumps({"id": "them/theirs", "sha": COMMIT}).encode())
            else:
                self._file(self.path.rpartition("/")[2])

        do_HEAD = do_GET

        def _file(self, name: str) -> None:
            asked = self.headers["Range"]
            start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
            if self.command == "GET" and name == "model.bin":
                state.asked.append((self.path, asked))
            self._answer(206 if asked else 200, FILES[name][start:], name)

        def _answer(self, status: int, content: bytes, name: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if name:
                size, start = len(FILES[name]), len(FILES[name]) - len(content)
                self.send_header("X-Repo-Commit", COMMIT)
                self.send_header("ETag", f'"{len(FILES[name]):040d}"')
                self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
            self.end_headers()
            if self.command == "HEAD":
                return
            if name == "model.bin" and state.breaks:
                state.breaks -= 1
                content, self.close_connection = content[: 11 << 20], True
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def rostrum(hub: Hub, home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, as a user calls it who has set nothing but what is given."""
    own = {name: value for name, value in os.environ.items() if not name.lstrip("_").startswith(("HF_", "ROSTRUM_"))}
    own |= {
        "HF_HOME": str(home),
        "HF_ENDPOINT": hub.address,
        "no_proxy": "127.0.0.1",
        "ROSTRUM_MODELS": str(home / "m"),
    }
    command = [sys.executable, "-m", "flows", "models", *arguments]
    return subprocess.run(command, env=own | environment, capture_output=True, text=True)


@pytest.mark.parametrize("name", ["them/theirs", "distil-small.en"])
def test_it_is_fetched_when_asked_with_the_user_s_token_and_goes_on_where_it_broke_off(
    hub: Hub, tmp_path: Path, name: str
) -> None:
    hub.breaks, hub.wanted_token = 1, "hf_mine"
    done = rostrum(hub, tmp_path, "fetch", name, HF_TOKEN="hf_mine")
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == FILES
    assert hub.tokens == {"Bearer hf_mine"}
    assert [asked for _, asked in hub.asked] == [None, f"bytes={10 << 20}-"]


def test_without_the_token_it_is_one_line(hub: Hub, tmp_path: Path) -> None:
    hub.wanted_token = "hf_mine"
    done = rostrum(hub, tmp_path, "fetch", "them/theirs")
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert told.startswith("them/theirs failed: them/theirs: could not be fetched from the hub: ")
    assert told.endswith("; set HF_TOKEN to a token of an account that may have it")


def test_nothing_is_asked_where_the_user_forbids_it(hub: Hub, tmp_path: Path) -> None:
    done = rostrum(hub, tmp_path, "fetch", "them/theirs", HF_HUB_OFFLINE="1")
    assert done.returncode == 1
    assert "them/theirs: HF_HUB_OFFLINE is set, so the hub is not asked" in done.stderr
    assert hub.tokens == set()

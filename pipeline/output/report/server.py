"""The report for browsers of this machine. Unlike Python's own server it answers for parts of a file: players seek."""

import re
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pipeline.errors import RostrumError

# A page elsewhere that has its own name resolve to this machine is not answered.
_NAMES = frozenset({"127.0.0.1", "localhost"})
_RANGE = re.compile(r"bytes=(\d*)-(\d*)$")


def serve_folder(folder: Path, port: int, started: Callable[[str], None]) -> None:
    """Serve the folder on loopback until interrupted; `started` is called with the address."""
    with make_server(folder, port) as server:
        started(f"http://127.0.0.1:{server.server_port}/")
        server.serve_forever()


def make_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server that only this machine can reach; port 0 takes a free one."""
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except OSError as error:
        raise RostrumError(f"port {port} cannot be used ({error.strerror}); take another with --port") from error


class _Handler(SimpleHTTPRequestHandler):
    """A file or, where a browser asks for one, a part of it."""

    protocol_version = "HTTP/1.1"
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".ogg": "audio/ogg", ".js": "text/javascript"}

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        wanted = _RANGE.match(self.headers.get("Range", ""))
        if self.headers.get("Host", "").partition(":")[0] not in _NAMES:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif wanted and path.is_file():
            self._send_part(path, *_bounds(wanted, path.stat().st_size))
        else:
            super().do_GET()

    def _send_part(self, path: Path, first: int, last: int) -> None:
        size, length = path.stat().st_size, last - first + 1
        if length <= 0:
            self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(HTTPStatus.PARTIAL_CONTENT)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        with path.open("rb") as file:
            file.seek(first)
            while length and (block := file.read(min(length, 64 * 1024))):
                length -= len(block)
                self.wfile.write(block)

    def end_headers(self) -> None:
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """A request is no news."""


def _bounds(wanted: re.Match[str], size: int) -> tuple[int, int]:
    """First and last byte; a range without its first byte counts from the end."""
    first, last = wanted.groups()
    if not first:
        return (max(size - int(last), 0), size - 1) if last else (1, 0)
    return int(first), min(int(last), size - 1) if last else size - 1

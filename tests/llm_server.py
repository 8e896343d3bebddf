"""A server that speaks OpenAI's chat completions: it says what a test has it say, and remembers what it was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import Any

from pipeline.settings import LlmSettings

MODEL = "small"
SENT, ANSWERED = 100, 10


@dataclass
class Response:
    """What the server sends: by default a good answer."""

    text: str = "{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    # Sent over and over after that, with so many seconds in between, until nobody listens any more.
    endless: bytes = b""
    pause: float = 0.0

    def encoded(self) -> bytes:
        usage = {"prompt_tokens": SENT, "completion_tokens": ANSWERED}
        completion = {"choices": [{"message": {"role": "assistant", "content": self.text}}], "usage": usage}
        return (json.dumps(completion) if self.body is None else self.body).encode()


@dataclass
class Server:
    """`asked` are the bodies of the requests, `keys` what they had for a key."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    @property
    def settings(self) -> LlmSettings:
        return LlmSettings(url=self.url, model=MODEL, parallel=1)

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [body["messages"][-1]["content"] for body in self.asked]


@contextmanager
def serving(answer: Callable[[str], Response], models: tuple[str, ...] = (MODEL,)) -> Iterator[Server]:
    """A server on this machine: `answer` is given the last message of a request. It lists `models`, if any."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listed = json.dumps({"object": "list", "data": [{"id": name} for name in models]})
            self.send(Response(body=listed) if models else Response(status=404, body="not found"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(body)
            self.send(answer(body["messages"][-1]["content"]))

        def send(self, response: Response) -> None:
            server.keys.append(self.headers.get("Authorization"))
            content = response.encoded()
            self.send_response(response.status)
            length = {} if response.endless else {"Content-Length": str(len(content))}
            for name, value in {**response.headers, **length}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            with suppress(ConnectionError):
                while response.endless:
                    self.wfile.write(response.endless)
                    sleep(response.pause)

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_port}/v1")
    thread = Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def in_turn(*responses: Response) -> Callable[[str], Response]:
    """One response after the other, whatever is asked."""
    left = iter(responses)
    return lambda prompt: next(left)

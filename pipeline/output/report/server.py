"""The report for browsers of this machine."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pipeline.errors import RostrumError

# A page elsewhere whose name leads to this machine is not answered.
_HOSTS = ["127.0.0.1", "localhost"]
_WAITING = 2048


def serve_folder(folder: Path, port: int, started: Callable[[str], None]) -> None:
    """Serve the folder on loopback until Ctrl-C. `started` is called with the address."""
    with listening(port) as listener:
        started(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        try:
            server(application(folder)).run(sockets=[listener])
        except KeyboardInterrupt:  # how it is ended
            return


def listening(port: int) -> socket.socket:
    """A socket that only this machine can reach; port 0 takes a free one."""
    try:
        return socket.create_server(("127.0.0.1", port), backlog=_WAITING)
    except OSError as error:
        raise RostrumError(f"port {port} cannot be used ({error.strerror}); take another with --port") from error


def application(folder: Path) -> Starlette:
    """The files of the folder, and nothing that a link in it leads to."""
    trusted = Middleware(TrustedHostMiddleware, allowed_hosts=_HOSTS, www_redirect=False)
    return Starlette(routes=[Mount("/", _Files(directory=folder, html=True))], middleware=[trusted])


def server(app: Starlette) -> uvicorn.Server:
    """A server that says nothing of requests, and does not wait for players when it ends."""
    return uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1, lifespan="off")
    )


class _Files(StaticFiles):
    """Files whose content is taken for what their names say, and asked for again when they may have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update({"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"})
        return response

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(full_path, *args, **kwargs)
        if str(full_path).endswith(".ogg"):  # the system's list of types may lack it
            response.headers["Content-Type"] = "audio/ogg"
        return response

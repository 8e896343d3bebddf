"""Serves pages to browsers: a socket, a server that ends at once, and requests whose size is bounded."""

import socket
from collections.abc import Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.routing import BaseRoute

from pipeline.errors import RostrumError

# The names of this machine. A page elsewhere may have a name that leads here, so that others are refused.
LOOPBACK = ["127.0.0.1", "localhost"]
_WAITING = 2048


def listening(port: int, host: str = "127.0.0.1") -> socket.socket:
    """A socket that, by default, only this machine can reach. Port 0 takes a free port."""
    try:
        return socket.create_server((host, port), backlog=_WAITING)
    except OSError as error:
        raise RostrumError(f"port {port} cannot be used ({error.strerror}); take another with --port") from error


def server(app: Starlette) -> uvicorn.Server:
    """A server that does not log requests, and does not wait for players when it ends."""
    return uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1, lifespan="off")
    )


def serve(app: Starlette, listener: socket.socket) -> None:
    """Serve until Ctrl-C."""
    try:
        server(app).run(sockets=[listener])
    except KeyboardInterrupt:  # the usual way to end it
        return


def application(routes: Sequence[BaseRoute], hosts: Sequence[str] = LOOPBACK) -> Starlette:
    """An application of these routes. Requests for other hosts than these are refused; ["*"] accepts all."""
    trusted = Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    return Starlette(routes=routes, middleware=[trusted])


async def content_of(request: Request, most: int) -> bytes | None:
    """What a request sends; None if that is more than so many bytes, which are then not read."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > most:
            return None
    return bytes(content)

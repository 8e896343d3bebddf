"""Serves the report to browsers of this machine."""

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pipeline.corpus.corrections import StaleCorrectionError
from pipeline.errors import RostrumError
from pipeline.report.editing import Editing
from pipeline.report.judging import MOST_BYTES, Judging
from pipeline.report.page import render
from pipeline.report.run_data import about_run
from pipeline.report.site import FRONT
from pipeline.system.serving import application, content_of, listening, serve

_HEADERS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
# A page that can be corrected may send requests to its server, and has the script of its kind.
_NO_REQUESTS, _REQUESTS = "default-src 'none';", "default-src 'none'; connect-src 'self';"
_SCRIPTS = {"speeches": "edit.js", "motions": "judge.js", "flows": "judge.js"}
_QUEUE = '<p class="lead"><a href="queue.html">The queue</a>: the most useful questions of this run, a key each.</p>'


def serve_folder(folder: Path, port: int, started: Callable[[str], None], editing: Editing | None) -> None:
    """Serve the folder on loopback until Ctrl-C. `started` is called with the address.

    With `editing`, everybody who has the address can correct the pages. The address contains a secret.
    """
    token = secrets.token_urlsafe(16) if editing else ""
    with listening(port) as listener:
        started(f"http://127.0.0.1:{listener.getsockname()[1]}/{token + '/' if token else ''}")
        serve(editing_application(folder, editing, token) if editing else reading_application(folder), listener)


def reading_application(folder: Path) -> Starlette:
    """An application that serves the files of the folder. Links that lead out of it are not followed."""
    return application([Mount("/", _Files(directory=folder, html=True))])


def editing_application(folder: Path, editing: Editing, token: str) -> Starlette:
    """An application that serves and corrects the pages below /TOKEN, and nothing else."""
    routes = [
        Route("/corrections/{page}", _corrections(editing), methods=["GET", "PUT", "DELETE"]),
        Route("/judgements", _judgements(editing.judging), methods=["GET", "POST"]),
        Route("/queue.json", _queue(editing.judging)),
        Route("/queue.html", _queue_page(editing)),
        Mount("/", _EditedFiles(directory=folder, html=True)),
    ]
    return application([Mount(f"/{token}", routes=routes)])


def _corrections(editing: Editing) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that reads, saves and undoes the correction of a speech's page.

    A request that was made from an older version than the last one is answered by 409 and the last one.
    """
    one_at_a_time = Lock()

    def change(request: Request, page: str, content: bytes) -> dict[str, Any] | None:
        with one_at_a_time:
            if request.method == "PUT":
                return editing.save(page, content)
            return editing.take_back(page, _version(request))

    def answer(request: Request, page: str, content: bytes) -> Response:
        try:
            document = editing.document(page) if request.method == "GET" else change(request, page, content)
        except StaleCorrectionError as error:
            return JSONResponse({"error": str(error), "document": editing.document(page)}, 409)
        except RostrumError as error:
            return JSONResponse({"error": str(error)}, 422)
        if document is None:
            return JSONResponse({"error": "no transcript to correct"}, 404)
        return JSONResponse(document, headers=_HEADERS)

    async def endpoint(request: Request) -> Response:
        page = request.path_params["page"]
        try:
            most = await run_in_threadpool(editing.most_bytes, page) if request.method == "PUT" else 0
        except RostrumError as error:
            return JSONResponse({"error": str(error)}, 422)
        if (content := await content_of(request, most)) is None:
            return JSONResponse({"error": "more than a correction of this speech can have"}, 413)
        return await run_in_threadpool(answer, request, page, content)

    return endpoint


def _judgements(judging: Judging) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that keeps a judgement, and says what was judged on a motion."""

    async def endpoint(request: Request) -> Response:
        if request.method == "GET":
            judged = await run_in_threadpool(judging.on, request.query_params.get("motion", ""))
            return JSONResponse(judged, headers=_HEADERS)
        if (content := await content_of(request, MOST_BYTES)) is None:
            return JSONResponse({"error": "more than a judgement can have"}, 413)
        try:
            return JSONResponse(await run_in_threadpool(judging.add, content), headers=_HEADERS)
        except RostrumError as error:
            return JSONResponse({"error": str(error)}, 422)

    return endpoint


def _queue(judging: Judging) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        return JSONResponse(await run_in_threadpool(judging.queue), headers=_HEADERS)

    return endpoint


def _queue_page(editing: Editing) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        page = render("queue", root="", page=(), **about_run(editing.run.summary))
        return HTMLResponse(page.replace(_NO_REQUESTS, _REQUESTS, 1), headers=_HEADERS)

    return endpoint


def _version(request: Request) -> int:
    """The version that a request says it was made from; one that never is if it says none."""
    text = request.query_params.get("version", "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


class _Files(StaticFiles):
    """Serves files with the type that their names say. Browsers check for a new version every time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(full_path, *args, **kwargs)
        if str(full_path).endswith(".ogg"):  # the system's list of types may not have it
            response.headers["Content-Type"] = "audio/ogg"
        return response


class _EditedFiles(_Files):
    """Serves the files, with an editor in the pages of speeches, motions and flows, and a link to the queue."""

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        path = Path(full_path)
        script = _SCRIPTS.get(path.parent.name)
        if path.suffix != ".html" or (script is None and path.name != FRONT):
            return super().file_response(full_path, *args, **kwargs)
        text = path.read_text(encoding="utf-8")
        if script is None:
            return HTMLResponse(text.replace("</h1>", f"</h1>\n{_QUEUE}", 1))
        added = f'<link rel="stylesheet" href="../static/edit.css"><script src="../static/{script}"></script></body>'
        return HTMLResponse(text.replace(_NO_REQUESTS, _REQUESTS, 1).replace("</body>", added, 1))

"""Serves a study: forms for workers, each behind a link of their own, and a page for the organiser."""

import time
from collections.abc import Awaitable, Callable
from functools import cached_property
from threading import Lock
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from pipeline.studies.items import Answers
from pipeline.studies.pages import STATIC, form_page, progress_page, static_text
from pipeline.studies.sessions import NotYetError, RefusedError, Session
from pipeline.studies.study import MEDIA, ORGANISER, StudyFolder
from pipeline.system.serving import LOOPBACK, application, content_of, listening, serve

# No page of a form has more to send.
_MOST_BYTES = 1_000_000
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; media-src 'self'; connect-src 'self'; img-src data:; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": _POLICY,
}


class _Sent(BaseModel):
    """What a form sends."""

    model_config = ConfigDict(extra="forbid")

    item: str = ""
    answers: Answers = {}
    number: str = Field("", max_length=100)
    late: bool = False


class StudyServer:
    """The sessions of a study's workers, and the pages that show them."""

    def __init__(self, folder: StudyFolder, clock: Callable[[], float] = time.time) -> None:
        self.folder, self.clock = folder, clock
        self._sessions: dict[str, Session] = {}
        self._opening = Lock()

    def session(self, worker: str) -> Session:
        """The worker's session. It is read from disk when the worker comes for the first time."""
        with self._opening:
            if worker not in self._sessions:
                self._sessions[worker] = Session.resumed(self.folder, worker, self.clock)
            return self._sessions[worker]

    def application(self, hosts: list[str]) -> Starlette:
        """The application, for requests to these hosts; ["*"] accepts all."""
        workers = [
            Route("/", self._form),
            Route("/state", self._worker(lambda session, _: session.state())),
            Route("/agree", self._worker(lambda session, _: session.agree()), methods=["POST"]),
            Route("/open", self._worker(lambda session, sent: session.open(sent.item)), methods=["POST"]),
            Route("/questions", self._worker(lambda session, sent: session.questions(sent.item)), methods=["POST"]),
            Route("/answer", self._worker(lambda session, sent: session.answer(**sent.model_dump())), methods=["POST"]),
            Route("/media/{name}", self._media),
        ]
        routes = [
            Route("/", _no_link),
            Route("/static/{name}", _static),
            Route("/organiser/{token}/", self._progress),
            Mount("/w/{token}", routes=workers),
        ]
        return application(routes, hosts)

    async def _form(self, request: Request) -> Response:
        if self._worker_of(request) is None:
            return _unknown()
        return HTMLResponse(form_page(self.folder), headers=_HEADERS)

    def _worker(self, act: Callable[[Session, _Sent], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that does something with the worker's session, and answers with JSON."""

        async def endpoint(request: Request) -> Response:
            worker = self._worker_of(request)
            if worker is None:
                return _unknown()
            if (content := await content_of(request, _MOST_BYTES)) is None:
                return JSONResponse({"error": "too long"}, 413)
            try:
                sent = _Sent.model_validate_json(content or b"{}")
            except ValidationError:
                return JSONResponse({"error": "This form is not the one that was sent out. Load the page again."}, 422)
            return await run_in_threadpool(answer, worker, sent)

        def answer(worker: str, sent: _Sent) -> Response:
            try:
                return JSONResponse(act(self.session(worker), sent), headers=_HEADERS)
            except NotYetError as error:
                return JSONResponse({"error": str(error)}, 425)
            except RefusedError as error:
                return JSONResponse({"error": str(error)}, 422)
            except OSError as error:
                return JSONResponse({"error": f"The answer could not be stored: {error.strerror}."}, 507)

        return endpoint

    def _worker_of(self, request: Request) -> str | None:
        return self.folder.workers.get(request.path_params["token"])

    async def _media(self, request: Request) -> Response:
        name = request.path_params["name"]
        if self._worker_of(request) is None or name not in self._media_names:
            return _unknown()
        return FileResponse(self.folder.path / MEDIA / name, media_type="audio/ogg", headers=_HEADERS)

    @cached_property
    def _media_names(self) -> frozenset[str]:
        return frozenset(part.media for item in self.folder.study.items for part in item.shown if part.media)

    async def _progress(self, request: Request) -> Response:
        if request.path_params["token"] != self.folder.tokens[ORGANISER]:
            return _unknown()
        page = await run_in_threadpool(progress_page, self.folder)
        return HTMLResponse(page, headers=_HEADERS)


def serve_study(folder: StudyFolder, *, host: str, port: int, started: Callable[[str], None]) -> None:
    """Serve the study until Ctrl-C. `started` is called with the address."""
    hosts = LOOPBACK if host == "127.0.0.1" else ["*"]
    with listening(port, host) as listener:
        started(f"http://{host}:{listener.getsockname()[1]}/")
        serve(StudyServer(folder).application(hosts), listener)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return _unknown()
    return Response(static_text(name), media_type=STATIC[name], headers=_HEADERS)


async def _no_link(_: Request) -> Response:
    return PlainTextResponse("Open the link that you were given.", headers=_HEADERS)


def _unknown() -> Response:
    return PlainTextResponse("Nothing here. Open the link that you were given.", 404, headers=_HEADERS)


def links(folder: StudyFolder, address: str) -> dict[str, str]:
    """The link of each worker, and of the organiser."""
    base = address.rstrip("/")
    return {
        who: f"{base}/organiser/{token}/" if who == ORGANISER else f"{base}/w/{token}/"
        for who, token in folder.tokens.items()
    }

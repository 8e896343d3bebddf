"""The Prefect API for a run: the user's server if there is one, else a temporary one that ends with the run.

Prefect can start a temporary server by itself. But that one writes to the user's terminal, and loses data that is not
stored when it ends. The one started here logs to a file, and ends when it has stored the whole run. `rostrum server`
shows its history later.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.system import interrupt
from pipeline.system.interrupt import tidied_by
from pipeline.system.logs import logger

LOOPBACK = "127.0.0.1"
START_SECONDS = 120.0
STOP_SECONDS = 20.0
INTERRUPTED_SECONDS = 0.5
SETTLE_SECONDS = 30.0
# In bytes. With less free space, the database would wait without a message.
LEAST_ROOM = 50 * 2**20

# The states of task runs are written together: one by one takes most of a task run's time. They are not kept as events.
FOR_MANY_STAGES = {
    "PREFECT_SERVER_EVENTS_MESSAGING_BROKER": "flows.server.broker",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_FLUSH_INTERVAL": "1",
}
_SERVER_SETTINGS = {
    **FOR_MANY_STAGES,
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
}


class TemporaryServer:
    """A Prefect server on a free port of the loopback interface. It starts at once, and is ready some seconds later."""

    def __init__(self) -> None:
        port = free_port()
        self.url = f"http://{LOOPBACK}:{port}/api"
        # Without this password, nobody else on this machine and no page in a browser can use the server.
        self.credential = f"rostrum:{secrets.token_urlsafe(24)}"
        home = prefect_home()
        self.log = _new_log(home)
        require_room(home, "PREFECT_HOME")
        require_room(Path(tempfile.gettempdir()), "TMPDIR")
        self.keeps_log = False
        environment = {
            **_SERVER_SETTINGS,
            **os.environ,
            "PREFECT_HOME": str(home),
            "PREFECT__SERVER_EPHEMERAL": "1",
            "PREFECT_SERVER_API_AUTH_STRING": self.credential,
            "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": self.url,
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "flows.server.lasting", str(port)],
                stdout=log,
                stderr=log,
                stdin=subprocess.PIPE,  # closed when this process ends, which ends the server
                env=environment,
                cwd=home,  # Prefect's migrations import from the current folder, which may be a corpus
                start_new_session=True,  # so that Ctrl-C does not end the server before this process
            )
        interrupt.started(self.process)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_healthy(self.url):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.keeps_log = True
                raise RostrumError(f"{self.log}: the temporary Prefect server did not start; the file says why")
            time.sleep(0.1)

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """End the server. It is killed if it has not ended after some seconds."""
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if not self.keeps_log:
            self.log.unlink(missing_ok=True)


def require_room(folder: Path, variable: str) -> None:
    """Raise an error if the disk of a folder is nearly full. The environment's `variable` can name another folder."""
    free = shutil.disk_usage(folder).free
    if free < LEAST_ROOM:
        raise RostrumError(
            f"{folder}: only {free / 2**20:.0f} MB are free there, and a run's history needs {LEAST_ROOM >> 20}; make "
            f"room, or set {variable} to a folder with room"
        )


def _new_log(folder: Path) -> Path:
    """The path of this process's log. Logs of processes that have ended are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("rostrum-server-*.log"):
        process = log.stem.rpartition("-")[2]
        if process.isdecimal() and not is_alive(int(process)):
            log.unlink(missing_ok=True)
    return folder / f"rostrum-server-{os.getpid()}.log"


def is_alive(process: int) -> bool:
    """Whether there is a process with this number on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def free_port() -> int:
    """A free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def prefect_home() -> Path:
    from prefect.settings import get_current_settings

    return Path(get_current_settings().home).absolute()


def configured_url() -> str | None:
    """The API that the user has set up, in the environment or in a Prefect profile."""
    from prefect.settings import get_current_settings

    return get_current_settings().api.url


def is_healthy(url: str) -> bool:
    import httpx

    try:
        # Without https, do not load certificates: that takes longer than the request.
        return httpx.get(f"{url}/health", timeout=5, verify=url.startswith("https:")).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def api(server: TemporaryServer | None) -> Iterator[str]:
    """Yields the URL of the API. If a `server` is given, it is used, and stopped when everything is stored."""
    if server is None:
        url = configured_url() or ""
        if not is_healthy(url):
            raise RostrumError(f"PREFECT_API_URL={url}: no Prefect server answers; run `rostrum server`, or unset it")
        yield url
        return
    with tidied_by(lambda: server.stop(INTERRUPTED_SECONDS)):
        try:
            server.wait_until_ready()
            with _known_everywhere(server):
                try:
                    yield server.url
                finally:
                    _send_remaining()
        finally:
            server.stop()


@contextmanager
def _known_everywhere(server: TemporaryServer) -> Iterator[None]:
    """Make this process and processes that it starts use the server, while this context is open.

    Prefect's own settings context is not enough: Prefect has threads outside of it, which would start another server.
    """
    ours = {"PREFECT_API_URL": server.url, "PREFECT_API_AUTH_STRING": server.credential}
    before = {name: os.environ[name] for name in ours if name in os.environ}
    os.environ |= ours
    _read_settings_again()
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]
        os.environ |= before
        _read_settings_again()


def _read_settings_again() -> None:
    from prefect.context import refresh_global_settings_context

    refresh_global_settings_context()


def _send_remaining() -> None:
    """Send log lines and events that wait in this process. Without a server, they would be printed on the terminal."""
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    APILogWorker.drain_all(timeout=SETTLE_SECONDS)
    EventsWorker.drain_all()


def wait_until_stored(flow_run: str, task_runs: int) -> bool:
    """Wait until the server has stored the end of so many task runs of a flow run, and return whether it has."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.objects import TERMINAL_STATES

    _send_remaining()
    ended = {
        "flow_runs": {"parent_flow_run_id": {"any_": [flow_run]}},
        "task_runs": {"state": {"type": {"any_": [state.value for state in TERMINAL_STATES]}}},
    }
    deadline = time.monotonic() + SETTLE_SECONDS
    with get_client(sync_client=True) as client:
        while client.request("POST", "/task_runs/count", json=ended).json() < task_runs:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
    return True


# Waits for a Prefect server that stops answering in the middle of a run.

PATIENCE_SECONDS = 600.0
LOOK_SECONDS = 1.0
# The status codes of a server whose database is busy.
BUSY = frozenset({429, 500, 502, 503, 504})


def is_outage(error: BaseException | None) -> bool:
    """Whether the error was caused by a Prefect server that did not answer or was too busy.

    A `RostrumError` is not. It may be about another server, such as that of a large language model.
    """
    import httpx

    while error is not None and not isinstance(error, RostrumError):
        if isinstance(error, httpx.TransportError):
            return True
        if isinstance(error, httpx.HTTPStatusError) and error.response.status_code in BUSY:
            return True
        error = error.__cause__ or error.__context__
    return False


def wait_for_server() -> None:
    """Wait until the server answers again."""
    url, began = configured_url() or "", time.monotonic()
    if is_healthy(url):
        return
    logger.warning("the Prefect server at %s does not answer; waiting up to %.0f s for it", url, PATIENCE_SECONDS)
    while not is_healthy(url):
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise RostrumError(
                f"{url}: the Prefect server does not answer any more; results are stored: start it, and run again"
            )
        time.sleep(LOOK_SECONDS)

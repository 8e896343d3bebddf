"""`rostrum serve`: a deployment of the flow that processes what is new in a folder, on a schedule or when it comes."""

import asyncio
import hashlib
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click
from filelock import FileLock

from flows.current_folder import away
from flows.lost_runs import drop_waiting_runs, end_lost_runs
from flows.server.automations import ensure_automations, send_heartbeats
from flows.server.temporary import configured_url, is_healthy
from pipeline.configuration import Settings
from pipeline.corpus import snapshot
from pipeline.corpus.files import Snapshot
from pipeline.engine.plan import chosen_stages
from pipeline.errors import RostrumError

POLL_SECONDS = 2.0
# The tag of a deployment that is paused because nobody serves it.
NOT_SERVED = "not-served"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def serve_corpus(
    folder: Path,
    out: str,
    stages: list[str] | None,
    settings: Settings,
    *,
    every: str | None,
    cron: str | None,
    watch: float | None,
    limit: int,
    report: bool = True,
    notify: str | None = None,
) -> None:
    """Register the deployment with the running server, and do its runs until interrupted.

    In the end the run that goes on is cancelled and the deployment paused, so that no runs pile up. Started again,
    this goes on, unless somebody else had paused it. Runs that were missed are not caught up.
    """
    url = configured_url()
    if url is None or not is_healthy(url):
        raise RostrumError(
            f"no Prefect server answers{f' at {url}' if url else ''}; run `rostrum server`, and "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    chosen_stages(stages)  # a mistake in them is told now, and not by the first run
    send_heartbeats()
    from flows.device import device_limit

    path = folder.resolve()
    parameters = {
        "folder": str(path),
        "out": out if "://" in out else str(Path(out).resolve()),
        "stages": stages,
        "settings": settings.model_dump(mode="json"),
        "limit": device_limit(),
        "report": report,
    }
    with away():
        with _one_at_a_time():
            ensure_automations(notify)
            name = _deployment_name(path)
            runner = _runner(_deployment(name, parameters, every, cron), limit)
        served = f"serving {folder} as process-corpus/{name}, {_when(every, cron, watch)}; {url.removesuffix('/api')}"
        click.echo(served, err=True)
        try:
            _do_runs(runner, partial(_watch, path, watch, partial(_trigger, name)) if watch is not None else None)
        finally:
            try:
                _pause(name)
            except Exception as error:
                click.echo(f"warning: the Prefect server was not told that this has stopped: {error}", err=True)


def _one_at_a_time() -> FileLock:
    """A lock of this machine: of two that ask the server at once, both would find the name of a deployment free."""
    return FileLock(Path(tempfile.gettempdir(), "rostrum-serve.lock"), mode=0o666)


def _when(every: str | None, cron: str | None, watch: float | None) -> str:
    """When runs begin, for a person."""
    schedules = [f"every {every}" if every else "", f"at {cron}" if cron else "", "" if watch is None else "on changes"]
    return "runs " + (" and ".join(filter(None, schedules)) or "by hand")


def _deployment_name(folder: Path) -> str:
    """The folder's name. Where another folder of that name has it, a few letters keep the two apart."""
    known = _known(folder.name)
    if known is None or known.parameters.get("folder") == str(folder):
        return folder.name
    return f"{folder.name}-{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


def _deployment(name: str, parameters: dict[str, Any], every: str | None, cron: str | None) -> Any:
    from prefect.schedules import Cron, Interval
    from prefect.types.entrypoint import EntrypointType

    from flows.process import process_corpus

    known = _known(name)
    paused = {schedule.slug for schedule in known.schedules if not schedule.active} if known else set()
    schedules = []
    if every:
        schedules.append(Interval(duration(every), slug="every", active="every" not in paused))
    if cron:
        schedules.append(Cron(cron, slug="cron", active="cron" not in paused))
    return process_corpus.to_deployment(
        name=name,
        parameters=parameters,
        schedules=schedules,
        tags=["rostrum"],
        paused=bool(known and known.paused and NOT_SERVED not in known.tags),
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def _runner(deployment: Any, limit: int) -> Any:
    """Prefect's runner, with the deployment registered. SIGTERM interrupts it, as SIGINT does."""
    from prefect.runner import Runner

    class InterruptibleRunner(Runner):
        def handle_sigterm(self, *_: Any) -> None:
            signal.raise_signal(signal.SIGINT)  # Prefect's own leaves its runs behind

    runner = InterruptibleRunner(pause_on_shutdown=False, limit=limit, query_seconds=POLL_SECONDS)
    runner.add_deployment(deployment)
    return runner


def _do_runs(runner: Any, watching: Callable[[], None] | None) -> None:
    """Do the deployment's runs until SIGINT or SIGTERM, which end them, too; watch as soon as it can be triggered."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this one deaf to it
    if watching:
        threading.Thread(target=watching, daemon=True).start()
    with suppress(KeyboardInterrupt):
        asyncio.run(runner.start())


def _known(name: str) -> Any:
    """The deployment as it was last registered, and as somebody may have paused it since; None if there is none."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    try:
        with get_client(sync_client=True) as client:
            return client.read_deployment_by_name(f"process-corpus/{name}")
    except ObjectNotFound:
        return None


def _pause(name: str) -> None:
    """Pause the deployment, and mark that it was not somebody else who did; its scheduled runs go."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import DeploymentUpdate

    known = _known(name)
    end_lost_runs(stopped=known and known.id)
    if known and not known.paused:
        with get_client(sync_client=True) as client:
            client.pause_deployment(known.id)
            drop_waiting_runs(known.id)
            client.update_deployment(known.id, DeploymentUpdate(tags=[*known.tags, NOT_SERVED]))


def duration(text: str) -> timedelta:
    """`15m`, `30s`, `2h`, `1d` as a time."""
    match = re.fullmatch(r"(\d+)([smhd])", text)
    if match is None or not int(match[1]):
        raise RostrumError(f"--every {text}: write it as a number and s, m, h or d, such as 15m")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _trigger(name: str) -> None:
    from prefect.deployments import run_deployment

    run_deployment(f"process-corpus/{name}", timeout=0)


def _watch(folder: Path, settle: float, trigger: Callable[[], None]) -> None:
    """Trigger when the folder has changed and then kept still for `settle` seconds.

    A server or a drive that is away for a while is told once and asked again, until what came is handled.
    """
    handled: Snapshot = {}
    seen, since, told = handled, time.monotonic(), ""
    while True:
        time.sleep(POLL_SECONDS)
        try:
            now = snapshot(folder)
            if now != seen:
                seen, since = now, time.monotonic()
            elif now != handled and time.monotonic() - since >= settle:
                trigger()
                handled, told = now, ""
        except Exception as error:
            if str(error) != told:
                told = str(error)
                click.echo(f"warning: {folder}: no run was begun for what came; trying again: {told}", err=True)

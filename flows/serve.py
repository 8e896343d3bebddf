"""`rostrum serve`: a deployment of the flow that processes new files in a folder, on a schedule or when they come."""

import asyncio
import hashlib
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click

from flows.current_folder import away
from flows.lost_runs import drop_waiting_runs, end_lost_runs
from flows.server.automations import ensure_automations, send_heartbeats
from flows.server.temporary import configured_url, is_healthy
from pipeline.corpus.files import Snapshot, snapshot
from pipeline.errors import RostrumError
from pipeline.run.configuration import Settings
from pipeline.run.plan import chosen_stages
from pipeline.system import scratch
from pipeline.system.lock import locked

POLL_SECONDS = 2.0
# The tag of a deployment that is paused because nobody serves it.
NOT_SERVED = "not-served"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class Triggers:
    """When runs begin: at an interval, by a cron expression, when files have changed and been stable for some seconds.

    >>> str(Triggers(every="15m", watch=5.0)), str(Triggers())
    ('runs every 15m and on changes', 'runs by hand')
    """

    every: str | None = None
    cron: str | None = None
    watch: float | None = None

    def __str__(self) -> str:
        parts = {f"every {self.every}": self.every, f"at {self.cron}": self.cron, "on changes": self.watch is not None}
        return "runs " + (" and ".join(text for text, is_set in parts.items() if is_set) or "by hand")


def serve_corpus(
    folder: Path,
    out: str,
    stages: list[str] | None,
    settings: Settings,
    triggers: Triggers,
    *,
    limit: int,
    report: bool = True,
    notify: str | None = None,
) -> None:
    """Register the deployment with the running server, and do its runs until interrupted.

    An interrupt cancels the current run and pauses the deployment, so that no runs pile up. When this is started again,
    the deployment is resumed, unless somebody else had paused it. Runs that were missed are dropped.
    """
    url = _server_url()
    chosen_stages(stages)  # reports a mistake in them now, not in the first run
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
    with away(), _registered(path, parameters, triggers, limit, notify) as (name, runner):
        click.echo(f"serving {folder} as process-corpus/{name}, {triggers}; {url.removesuffix('/api')}", err=True)
        settle, trigger = triggers.watch, partial(_trigger, name)
        _do_runs(runner, None if settle is None else partial(_watch, path, settle, trigger))


@contextmanager
def _registered(
    folder: Path, parameters: dict[str, Any], triggers: Triggers, limit: int, notify: str | None
) -> Iterator[tuple[str, Any]]:
    """Register a deployment, yield its name and its runner, and pause it at the end."""
    # Two processes that ask the server at once would both find a deployment's name free.
    with locked(scratch.own_folder() / "serve.lock", "waiting for another `rostrum serve`, which begins"):
        ensure_automations(notify)
        name = _deployment_name(folder)
        runner = _runner(_deployment(name, parameters, triggers), limit)
    try:
        yield name, runner
    finally:
        try:
            _pause(name)
        except Exception as error:
            click.echo(f"warning: the Prefect server does not know that this has stopped: {error}", err=True)


def _server_url() -> str:
    """The address of the user's Prefect server. It is an error if none answers."""
    url = configured_url()
    if url is None or not is_healthy(url):
        raise RostrumError(
            f"no Prefect server answers{f' at {url}' if url else ''}; run `rostrum server`, and "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    return url


def _deployment_name(folder: Path) -> str:
    """The folder's name. If another folder has a deployment of that name, a digest is added."""
    known = _known(folder.name)
    if known is None or known.parameters.get("folder") == str(folder):
        return folder.name
    return f"{folder.name}-{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


def _deployment(name: str, parameters: dict[str, Any], triggers: Triggers) -> Any:
    from prefect.schedules import Cron, Interval
    from prefect.types.entrypoint import EntrypointType

    from flows.process import process_corpus

    known = _known(name)
    paused = {schedule.slug for schedule in known.schedules if not schedule.active} if known else set()
    schedules = []
    if triggers.every:
        schedules.append(Interval(_period(triggers.every), slug="every", active="every" not in paused))
    if triggers.cron:
        schedules.append(Cron(triggers.cron, slug="cron", active="cron" not in paused))
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
            signal.raise_signal(signal.SIGINT)  # Prefect's own handler would not end its runs

    runner = InterruptibleRunner(pause_on_shutdown=False, limit=limit, query_seconds=POLL_SECONDS)
    runner.add_deployment(deployment)
    return runner


def _do_runs(runner: Any, watching: Callable[[], None] | None) -> None:
    """Do the deployment's runs until SIGINT or SIGTERM, which also end the runs. `watching` runs in a thread."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this process without it
    if watching:
        threading.Thread(target=watching, daemon=True).start()
    with suppress(KeyboardInterrupt):
        asyncio.run(runner.start())


def _known(name: str) -> Any:
    """The deployment as it is on the server; None if there is none."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    try:
        with get_client(sync_client=True) as client:
            return client.read_deployment_by_name(f"process-corpus/{name}")
    except ObjectNotFound:
        return None


def _pause(name: str) -> None:
    """Pause the deployment, with a tag that it was not a person who paused it, and delete its scheduled runs."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import DeploymentUpdate

    known = _known(name)
    end_lost_runs(stopped=known and known.id)
    if known and not known.paused:
        with get_client(sync_client=True) as client:
            client.pause_deployment(known.id)
            drop_waiting_runs(known.id)
            client.update_deployment(known.id, DeploymentUpdate(tags=[*known.tags, NOT_SERVED]))


def _period(text: str) -> timedelta:
    """The time that a text such as 30s, 15m, 2h or 1d means."""
    match = re.fullmatch(r"(\d+)([smhd])", text)
    if match is None or not int(match[1]):
        raise RostrumError(f"--every {text}: write it as a number and s, m, h or d, such as 15m")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _trigger(name: str) -> None:
    from prefect.deployments import run_deployment

    run_deployment(f"process-corpus/{name}", timeout=0)


def _watch(folder: Path, settle: float, trigger: Callable[[], None]) -> None:
    """Call `trigger` when the folder has changed and then been stable for `settle` seconds.

    If the server or the drive does not answer, this warns once and tries again until it does.
    """
    handled: Snapshot = {}
    seen, since, reported = handled, time.monotonic(), ""
    while True:
        time.sleep(POLL_SECONDS)
        try:
            now = snapshot(folder)
            if now != seen:
                seen, since = now, time.monotonic()
            elif now != handled and time.monotonic() - since >= settle:
                trigger()
                handled, reported = now, ""
        except Exception as error:
            if str(error) != reported:
                reported = str(error)
                click.echo(f"warning: {folder}: cannot start a run for new files; trying again: {reported}", err=True)

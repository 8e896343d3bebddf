"""`rostrum serve`: a deployment of the flow, and looks at its folder that begin a run when there is work."""

import asyncio
import hashlib
import itertools
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from flows.current_folder import away
from flows.lost_runs import AUTOMATIC, drop_waiting_runs, end_lost_runs, has_runs
from flows.publish import title
from flows.server.automations import HEARTBEAT_SECONDS, ensure_automations, period
from flows.server.temporary import configured_url, is_healthy
from pipeline.corpus import open_corpus
from pipeline.corpus.files import Snapshot, snapshot
from pipeline.errors import RostrumError
from pipeline.run.configuration import Settings
from pipeline.run.index import FILE as SUMMARY
from pipeline.run.plan import plan_run
from pipeline.run.preflight import refuse_store
from pipeline.run.store import Store
from pipeline.stage import chosen_stages
from pipeline.system import scratch
from pipeline.system.lock import locked

POLL_SECONDS = 2.0
# The tag of a deployment that is paused because nobody serves it.
NOT_SERVED = "not-served"


@dataclass(frozen=True)
class Triggers:
    """When to look at the folder: at an interval, by a cron expression, when files have changed and been stable.

    >>> str(Triggers(every="15m", watch=5.0)), str(Triggers())
    ('looks every 15m and on changes', 'runs by hand')
    """

    every: str | None = None
    cron: str | None = None
    watch: float | None = None

    def check(self) -> None:
        """Raise an error if an interval or a cron expression cannot be read."""
        if self.every:
            period(self.every, "--every")
        if self.cron:
            _seconds_until(self.cron)

    def __str__(self) -> str:
        parts = {f"every {self.every}": self.every, f"at {self.cron}": self.cron, "on changes": self.watch is not None}
        when = " and ".join(text for text, is_set in parts.items() if is_set)
        return f"looks {when}" if when else "runs by hand"


def serve_corpus(
    folder: Path,
    out: str,
    stages: list[str] | None,
    settings: Settings,
    triggers: Triggers,
    *,
    limit: int,
    report: bool = True,
    messages: Mapping[str, str | None] = MappingProxyType({}),
) -> None:
    """Register the deployment with the running server, begin a run when there is work, until interrupted.

    `messages` are the arguments of `ensure_automations`.

    An interrupt cancels the current run and pauses the deployment. When this is started again, the deployment is
    resumed, unless somebody else had paused it.
    """
    url = _server_url()
    chosen_stages(stages)  # reports a mistake in them now, not in the first run
    triggers.check()
    from flows.form import folded

    path = folder.resolve()
    out = out if "://" in out else str(Path(out).resolve())
    parameters = {
        "folder": str(path),
        "out": out,
        "stages": stages,
        "settings": folded(settings),
        "report": report,
    }
    with away(), _registered(path, parameters, triggers, limit, messages) as (name, runner):
        click.echo(f"serving {folder} as process-corpus/{name}, {triggers}; {url.removesuffix('/api')}", err=True)
        _do_runs(runner, Looks(name, path, out, stages, settings).watchers(triggers))


class Looks:
    """Looks at a folder, and begins a run of its deployment if there is work. An idle look leaves nothing anywhere."""

    def __init__(self, name: str, folder: Path, out: str, stages: list[str] | None, settings: Settings) -> None:
        self.name, self.folder, self.out, self.stages, self.settings = name, folder, out, stages, settings
        self._idle: object = None
        self._reported = ""
        self._one_at_a_time = threading.Lock()

    def watchers(self, triggers: Triggers) -> Iterator[Callable[[], None]]:
        """Functions that look when they should, and never return."""
        if triggers.every:
            seconds = period(triggers.every, "--every").total_seconds()
            yield partial(self._look_after, itertools.chain([0.0], itertools.repeat(seconds)))
        if triggers.cron:
            yield partial(self._look_after, (_seconds_until(triggers.cron) for _ in itertools.count()))
        if triggers.watch is not None:
            yield partial(_watch, self.folder, triggers.watch, self.look)

    def _look_after(self, pauses: Iterable[float]) -> None:
        """Look after each of these pauses. If the server does not answer, this warns once."""
        reported = ""
        for seconds in pauses:
            time.sleep(seconds)
            try:
                self.look()
                reported = ""
            except Exception as error:
                reported = _warned(self.folder, error, reported)

    def look(self) -> bool:
        """Begin a run if there is work. Returns False if that must wait, because a run goes on."""
        with self._one_at_a_time:
            deployment = _known(self.name)
            if deployment is None or deployment.paused:
                return True
            if has_runs(deployment.id):
                return False
            if work := self._work():
                _begin_run(self.name, work)
            return True

    def _work(self) -> str | None:
        """The name of the run that should begin; None if there is nothing to do."""
        try:
            before = (snapshot(self.folder), Store(self.out).read("", SUMMARY))
            if before == self._idle:
                return None
            corpus, store = open_corpus(self.folder), Store(self.out)
            refuse_store(corpus, store)
            plan = plan_run(corpus, store, self.settings, self.stages, retry_failed=False)
        except RostrumError as error:
            if str(error) == self._reported:
                return None
            self._reported = str(error)  # one run shows it in the UI
            return self.folder.name
        self._reported = ""
        if not plan.is_idle:
            return title(plan)
        self._idle = before
        return None


@contextmanager
def _registered(
    folder: Path, parameters: dict[str, Any], triggers: Triggers, limit: int, messages: Mapping[str, str | None]
) -> Iterator[tuple[str, Any]]:
    """Register a deployment, yield its name and its runner, and pause it at the end."""
    # Two processes that ask the server at once would both find a deployment's name free.
    with locked(scratch.own_folder() / "serve.lock", "waiting for another `rostrum serve`, which begins"):
        ensure_automations(**messages)
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
    """The folder's name. If another folder has that name, the parent's name comes first, or a digest is added."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    names = [folder.name, f"{folder.parent.name}-{folder.name}", f"{folder.name}-{digest}"]
    return next((name for name in names if _is_free(name, folder)), names[-1])


def _is_free(name: str, folder: Path) -> bool:
    known = _known(name)
    return known is None or known.parameters.get("folder") == str(folder)


def _deployment(name: str, parameters: dict[str, Any], triggers: Triggers) -> Any:
    from prefect.types.entrypoint import EntrypointType

    from flows.process import process_corpus

    known = _known(name)
    return process_corpus.to_deployment(
        name=name,
        description=f"`{parameters['folder']}` into `{parameters['out']}`. `rostrum serve` {triggers}. "
        "A run begins when there is work.",
        parameters=parameters,
        tags=["rostrum", "/".join(Path(parameters["folder"]).parts[-2:])],
        paused=bool(known and known.paused and NOT_SERVED not in known.tags),
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def _runner(deployment: Any, limit: int) -> Any:
    """Prefect's runner, with the deployment registered. SIGTERM interrupts it, as SIGINT does."""
    from prefect.runner import Runner

    class InterruptibleRunner(Runner):
        def handle_sigterm(self, *_: Any) -> None:
            signal.raise_signal(signal.SIGINT)  # Prefect's own handler would not end its runs

    runner = InterruptibleRunner(
        pause_on_shutdown=False, limit=limit, query_seconds=POLL_SECONDS, heartbeat_seconds=HEARTBEAT_SECONDS
    )
    runner.add_deployment(deployment)
    return runner


def _do_runs(runner: Any, watchers: Iterable[Callable[[], None]]) -> None:
    """Do the deployment's runs until SIGINT or SIGTERM, which also end the runs. `watchers` run in threads."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this process without it
    logging.getLogger("prefect.runner").addFilter(_NotAgain())
    for watching in watchers:
        threading.Thread(target=watching, daemon=True).start()
    with suppress(KeyboardInterrupt):
        asyncio.run(runner.start())


class _NotAgain(logging.Filter):
    """Drops a line that says the same as the one before, such as that runs wait."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""

    def filter(self, record: logging.LogRecord) -> bool:
        last, self.last = self.last, record.getMessage()
        return self.last != last


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


def _seconds_until(cron: str) -> float:
    """How many seconds it is until the next time of a cron expression, in UTC."""
    from prefect.server.schemas.schedules import CronSchedule

    now = datetime.now(UTC)
    (following,) = asyncio.run(CronSchedule(cron=cron).get_dates(1, start=now))
    return float(following.timestamp() - now.timestamp())


def _begin_run(deployment: str, name: str) -> None:
    from prefect.deployments import run_deployment

    run_deployment(f"process-corpus/{deployment}", timeout=0, flow_run_name=name, tags=["rostrum", AUTOMATIC])


def _watch(folder: Path, settle: float, look: Callable[[], bool]) -> None:
    """Call `look` when the folder has changed and then been stable for `settle` seconds, until it returns True.

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
            elif now != handled and time.monotonic() - since >= settle and look():
                handled, reported = now, ""
        except Exception as error:
            reported = _warned(folder, error, reported)


def _warned(folder: Path, error: Exception, reported: str) -> str:
    """Print an error, unless it is the one that was reported last, and return it."""
    if str(error) != reported:
        click.echo(f"warning: {folder}: cannot start a run for new files; trying again: {error}", err=True)
    return str(error)

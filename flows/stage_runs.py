"""Where task runs go: threads of this process, processes of this machine, or the workers of a Dask cluster."""

from collections import Counter
from functools import partial
from queue import SimpleQueue
from typing import Any

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.concurrency.services import ConcurrencySlotAcquisitionWithLeaseService
from prefect.context import FlowRunContext
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner

from flows.device import holding_device
from flows.item_runs import ItemRuns
from flows.publish import Pages, warning
from flows.server.temporary import OUTAGE, is_outage, wait_for_server
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Record
from pipeline.report.markdown import headline
from pipeline.run.execute import Capacity, Watcher
from pipeline.run.job import Job, Outcome, perform
from pipeline.run.plan import RunPlan
from pipeline.run.scopes import Place
from pipeline.run.store import Store
from pipeline.system import logs
from pipeline.system.environment import jobs_at_once, prepare_environment, usable_cores
from pipeline.system.interrupt import end_with_parent

CONNECT_SECONDS = 20
FORGET_SECONDS = 5


def task_runner(on: str) -> Any:
    """The Prefect task runner for `threads`, `processes` or `dask://HOST:PORT`."""
    if on == "threads":
        return ThreadPoolTaskRunner(max_workers=usable_cores() + 1)
    if on == "processes":
        return ProcessPoolTaskRunner(max_workers=usable_cores(), initializer=end_with_parent)
    if on.startswith("dask://"):
        return _dask(on.removeprefix("dask://"))
    raise RostrumError(f"--on {on}: must be threads, processes or dask://HOST:PORT")


def capacity_of(task_runner: Any) -> Capacity:
    """How many jobs to submit to a task runner at once. A cluster gets all that are ready, and schedules them."""
    if isinstance(task_runner, ThreadPoolTaskRunner):
        return Capacity(device=1, others=jobs_at_once())
    if isinstance(task_runner, ProcessPoolTaskRunner):
        return Capacity(device=usable_cores(), others=usable_cores())
    return Capacity(device=10_000, others=10_000)


def _dask(address: str) -> Any:
    try:
        from prefect_dask import DaskTaskRunner
    except ImportError as error:
        raise RostrumError("--on dask://...: prefect-dask is not installed; pip install 'rostrum[dask]'") from error
    from distributed import Client

    try:
        with Client(f"tcp://{address}", timeout=CONNECT_SECONDS) as client:
            client.run(forget_server)
    except OSError as error:
        raise RostrumError(
            f"--on dask://{address}: no Dask scheduler answers there; start one: dask scheduler"
        ) from error
    return DaskTaskRunner(address=f"tcp://{address}")


async def forget_server() -> None:
    """End a worker's connections to the Prefect server of an earlier run, which may be gone."""
    # Awaitable, because this is called in a worker's event loop.
    ended: Any = ConcurrencySlotAcquisitionWithLeaseService.drain_all(timeout=FORGET_SECONDS)
    await ended


# Jobs as Prefect task runs, on the task runner of the flow.

# How often one stage is submitted again because the server was away or busy.
MOST_OUTAGES = 20


class Sealed:
    """A job as the parameter of a task. Prefect and Dask search other parameters for futures, which takes time.

    `audio` is how many seconds the job's recording has, if that is known.
    """

    def __init__(self, job: Job, root: str, pages: Pages, audio: float, watcher: Watcher | None = None) -> None:
        self.job, self.root, self.pages, self.audio = job, root, pages, audio
        self.watcher = watcher or Watcher()

    def __reduce__(self) -> tuple[type["Sealed"], tuple[Job, str, Pages, float]]:
        """Leave out the watcher: progress is shown by this process only."""
        return Sealed, (self.job, self.root, self.pages, self.audio)


def _may_help(_task: Any, _run: Any, state: State[Any]) -> bool:
    """Retry storage errors only; a bad file would fail again."""
    return isinstance(state.result(raise_on_failure=False), StorageError)


@task(
    task_run_name="{label}",
    retries=2,
    retry_delay_seconds=2,
    retry_condition_fn=_may_help,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def run_stage(label: str, sealed: Sealed, after: list[Any], limit: str | None) -> State[Outcome]:
    """Do one stage of one speech or motion. Its record is stored, and published as an artifact of Prefect."""
    prepare_environment()  # needed where a worker process begins with this function
    logs.configure()
    job, pages, logger = sealed.job, sealed.pages, get_run_logger()
    with logs.about(speech=job.item.scope, stage=job.stage.name), logs.forwarded_to(logger):
        try:
            with holding_device(limit):
                outcome, record = perform(job, Store(sealed.root), partial(sealed.watcher.progressed, job))
        except StorageError:
            raise
        except Exception as error:
            if is_outage(error):
                return Failed(name=OUTAGE, message=str(error))
            if not isinstance(error, RostrumError):
                logger.exception("%s failed", label)
            return _failure(pages, job, job.failed(error, Store(sealed.root)))
        made = _made(sealed, outcome, record) if record is not None else outcome.reason
        logs.logger.info("%s in %.1f s: %s", outcome.state, outcome.seconds, made)
        if record is not None:
            with warning(f"the page of {job.stage.name}", logger):
                pages.publish_stage(job, record)
    name = "Completed" if outcome.state == "run" else outcome.state.capitalize()
    return Completed(name=name, message=made or None, data=outcome)


def _failure(pages: Pages, job: Job, outcome: Outcome) -> State[Any]:
    logs.logger.error("failed: %s", outcome.reason)
    with warning(f"the failure of {job.stage.name}", get_run_logger()):
        pages.publish_failure(job, outcome.reason)
    return Failed(message=outcome.reason, data=outcome)


def _made(sealed: Sealed, outcome: Outcome, record: Record) -> str:
    """What was made, how fast, by which model, and where: `249 words, 4.7x real time, tiny.en, runs/...`."""
    job = sealed.job
    pace = f"{sealed.audio / outcome.seconds:.1f}x real time" if sealed.audio and outcome.seconds else ""
    path = f"{sealed.root}/{job.item.scope}/{job.stage.name}.json"
    return ", ".join(filter(None, (headline(job.stage.name, record), pace, *job.model, path)))


class StageRuns:
    """Workers for `pipeline.run.execute`. Each job is a task run in the subflow run of its speech or motion.

    Jobs that use the device hold one slot of `limit` together, a global concurrency limit of the Prefect server.
    """

    def __init__(self, plan: RunPlan, pages: Pages, items: ItemRuns, limit: str | None, watcher: Watcher) -> None:
        context = FlowRunContext.get()
        assert context is not None
        self.capacity = capacity_of(context.task_runner)
        self._root, self._pages, self._items, self._limit = plan.store.root, pages, items, limit
        self._watcher = watcher
        self._audio = {
            each.scope: each.figures["duration"] for each in plan.done.values() if "duration" in each.figures
        }
        self._futures: dict[Place, PrefectFuture[Any]] = {}
        self._waiting = Counter(place for job in plan.jobs for place in _dependencies(job))
        self._jobs: dict[PrefectFuture[Any], Job] = {}
        self._lost: Counter[Place] = Counter()
        self._ended: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()

    def submit(self, job: Job) -> None:
        """Submit a job, together with the task runs of its dependencies: the UI's graph draws lines to them."""
        after = [self._futures[place] for place in _dependencies(job) if place in self._futures]
        tags = [tag for tag in (job.stage.name, job.item.motion, job.item.speaker) if tag]
        named = run_stage.with_options(name=job.stage.name, tags=tags, description=job.stage.summary)
        sealed = Sealed(job, self._root, self._pages, self._audio.get(job.item.scope, 0.0), self._watcher)
        label, limit = f"{job.stage.name}[{job.item.id}]", self._limit if job.uses_device else None
        with self._items.inside(job.item):
            future: PrefectFuture[Any] = named.submit(label, sealed, after, limit)
        self._futures[job.place] = future
        self._jobs[future] = job
        future.add_done_callback(self._ended.put)

    def next_ended(self) -> tuple[Job, Outcome]:
        while True:
            future = self._ended.get()
            job = self._jobs.pop(future)
            outcome = _outcome(job, future)
            if outcome is None and self._lost[job.place] < MOST_OUTAGES:
                self._lost[job.place] += 1
                wait_for_server()
                self.submit(job)  # if its result was stored already, it is reused
                continue
            outcome = outcome or job.outcome("failed", reason="the Prefect server answers, but not to this stage")
            self._forget(job, outcome)
            if "duration" in outcome.figures:
                self._audio[outcome.scope] = outcome.figures["duration"]
            self._items.ended(job, outcome, future.state.message or outcome.reason)
            return job, outcome

    def _forget(self, job: Job, outcome: Outcome) -> None:
        """Drop the task runs that no later job depends on. Each takes some 20 kB, and a run may have 100,000."""
        self._waiting.subtract(dependencies := _dependencies(job))
        for place in (job.place, *dependencies):
            if not self._waiting[place] or (place == job.place and outcome.state == "failed"):
                self._futures.pop(place, None)


def _dependencies(job: Job) -> list[Place]:
    return [place for places in job.stored.values() for place in places.values()]


def _outcome(job: Job, future: PrefectFuture[Any]) -> Outcome | None:
    """How the job ended; None if it lost the server and must be submitted again."""
    try:
        future.wait()  # before, the state would be read from the server, which may be late
        state = future.state
        if state.name == OUTAGE:
            return None
        found = future.result(raise_on_failure=False)
        if isinstance(found, Outcome):
            return found
        if isinstance(found, RostrumError):
            return job.failed(found)
        return job.outcome("failed", reason=state.message or state.type.value)
    except Exception as error:  # the worker could not begin: a library is missing, its connection broke, it died
        if is_outage(error):
            return None
        get_run_logger().error("%s of %s could not begin", job.stage.name, job.item.id, exc_info=error)
        return job.failed(error)

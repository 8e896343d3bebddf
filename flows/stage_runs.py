"""Where task runs go: threads of this process, processes of this machine, or the workers of a Dask cluster."""

from collections import Counter
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner

from flows.device import Device, device_of
from flows.item_runs import ItemRuns
from flows.publish import warning
from flows.server.temporary import is_outage, wait_for_server
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Record
from pipeline.report.markdown import headline, page
from pipeline.run.execute import Watcher
from pipeline.run.job import Item, Job, Outcome, perform
from pipeline.run.plan import RunPlan
from pipeline.run.schedule import Capacity
from pipeline.run.scopes import Place
from pipeline.run.store import Store
from pipeline.run.telemetry import span_of
from pipeline.system import logs
from pipeline.system.environment import jobs_at_once, prepare_environment, usable_cores
from pipeline.system.interrupt import end_with_parent

CONNECT_SECONDS = 20
# A stage that waits longer than this for its device is shown as waiting.
SHORT_WAIT = 1.0


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
        Client(f"tcp://{address}", timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise RostrumError(
            f"--on dask://{address}: no Dask scheduler answers there; start one: dask scheduler"
        ) from error
    return DaskTaskRunner(address=f"tcp://{address}")


# Jobs as Prefect task runs, on the task runner of the flow.

# How often one stage is submitted again because the server was away or busy.
MOST_OUTAGES = 20


class StageTask:
    """A job as the parameter of a task. Prefect and Dask search other parameters for futures, which takes time.

    `audio` is how many seconds the job's recording has, if that is known.
    """

    def __init__(self, job: Job, root: str, audio: float, watcher: Watcher | None = None) -> None:
        self.job, self.root, self.audio = job, root, audio
        self.watcher = watcher or Watcher()

    def __reduce__(self) -> tuple[type["StageTask"], tuple[Job, str, float]]:
        """Leave out the watcher: progress is shown by this process only."""
        return StageTask, (self.job, self.root, self.audio)


class StageEnd(NamedTuple):
    """How a stage ended, and its record as Markdown. No outcome: the Prefect server was away, so it is tried again."""

    outcome: Outcome | None
    body: str | None = None


def _is_storage_error(_task: Any, _run: Any, state: State[Any]) -> bool:
    """Retry storage errors only; a bad file would fail again."""
    return isinstance(state.result(raise_on_failure=False), StorageError)


@task(
    task_run_name="{label}",
    retries=2,
    retry_delay_seconds=2,
    retry_condition_fn=_is_storage_error,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def run_stage(label: str, stage_task: StageTask, after: list[Any]) -> State[StageEnd]:
    """Do one stage of one speech or motion. Its record is stored, and returned as the Markdown of its page."""
    prepare_environment()  # needed where a worker process begins with this function
    logs.configure()
    job, logger = stage_task.job, get_run_logger()
    with logs.about(speech=job.item.scope, stage=job.stage.name), logs.forwarded_to(logger), span_of(job):
        try:
            outcome, record = perform(job, Store(stage_task.root), partial(stage_task.watcher.progressed, job))
        except StorageError:
            raise
        except Exception as error:
            if is_outage(error):
                return Failed(message=f"the Prefect server is away: {error}", data=StageEnd(None))
            if not isinstance(error, RostrumError):
                logger.exception("%s failed", label)
            return _failure(job.failed(error, Store(stage_task.root)))
        result = _result_line(stage_task, outcome, record) if record is not None else outcome.reason
        logs.logger.info("%s in %.1f s: %s", outcome.state, outcome.seconds, result)
        body = None
        if record is not None:
            with warning(f"the page of {job.stage.name}", logger):
                body = page(job.stage.name, record)
    name, message = _named(outcome, result)
    return Completed(name=name, message=message, data=StageEnd(outcome, body))


def _named(outcome: Outcome, result: str) -> tuple[str | None, str | None]:
    """The name and the message of the state. Other names than Prefect's own are not among the filters of its UI."""
    if outcome.state == "cached":
        return "Cached", result or None
    return None, f"skipped: {result}" if outcome.state == "skipped" else result or None


def _failure(outcome: Outcome) -> State[StageEnd]:
    logs.logger.error("failed: %s", outcome.reason)
    return Failed(message=outcome.reason, data=StageEnd(outcome))


def _result_line(stage_task: StageTask, outcome: Outcome, record: Record) -> str:
    """What was made, how fast, by which model, and where: `249 words, 4.7x real time, tiny.en, runs/...`."""
    job = stage_task.job
    pace = f"{stage_task.audio / outcome.seconds:.1f}x real time" if stage_task.audio and outcome.seconds else ""
    path = f"{stage_task.root}/{job.item.scope}/{job.stage.name}.json"
    return ", ".join(filter(None, (headline(job.stage.name, record), pace, *job.model, path)))


class StageRuns:
    """Workers for `pipeline.run.execute`. Each job is a task run in the subflow run of its speech or motion.

    A job that uses a device is submitted when this process holds the device, so that its bar has no wait in it. Task
    runners with several processes share the device by themselves.
    """

    def __init__(self, plan: RunPlan, items: ItemRuns, watcher: Watcher) -> None:
        context = FlowRunContext.get()
        assert context is not None
        self.capacity = capacity_of(context.task_runner)
        self._root, self._items, self._watcher = plan.store.root, items, watcher
        self._is_alone = isinstance(context.task_runner, ThreadPoolTaskRunner)
        self._audio = {
            each.scope: each.figures["duration"] for each in plan.done.values() if "duration" in each.figures
        }
        self._futures: dict[Place, PrefectFuture[Any]] = {}
        self._waiting = Counter(place for job in plan.jobs for place in _dependencies(job))
        self._jobs: dict[PrefectFuture[Any], Job] = {}
        self._lost: Counter[Place] = Counter()
        self._ended: SimpleQueue[PrefectFuture[Any] | BaseException] = SimpleQueue()
        self._for_device: SimpleQueue[Job | None] = SimpleQueue()

    def __enter__(self) -> "StageRuns":
        if self._is_alone:
            Thread(target=copy_context().run, args=(self._submit_with_device,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._for_device.put(None)

    def submit(self, job: Job) -> None:
        """Submit a job, together with the task runs of its dependencies: the UI's graph draws lines to them."""
        if self._is_alone and job.uses_device:
            self._for_device.put(job)
        else:
            self._submit(job)

    def _submit_with_device(self) -> None:
        """Submit jobs that use a device, each when this process holds the device."""
        while job := self._for_device.get():
            try:
                device = device_of(job)
                self._wait_for(device, job)
                try:
                    self._submit(job, device)
                except BaseException:
                    device.leave()
                    raise
            except BaseException as error:
                self._ended.put(error)

    def _wait_for(self, device: Device, job: Job) -> None:
        if device.join(seconds=SHORT_WAIT):
            return
        what = f"another run uses the device {device.name}"
        get_run_logger().info("%s of %s waits: %s", job.stage.name, job.item.id, what)
        logs.warn_once(f"{what}; this one goes on when that stage has ended")
        self._items.waits(job.item, what)
        self._watcher.progressed(job, 0.0, f"waits, {what}")
        device.join()
        self._watcher.began(job)
        self._items.goes_on(job.item)

    def _submit(self, job: Job, device: Device | None = None) -> None:
        """Submit the job to Prefect. It begins after those that it depends on, and leaves the device when it ends."""
        after = [self._futures[place] for place in _dependencies(job) if place in self._futures]
        # Without tags: for those, Prefect asks the server for limits of concurrency before and after every task run.
        named = run_stage.with_options(name=job.stage.name, description=job.stage.summary)
        stage_task = StageTask(job, self._root, self._audio.get(job.item.scope, 0.0), self._watcher)
        with self._items.inside(job.item):
            future: PrefectFuture[Any] = named.submit(f"{job.stage.name}[{job.item.id}]", stage_task, after)
        self._futures[job.place] = future
        self._jobs[future] = job
        if device:
            future.add_done_callback(lambda _: device.leave())
        future.add_done_callback(self._ended.put)

    def done_elsewhere(self, item: Item, jobs: int) -> None:
        self._items.done_elsewhere(item, jobs)

    def next_ended(self) -> tuple[Job, Outcome]:
        while True:
            future = self._ended.get()
            if isinstance(future, BaseException):
                raise future
            job = self._jobs.pop(future)
            end = _end(job, future)
            if end.outcome is None and self._lost[job.place] < MOST_OUTAGES:
                self._lost[job.place] += 1
                wait_for_server()
                self.submit(job)  # if its result was stored already, it is reused
                continue
            outcome = end.outcome or job.outcome("failed", reason="the Prefect server answers, but not to this stage")
            self._forget(job, outcome)
            if "duration" in outcome.figures:
                self._audio[outcome.scope] = outcome.figures["duration"]
            self._items.ended(job, outcome, future.state.message or outcome.reason, end.body, future.task_run_id)
            return job, outcome

    def _forget(self, job: Job, outcome: Outcome) -> None:
        """Drop the task runs that no later job depends on. Each takes some 20 kB, and a run may have 100,000."""
        self._waiting.subtract(dependencies := _dependencies(job))
        for place in (job.place, *dependencies):
            if not self._waiting[place] or (place == job.place and outcome.state == "failed"):
                self._futures.pop(place, None)


def _dependencies(job: Job) -> list[Place]:
    return [place for places in job.stored.values() for place in places.values()]


def _end(job: Job, future: PrefectFuture[Any]) -> StageEnd:
    """How the job ended. There is no outcome if it lost the server and must be submitted again."""
    try:
        future.wait()  # before, the state would be read from the server, which may be late
        found = future.result(raise_on_failure=False)
        if isinstance(found, StageEnd):
            return found
        if isinstance(found, RostrumError):
            return StageEnd(job.failed(found))
        return StageEnd(job.outcome("failed", reason=future.state.message or future.state.type.value))
    except Exception as error:  # the worker could not begin: a library is missing, its connection broke, it died
        if is_outage(error):
            return StageEnd(None)
        get_run_logger().error("%s of %s could not begin", job.stage.name, job.item.id, exc_info=error)
        return StageEnd(job.failed(error))

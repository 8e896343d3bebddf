"""The flow `process-corpus`: every stage of every speech is a task run, and one bad file never stops the others."""

import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from pydantic import Field

from flows.capacity import capacity_of, slot_of
from flows.lost_runs import end_lost_runs
from flows.outage import OUTAGE, is_outage, wait_for_server
from flows.publish import publish, publish_speeches, warning
from flows.report import show
from pipeline.corpus import open_corpus
from pipeline.engine.job import Job, Outcome, perform
from pipeline.engine.plan import Item, Plan, chosen_stages, plans
from pipeline.engine.schedule import Schedule
from pipeline.engine.store import Store
from pipeline.engine.summary import Known, RunSummary, item_summary, now, save
from pipeline.errors import RostrumError, StorageError
from pipeline.machine import prepare_environment
from pipeline.operations import logs
from pipeline.progress import Progress
from pipeline.settings import Settings
from pipeline.stages import stage_names

Listener = Callable[[Item, Outcome], None]
# Called with every outcome as it becomes known; set by whoever shows progress.
listener: ContextVar[Listener] = ContextVar("listener", default=lambda item, outcome: None)
# Called with the share of the report that is written.
reporting: ContextVar[Progress] = ContextVar("reporting", default=lambda share, what: None)
# In the form of the Prefect UI, stages are chosen from a list.
StageName = Annotated[str, Field(json_schema_extra={"enum": [*stage_names()]})]
Outcomes = dict[str, dict[str, Outcome]]  # by scope and stage
Futures = dict[tuple[str, str], PrefectFuture[Any]]
PROGRESS_SECONDS = 1.0


class Sealed:
    """A job as a parameter that Prefect and Dask hand on as it is: they would look for futures inside of it."""

    def __init__(self, job: Job) -> None:
        self.job = job


def _may_help(_task: Any, _run: Any, state: State[Any]) -> bool:
    """Trying again helps against storage that fails, not against a bad file."""
    return isinstance(state.result(raise_on_failure=False), StorageError)


@task(
    task_run_name="{label}",
    retries=2,
    retry_delay_seconds=2,
    retry_condition_fn=_may_help,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def run_stage(label: str, sealed: Sealed, root: str, after: list[Any], limit: str | None) -> State[Outcome]:
    """One stage of one speech or motion: what it makes is stored, and published as an artifact."""
    prepare_environment()  # the first thing that a worker process elsewhere does
    logs.configure()
    job, store = sealed.job, Store(root)
    with logs.about(speech=job.scope, stage=job.stage.name):
        try:
            with slot_of(limit):
                outcome = perform(job, store)
        except StorageError:
            raise
        except RostrumError as error:
            logs.logger.error("failed: %s", error)
            return Failed(message=str(error))
        except Exception as error:
            if is_outage(error):
                return Failed(name=OUTAGE, message=str(error))
            get_run_logger().exception("%s failed", label)
            return Failed(message=f"{type(error).__name__}: {error}")
        logs.logger.info("%s in %.1f s %s", outcome.state, outcome.seconds, outcome.reason)
        if outcome.state == "run":
            publish(job, store, get_run_logger())
    name = "Completed" if outcome.state == "run" else outcome.state.capitalize()
    return Completed(name=name, message=outcome.reason or None, data=outcome)


def _run_name() -> str:
    """The folder's own name: where it is, the parameters say."""
    from prefect.runtime import flow_run

    return Path(flow_run.parameters["folder"]).name


@flow(name="process-corpus", flow_run_name=_run_name, persist_result=False)
def process_corpus(
    folder: Path,
    out: str,
    stages: list[StageName] | None = None,
    settings: Settings = Settings(),  # noqa: B008
    limit: str | None = None,
    report: bool = True,
) -> State[str]:
    """Process a folder of recorded speeches. What is done already, with the same settings, is not done again.

    Args:
        folder: The corpus: audio files, with references beside them or manifests that describe them.
        out: Where the artifacts go: a folder, or an s3:// or gs:// URL.
        stages: The stages to run, with those that they take from; empty for all.
        settings: Every knob of every stage.
        limit: A global concurrency limit of the Prefect server that every stage with a model holds a slot of.
        report: Whether the HTML report is written at the end, to the folder _report in `out`.

    Returns:
        Where the report is, or why there is none.
    """
    started, clock = now(), time.perf_counter()
    corpus, store = open_corpus(folder), Store(out)
    store.clear_stale()
    todo = plans(corpus, chosen_stages(stages), settings, store)
    context = FlowRunContext.get()
    if context and context.flow_run:
        with warning("what became of earlier runs", get_run_logger()):
            end_lost_runs(context.flow_run.id)

    def summary(outcomes: Outcomes) -> RunSummary:
        return RunSummary(
            corpus=str(folder),
            started=started,
            seconds=round(time.perf_counter() - clock, 3),
            flow_run=str(context.flow_run.id) if context and context.flow_run else None,
            settings=settings,
            problems=[str(problem) for problem in corpus.problems],
            items=[item_summary(plan.item, outcomes[plan.item.scope].values()) for plan in todo],
            known=Known.of(corpus),
        )

    outcomes: Outcomes = {plan.item.scope: dict(plan.done) for plan in todo}
    save(summary(outcomes), store)  # so that a run that is killed can be looked at
    _carry_out(todo, outcomes, store, limit)
    ended = summary(outcomes)
    save(ended, store)
    publish_speeches(ended, store, get_run_logger())
    told = _show(store, report)
    get_run_logger().info(told)
    return final_state(ended, told)


def _show(store: Store, report: bool) -> str:
    """Apart from the flow itself, which goes to Dask's workers as it is: a context variable cannot go with it."""
    return show(store, report, reporting.get(), get_run_logger())


def final_state(summary: RunSummary, told: str) -> State[str]:
    """Completed, or completed with failures: how many, and why."""
    failures = summary.failures
    if not failures:
        states = Counter(outcome.state for item in summary.items for outcome in item.outcomes)
        return Completed(message=", ".join(f"{number} {state}" for state, number in states.items()), data=told)
    return Completed(name="CompletedWithFailures", message=f"{len(failures)} failed: " + "; ".join(failures), data=told)


def _carry_out(todo: list[Plan], outcomes: Outcomes, store: Store, limit: str | None) -> None:
    """Do every job as it becomes ready, and add its outcome to the others."""
    schedule = Schedule(todo, capacity_of(_runner()))
    progress = _Progress(len(schedule))
    futures: Futures = {}
    running: dict[PrefectFuture[Any], tuple[Item, Job]] = {}
    ended: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()

    def begin(item: Item, job: Job) -> None:
        future = _submit(item, job, store, limit, futures)
        futures[job.scope, job.stage.name] = future
        running[future] = (item, job)
        future.add_done_callback(ended.put)

    while True:
        for item, job in schedule.begin():
            begin(item, job)
        if not running:
            return
        future = ended.get()
        item, job = running.pop(future)
        outcome = _outcome(job, future)
        if outcome is None:
            wait_for_server()
            begin(item, job)  # what it stored, it finds
            continue
        schedule.end(job, failed=outcome.state == "failed")
        if outcome.state == "failed":
            del futures[job.scope, job.stage.name]
        outcomes[item.scope][outcome.stage] = outcome
        progress.step()
        listener.get()(item, outcome)


def _runner() -> Any:
    context = FlowRunContext.get()
    assert context is not None
    return context.task_runner


def _submit(item: Item, job: Job, store: Store, limit: str | None, futures: Futures) -> PrefectFuture[Any]:
    """Submit a job, with the task runs that it takes from, which the UI's graph draws lines to."""
    makers = (futures.get((place.scope, place.stage)) for places in job.stored.values() for place in places)
    after = [maker for maker in makers if maker is not None]
    tags = [tag for tag in (job.stage.name, item.motion, item.speaker) if tag]
    named = run_stage.with_options(name=job.stage.name, tags=tags, description=job.stage.summary)
    future: PrefectFuture[Any] = named.submit(
        f"{job.stage.name}[{item.id}]", Sealed(job), store.root, after, limit if job.stage.uses_device else None
    )
    return future


def _outcome(job: Job, future: PrefectFuture[Any]) -> Outcome | None:
    """How the job ended; None where it lost its server, and is to be begun again."""
    try:
        future.wait()  # until then the state is the server's, which may be a little behind
        state = future.state
        if state.name == OUTAGE:
            return None
        if state.is_final() and not state.is_completed():
            return Outcome(job.stage.name, job.scope, "failed", state.message or state.type.value)
        outcome: Outcome = future.result()
    except Exception as error:  # a worker that could not even begin: its libraries, its connection, its death
        return None if is_outage(error) else job.failed(error)
    return outcome


class _Progress:
    """The batch's progress in the Prefect UI, renewed at most once a second."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.shown = total, 0, 0.0
        self.artifact: Any = None  # Prefect's functions are typed for async callers too
        if total:
            with warning("the progress", get_run_logger()):
                self.artifact = create_progress_artifact(0.0, key="progress", description="stages done")

    def step(self) -> None:
        self.done += 1
        if self.artifact and (time.monotonic() - self.shown > PROGRESS_SECONDS or self.done == self.total):
            self.shown = time.monotonic()
            with warning("the progress", get_run_logger()):
                update_progress_artifact(self.artifact, 100 * self.done / self.total)

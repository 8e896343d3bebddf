"""Carries out a planned run: each job when its dependencies have ended, and one summary of it all."""

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from pipeline.engine.job import Job, Outcome, perform
from pipeline.engine.plan import RunPlan
from pipeline.engine.schedule import Capacity, Schedule
from pipeline.engine.store import Store
from pipeline.engine.summary import RunSummary, now, save
from pipeline.errors import StorageError
from pipeline.progress import Progress, no_progress
from pipeline.records import Sentences, Transcript
from pipeline.system import logs, scratch
from pipeline.system.cores import jobs_at_once
from pipeline.system.interrupt import tidied_by
from pipeline.system.torchaudio import import_torchaudio

# The stored summary is renewed at most so often.
SAVE_SECONDS = 5.0


class Watcher:
    """Is told how a run goes. Here every method does nothing; a subclass overrides what it wants to know."""

    def began(self, job: Job) -> None:
        """A job is about to begin."""

    def progressed(self, job: Job, share: float, what: str) -> None:
        """A job has come that far, from 0 to 1. Called from the thread that does it."""

    def ended(self, job: Job, outcome: Outcome) -> None:
        """A job has ended."""


class Workers(Protocol):
    """Where jobs are done."""

    @property
    def capacity(self) -> Capacity:
        """How many jobs to submit before one has ended."""

    def submit(self, job: Job) -> None:
        """Begin a job, and return at once."""

    def next_ended(self) -> tuple[Job, Outcome]:
        """Wait for the next job to end."""


class Threads:
    """Workers in this process: one thread for stages that are alone, one per core for the rest."""

    def __init__(self, store: Store, watcher: Watcher) -> None:
        self.capacity = Capacity(device=1, others=jobs_at_once())
        self._store, self._watcher = store, watcher
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._ended: SimpleQueue[tuple[Job, Outcome]] = SimpleQueue()
        self._count = self.capacity.device + self.capacity.others

    def __enter__(self) -> "Threads":
        for _ in range(self._count):
            # A daemon: a process that is interrupted does not wait for the stage that runs.
            Thread(target=self._work, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        for _ in range(self._count):
            self._jobs.put(None)

    def submit(self, job: Job) -> None:
        self._jobs.put(job)

    def next_ended(self) -> tuple[Job, Outcome]:
        return self._ended.get()

    def _work(self) -> None:
        while job := self._jobs.get():
            self._ended.put((job, attempt(job, self._store, partial(self._watcher.progressed, job))))


def attempt(job: Job, store: Store, progress: Progress = no_progress) -> Outcome:
    """Do one job here and now. An error is the job's outcome, and nothing else's trouble."""
    with logs.about(speech=job.item.scope, stage=job.stage.name):
        try:
            return perform(job, store, progress).outcome
        except Exception as error:
            return job.failed(error, store)


def execute(
    plan: RunPlan,
    workers: Workers | None = None,
    *,
    watcher: Watcher | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
    flow_run: str | None = None,
) -> RunSummary:
    """Do what the plan says is to be done, and return what came of it.

    The summary is stored at the beginning and now and then, so that a run that is killed can be looked at, and at the
    end, whatever ends the run. The `watcher` is told how it goes. Once `is_cancelled`, no further job begins.
    `flow_run` is Prefect's id of the run.
    """
    watcher = watcher or Watcher()
    started, clock = now(), time.perf_counter()
    outcomes = dict(plan.done)

    def summary() -> RunSummary:
        seconds = round(time.perf_counter() - clock, 3)
        return plan.summary(outcomes, started=started, seconds=seconds, flow_run=flow_run)

    plan.store.clear_stale()
    scratch.clear()
    import_libraries(plan)
    saved = _Saved(plan.store)
    saved.save(summary())
    try:
        with (
            tidied_by(lambda: saved.save(summary())),
            nullcontext(workers) if workers else Threads(plan.store, watcher) as busy,
        ):
            for job, outcome in _ended_jobs(plan, busy, watcher, is_cancelled):
                outcomes[job.place] = outcome
                watcher.ended(job, outcome)
                if saved.is_old:
                    with suppress(StorageError):
                        saved.save(summary())
    finally:
        result = summary()
        saved.save(result)
    return result


def import_libraries(plan: RunPlan) -> None:
    """Import what several stages share, before there are threads.

    These libraries import one another in circles, in which two threads that begin at once find a half-made module:
    torchaudio and those on it, for the stages with a model; nltk and scikit-learn, for those that read text.
    """
    if any(job.stage.uses_device for job in plan.jobs):
        import_torchaudio()
    if any(each.kind in (Transcript, Sentences) for job in plan.jobs for each in job.stage.inputs):
        import nltk  # noqa: F401


class _Saved:
    """The stored summary, which is renewed now and then: the bigger it is, the less often."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._next = 0.0

    @property
    def is_old(self) -> bool:
        return time.monotonic() > self._next

    def save(self, summary: RunSummary) -> None:
        began = time.monotonic()
        save(summary, self._store)
        ended = time.monotonic()
        self._next = ended + max(SAVE_SECONDS, 50 * (ended - began))


def _ended_jobs(
    plan: RunPlan, workers: Workers, watcher: Watcher, is_cancelled: Callable[[], bool]
) -> Iterator[tuple[Job, Outcome]]:
    """Every job of the plan that can be done, as it ends."""
    failed = [place for place, outcome in plan.done.items() if outcome.state == "failed"]
    schedule = Schedule(plan.jobs, failed, workers.capacity)
    running = 0
    while True:
        for job in () if is_cancelled() else schedule.begin():
            watcher.began(job)
            workers.submit(job)
            running += 1
        if not running:
            return
        job, outcome = workers.next_ended()
        running -= 1
        schedule.end(job, failed=outcome.state == "failed")
        yield job, outcome

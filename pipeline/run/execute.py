"""Carries out a planned run: each job when its dependencies have ended, and one summary of it all."""

import heapq
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from pipeline.errors import StorageError
from pipeline.progress import Progress, no_progress
from pipeline.run.job import Job, Outcome, perform
from pipeline.run.plan import RunPlan
from pipeline.run.scopes import Place
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary, now, save
from pipeline.run.voices import keep_voices
from pipeline.run.writer import refuse_other_writer
from pipeline.segment import Sentences
from pipeline.system import logs, scratch
from pipeline.system.environment import import_torchaudio, jobs_at_once
from pipeline.system.interrupt import tidied_by
from pipeline.transcribe import Transcript

# Decides which job begins next: one whose dependencies have ended, and of earlier speeches first.


@dataclass(frozen=True)
class Capacity:
    """How many jobs may run at once: those that have the device to themselves, and the others."""

    device: int
    others: int


class Schedule:
    """The jobs that wait, those that may begin now, and those that are lost because another job failed.

    `failed` are the places of artifacts whose jobs failed while they were planned.
    """

    def __init__(self, jobs: Iterable[Job], failed: Iterable[Place], capacity: Capacity) -> None:
        self._jobs = {job.place: job for job in jobs}
        self._rank = {place: rank for rank, place in enumerate(self._jobs)}
        self._free = {True: capacity.device, False: capacity.others}
        self._ready: dict[bool, list[tuple[int, Place]]] = {True: [], False: []}
        self._waits: dict[Place, set[Place]] = {}
        self._followers: dict[Place, list[Place]] = defaultdict(list)
        for place, job in self._jobs.items():
            self._waits[place] = {maker for maker in _makers(job) if maker in self._jobs}
            for maker in self._waits[place]:
                self._followers[maker].append(place)
            if not self._waits[place]:
                self._make_ready(place)
        self._lost = set(failed)
        for place, job in self._jobs.items():
            if self._lost & job.needed:
                self._drop(place)

    def begin(self) -> Iterator[Job]:
        """Yield the jobs that may begin now. Each counts as running until `end` is called for it."""
        for alone, ready in self._ready.items():
            while ready and self._free[alone]:
                _, place = heapq.heappop(ready)
                if place not in self._lost:
                    self._free[alone] -= 1
                    yield self._jobs[place].without(self._lost)

    def end(self, job: Job, *, failed: bool) -> None:
        """Note that a job has ended. After a failure, jobs that need its result are dropped.

        A job of a motion is still done, without the speech that failed.
        """
        self._free[job.is_alone] += 1
        if failed:
            self._lost.add(job.place)
        self._let_go(job.place, failed)

    def _let_go(self, place: Place, failed: bool) -> None:
        for follower in self._followers[place]:
            self._waits[follower].discard(place)
            if failed and place in self._jobs[follower].needed:
                self._drop(follower)
            elif not self._waits[follower]:
                self._make_ready(follower)

    def _make_ready(self, place: Place) -> None:
        heapq.heappush(self._ready[self._jobs[place].is_alone], (self._rank[place], place))

    def _drop(self, place: Place) -> None:
        if place not in self._lost:
            self._lost.add(place)
            self._let_go(place, failed=True)


def _makers(job: Job) -> Iterator[Place]:
    """The places of all artifacts that the job reads."""
    for places in job.stored.values():
        yield from places.values()


# Carries out a planned run: each job when its dependencies have ended, and one summary of it all.

# The stored summary is written again after so many seconds, or more.
SAVE_SECONDS = 5.0


class Watcher:
    """Follows a run. A subclass overrides the methods that it needs; here they do nothing."""

    def began(self, job: Job) -> None:
        """A job is about to begin."""

    def progressed(self, job: Job, share: float, what: str) -> None:
        """A job has done this share of its work, from 0 to 1. Called from the thread that does the job."""

    def ended(self, job: Job, outcome: Outcome) -> None:
        """A job has ended."""


class Workers(Protocol):
    """Carries out jobs: in threads, in processes or on other machines."""

    @property
    def capacity(self) -> Capacity:
        """How many jobs may run at once."""

    def submit(self, job: Job) -> None:
        """Begin a job, and return at once."""

    def next_ended(self) -> tuple[Job, Outcome]:
        """Wait for the next job to end."""


class Threads:
    """Workers in this process: one thread for jobs that have the device to themselves, one per core for the others."""

    def __init__(self, store: Store, watcher: Watcher) -> None:
        self.capacity = Capacity(device=1, others=jobs_at_once())
        self._store, self._watcher = store, watcher
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._ended: SimpleQueue[tuple[Job, Outcome]] = SimpleQueue()
        self._count = self.capacity.device + self.capacity.others

    def __enter__(self) -> "Threads":
        for _ in range(self._count):
            # A daemon thread, so that an interrupted process does not wait for the stage that runs.
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
    """Do one job in this thread, and return its outcome. An error becomes the outcome, so that other jobs go on."""
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
    """Do the jobs of the plan, and return the summary of the run.

    The summary is stored when the run begins, every few seconds, and when it ends, also by an error: a run that was
    killed can be looked at. The `watcher` follows the run. Once `is_cancelled`, no further job begins. `flow_run` is
    Prefect's id of the run.
    """
    watcher = watcher or Watcher()
    plan.store.clear_stale()
    scratch.clear()
    import_libraries(plan)
    kept = _KeptSummary(plan, flow_run)
    kept.save()
    try:
        with (
            tidied_by(kept.save),
            nullcontext(workers) if workers else Threads(plan.store, watcher) as busy,
        ):
            for job, outcome in _ended_jobs(plan, busy, watcher, is_cancelled):
                kept.outcomes[job.place] = outcome
                watcher.ended(job, outcome)
                kept.save_if_old()
        keep_voices(plan.corpus, plan.store)
    finally:
        result = kept.save()
    return result


def import_libraries(plan: RunPlan) -> None:
    """Import the libraries that several stages share, before there are threads.

    These libraries have circular imports. Two threads that begin to import one at the same time can find a module that
    is only partly loaded. Stages with a model use torchaudio; stages that read text use nltk, which imports
    scikit-learn.
    """
    if any(job.uses_device for job in plan.jobs):
        import_torchaudio()
    if any(each.kind in (Transcript, Sentences) for job in plan.jobs for each in job.stage.inputs):
        import nltk  # noqa: F401


class _KeptSummary:
    """The summary of a run that goes on, and its stored copy."""

    def __init__(self, plan: RunPlan, flow_run: str | None) -> None:
        self.outcomes = dict(plan.done)
        self._plan, self._flow_run = plan, flow_run
        self._started, self._clock = now(), time.perf_counter()
        self._next = 0.0

    def save(self) -> RunSummary:
        """Store the summary as it is now, and return it."""
        began = time.perf_counter()
        seconds = round(began - self._clock, 3)
        summary = self._plan.summary(self.outcomes, started=self._started, seconds=seconds, flow_run=self._flow_run)
        refuse_other_writer(self._plan.store)
        save(summary, self._plan.store)
        ended = time.perf_counter()
        # A large summary takes long to write, so it is written less often.
        self._next = ended + max(SAVE_SECONDS, 50 * (ended - began))
        return summary

    def save_if_old(self) -> None:
        if time.perf_counter() > self._next:
            with suppress(StorageError):  # the next one may succeed
                self.save()


def _ended_jobs(
    plan: RunPlan, workers: Workers, watcher: Watcher, is_cancelled: Callable[[], bool]
) -> Iterator[tuple[Job, Outcome]]:
    """Submit the jobs of the plan, and yield each with its outcome as it ends."""
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

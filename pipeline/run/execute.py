"""Carries out a planned run: each job when its dependencies have ended, and one summary of it all."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from pipeline.errors import StorageError
from pipeline.grouping import grouped
from pipeline.progress import Progress, no_progress
from pipeline.run.index import ItemRecord, read_record, record_name, remove_records, save_head, write_records
from pipeline.run.job import Item, Job, Outcome, perform
from pipeline.run.plan import RunPlan, done_meanwhile
from pipeline.run.schedule import Capacity, Schedule
from pipeline.run.scopes import Place
from pipeline.run.sharing import Leases, no_leases
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary, now
from pipeline.run.telemetry import figures_served, span_of
from pipeline.run.voices import keep_voices
from pipeline.segment import Sentences
from pipeline.stage import STAGES
from pipeline.system import logs, scratch
from pipeline.system.environment import import_torchaudio, jobs_at_once
from pipeline.system.interrupt import tidied_by
from pipeline.transcribe import Transcript

# What has changed is stored after so many seconds, or more.
SAVE_SECONDS = 5.0
# How often this looks for speeches that another run has, and how many of them it looks at.
LOOK_SECONDS, MOST_LOOKED_AT = 1.0, 16


class Watcher:
    """Follows a run. A subclass overrides the methods that it needs; here they do nothing."""

    def began(self, job: Job) -> None:
        """A job is about to begin. Called again if it has waited for something that other programs use."""

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

    def done_elsewhere(self, item: Item, jobs: int) -> None:
        """Note that so many jobs of a speech or motion are done by another run, and not submitted."""


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

    def done_elsewhere(self, item: Item, jobs: int) -> None:
        pass

    def _work(self) -> None:
        while job := self._jobs.get():
            self._ended.put((job, attempt(job, self._store, partial(self._watcher.progressed, job))))


def attempt(job: Job, store: Store, progress: Progress = no_progress) -> Outcome:
    """Do one job in this thread, and return its outcome. An error becomes the outcome, so that other jobs go on."""
    with logs.about(speech=job.item.scope, stage=job.stage.name), span_of(job):
        try:
            return perform(job, store, progress).outcome
        except Exception as error:
            return job.failed(error, store)


def execute(
    plan: RunPlan,
    workers: Workers | None = None,
    *,
    leases: Leases | None = None,
    watcher: Watcher | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
    flow_run: str | None = None,
) -> RunSummary:
    """Do the jobs of the plan, and return the summary of the run.

    How stages ended is stored when the run begins, every few seconds, and when it ends, also by an error: a run that
    was killed can be looked at. The `leases` decide which speeches and motions this run does, and which ones others do.
    The `watcher` follows the run. Once `is_cancelled`, no further job begins. `flow_run` is Prefect's id of the run.
    """
    watcher, leases = watcher or Watcher(), leases or no_leases(plan.store)
    plan.store.clear_stale()
    scratch.clear()
    import_libraries(plan)
    progress = _Progress(plan, leases, flow_run)
    progress.begin()
    try:
        with (
            tidied_by(progress.save),
            figures_served(plan) as count,
            nullcontext(workers) if workers else Threads(plan.store, watcher) as busy,
        ):
            for job, outcome in _Execution(plan, busy, watcher, leases, progress).ended_jobs(is_cancelled):
                watcher.ended(job, outcome)
                count(job, outcome)
                progress.save_if_old()
        keep_voices(plan.corpus, plan.store)
    finally:
        result = progress.save()
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


class _Progress:
    """The outcomes of a run that goes on, and their stored copies."""

    def __init__(self, plan: RunPlan, leases: Leases, flow_run: str | None) -> None:
        self.outcomes = dict(plan.done)
        self.records = dict(plan.records)
        self._plan, self._leases, self._flow_run = plan, leases, flow_run
        self._changed: set[str] = set()
        self._started, self._clock = now(), time.perf_counter()
        self._next = 0.0

    def begin(self) -> None:
        """Store what is known before anything is done."""
        if self._leases.others():
            self._plan.store.each(self._store_unless_changed, self._plan.changed)
        else:
            write_records(self._plan.store, self._plan.changed)
            remove_records(self._plan.store, self._plan.removed)
        self.save()

    def _store_unless_changed(self, record: ItemRecord) -> None:
        """Store a record, unless another run has stored one since this one was planned."""
        name = record_name(record)
        if self._leases.take(name):
            if read_record(self._plan.store, name) == self._plan.before.get(name):
                write_records(self._plan.store, [record])
            self._leases.give_back(name)

    def add(self, outcome: Outcome) -> None:
        """Note how a job has ended."""
        self.outcomes[Place(outcome.scope, outcome.stage)] = outcome
        record = self.records[outcome.scope]
        every = {each.stage: each for each in (*record.outcomes, outcome)}
        outcomes = [every[stage] for stage in STAGES if stage in every]
        self.records[outcome.scope] = record.model_copy(update={"outcomes": outcomes})
        self._changed.add(outcome.scope)

    def end(self, scope: str) -> None:
        """Store that all jobs of a speech or motion have ended."""
        update = {"ended": self._plan.key, "by": self._leases.token}
        self.records[scope] = self.records[scope].model_copy(update=update)
        self._changed.add(scope)
        self._store()

    def save(self) -> RunSummary:
        """Store what has changed, and return the summary as it is now."""
        began = time.perf_counter()
        seconds = round(began - self._clock, 3)
        summary = self._plan.summary(self.outcomes, started=self._started, seconds=seconds, flow_run=self._flow_run)
        self._leases.check()
        self._store()
        save_head(summary, self._plan.store)
        ended = time.perf_counter()
        # A large summary takes long to make, so it is made less often.
        self._next = ended + max(SAVE_SECONDS, 50 * (ended - began))
        return summary

    def save_if_old(self) -> None:
        if time.perf_counter() > self._next:
            with suppress(StorageError):  # the next one may succeed
                self.save()

    def _store(self) -> None:
        changed, self._changed = self._changed, set()
        try:
            write_records(self._plan.store, [self.records[scope] for scope in changed])
        except BaseException:
            self._changed |= changed
            raise


class _Execution:
    """Carries out the jobs of a plan that no other run does."""

    def __init__(self, plan: RunPlan, workers: Workers, watcher: Watcher, leases: Leases, progress: _Progress) -> None:
        self._plan, self._workers, self._watcher = plan, workers, watcher
        self._leases, self._progress = leases, progress
        failed = [place for place, outcome in plan.done.items() if outcome.state == "failed"]
        self._schedule = Schedule(plan.jobs, failed, workers.capacity, plan.durations)
        self._items = {job.item.scope: job.item for job in plan.jobs}
        self._on_motion = grouped((each.motion, each.scope) for each in self._items.values() if not each.is_motion)
        # The speeches and motions that this run has, and those that another one has.
        self._own: set[str] = set()
        self._refused: set[str] = set()
        self._next_look = 0.0
        self._is_told = False

    def ended_jobs(self, is_cancelled: Callable[[], bool]) -> Iterator[tuple[Job, Outcome]]:
        """Submit the jobs of the plan, and yield each with its outcome as it ends, here or in another run."""
        running = 0
        while True:
            for job in () if is_cancelled() else self._schedule.begin():
                if job.item.scope in self._own:
                    self._watcher.began(job)
                    self._workers.submit(job)
                    running += 1
                else:
                    self._schedule.put_off(job)
                    yield from self._begin(job.item)
            if not running and (is_cancelled() or not self._schedule.is_put_off):
                return
            if running:
                job, outcome = self._workers.next_ended()
                running -= 1
                self._schedule.end(job, failed=outcome.state == "failed")
                yield from self._ended(job, outcome)
            else:
                self._tell()
                time.sleep(LOOK_SECONDS)
            yield from self._look_again()

    def _begin(self, item: Item) -> Iterator[tuple[Job, Outcome]]:
        """Take a speech or motion, unless another run has it. Yields what another run has done of it."""
        others, scope = self._plan.others, item.scope
        if item.is_motion and others and others.of(item.id):
            if any(self._schedule.left(speech) for speech in self._on_motion.get(item.id, ())):
                return  # another shard would not know yet that these have ended
            if not others.have_ended(item.id):
                self._workers.done_elsewhere(item, len(self._schedule.left(scope)))
                self._schedule.drop(scope)
                return
            self._schedule.lose(others.lost(item.id))
        name = record_name(item)
        if scope in self._refused or not self._leases.take(name):
            self._refused.add(scope)
            return
        self._own.add(scope)
        stored, before = read_record(self._plan.store, name), self._plan.before.get(name)
        if stored and stored.by and stored.by != (before.by if before else ""):
            yield from self._settled(item, stored)
        self._schedule.take_up(scope)

    def _settled(self, item: Item, stored: ItemRecord) -> Iterator[tuple[Job, Outcome]]:
        """The jobs that another run has done since this one was planned."""
        self._progress.records[item.scope] = stored
        settled = list(done_meanwhile(self._schedule.left(item.scope), stored, self._plan.store))
        self._workers.done_elsewhere(item, len(settled))
        for job, outcome in settled:
            self._schedule.settle(job.place, failed=outcome.state == "failed")
            yield from self._ended(job, outcome)

    def _ended(self, job: Job, outcome: Outcome) -> Iterator[tuple[Job, Outcome]]:
        self._progress.add(outcome)
        scope = job.item.scope
        if not self._schedule.left(scope):
            self._progress.end(scope)
            self._leases.give_back(record_name(job.item))
            self._own.discard(scope)
        yield job, outcome

    def _look_again(self) -> Iterator[tuple[Job, Outcome]]:
        """Take speeches and motions that another run had, and has done or left."""
        if time.monotonic() < self._next_look:
            return
        scopes = self._schedule.is_put_off
        for scope in random.sample(scopes, min(len(scopes), MOST_LOOKED_AT)):
            self._refused.discard(scope)
            yield from self._begin(self._items[scope])
        self._next_look = time.monotonic() + LOOK_SECONDS

    def _tell(self) -> None:
        if not self._is_told:
            others = ", ".join(map(str, self._leases.others()))
            count = len(self._schedule.is_put_off)
            self._leases.tell(f"{self._plan.store.root}: waiting for {others or 'another run'}, which has {count} left")
            self._is_told = True

"""How far a run is, and how long it will take. Each job counts by its stage's pace and its recordings' durations."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.progress import Progress
from pipeline.run.execute import Watcher
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan
from pipeline.run.scopes import Place

# After so many seconds of work, the measured pace of a stage weighs as much as the expected one.
_TRUST_SECONDS = 0.5
# The first estimates are poor. None is given before so many seconds and this share of the work.
_SOONEST, _LEAST = 5.0, 0.005
# The largest share of a job that counts as done before it has ended, if its stage reports no progress.
_NEARLY_DONE = 0.9


class Running(NamedTuple):
    """A job that runs now: the share that is done, and what it is doing."""

    stage: str
    item: str
    share: float
    what: str


@dataclass
class _Begun:
    """A job that has begun: when, and the progress that it has reported since."""

    at: float
    share: float | None = None
    what: str = ""


@dataclass
class _Work:
    """Expected seconds of work: of all jobs of a stage or speech, and of those that have ended."""

    total: float = 0.0
    done: float = 0.0


@dataclass
class _Measured:
    """Seconds that jobs of a stage took, and that they were expected to take."""

    taken: float = 0.0
    expected: float = 0.0


@dataclass
class Estimate(Watcher):
    """Estimates how much of a run is done, and how long the rest takes. `clock` returns seconds."""

    plan: RunPlan
    clock: Callable[[], float] = time.monotonic
    ended_jobs: int = 0
    _open: dict[Place, Job] = field(default_factory=dict)
    _begun: dict[Place, _Begun] = field(default_factory=dict)
    _stages: dict[str, _Work] = field(default_factory=lambda: defaultdict(_Work))
    _scopes: dict[str, _Work] = field(default_factory=lambda: defaultdict(_Work))
    _measured: dict[str, _Measured] = field(default_factory=lambda: defaultdict(_Measured))
    _durations: dict[str, float] = field(default_factory=dict)
    _texts: set[str] = field(default_factory=set)
    _start: float | None = None

    def __post_init__(self) -> None:
        self._open = {job.place: job for job in self.plan.jobs}
        self._texts = self.plan.lengths_of_texts.keys() - self.plan.durations.keys()
        self._durations = self.plan.lengths_of_texts | self.plan.durations
        for job in self.plan.jobs:
            self._count(job, 1)

    def began(self, job: Job) -> None:
        now = self.clock()
        waited = self._begun.get(job.place)
        if self._start is None:
            self._start = now
        elif waited and len(self._begun) == 1:  # nothing was done meanwhile
            self._start += now - waited.at
        self._begun[job.place] = _Begun(now)

    def progressed(self, job: Job, share: float, what: str) -> None:
        if begun := self._begun.get(job.place):
            begun.share, begun.what = share, what

    def ended(self, job: Job, outcome: Outcome) -> None:
        self.ended_jobs += 1
        self._begun.pop(job.place, None)
        self._open.pop(job.place, None)
        expected = self._expected(job)
        for work in (self._stages[job.stage.name], self._scopes[job.item.scope]):
            work.done += expected
        if outcome.state == "run":
            self._measured[job.stage.name].taken += outcome.seconds
            self._measured[job.stage.name].expected += expected
        if outcome.state == "failed":
            self._drop_followers(job)
        if "duration" in outcome.figures:
            self._texts.discard(job.item.scope)
            self._set_duration(job.item.scope, outcome.figures["duration"])

    @property
    def share(self) -> float:
        """How much of the work is done, from 0 to 1."""
        done, total = self._seconds()
        return min(1.0, done / total) if total else 1.0

    @property
    def seconds_left(self) -> float | None:
        """How long the run will take from now on; None while it is too early to say."""
        elapsed = self.clock() - self._start if self._start is not None else 0.0
        done, total = self._seconds()
        if elapsed < _SOONEST or not done > _LEAST * total:
            return None
        return max(0.0, total - done) * elapsed / done

    @property
    def audio_total(self) -> float:
        """The duration of all recordings that this run works on, in seconds."""
        return sum(self._durations.get(scope, 0.0) for scope in self._scopes.keys() - self._texts)

    @property
    def audio_done(self) -> float:
        """How much of `audio_total` is done. A recording that is half done counts for half of its duration."""
        now = {scope: work.done for scope, work in self._scopes.items()}
        for place, begun in self._begun.items():
            now[place.scope] += self._expected(self._open[place]) * self._share(place, begun)
        shares = ((scope, now[scope] / work.total if work.total else 1.0) for scope, work in self._scopes.items())
        audio = ((scope, share) for scope, share in shares if scope not in self._texts)
        return sum(self._durations.get(scope, 0.0) * min(1.0, share) for scope, share in audio)

    @property
    def running(self) -> list[Running]:
        """The jobs that run now. The one that began first comes first."""
        begun = [(self._open[place], each) for place, each in self._begun.items() if place in self._open]
        return [Running(job.stage.name, job.item.id, each.share or 0.0, each.what) for job, each in begun]

    def _seconds(self) -> tuple[float, float]:
        """(done, total) seconds of work, at the pace that was measured in this run."""
        measured = {name: _Measured(each.taken, each.expected) for name, each in self._measured.items()}
        partly: dict[str, float] = defaultdict(float)
        for place, begun in list(self._begun.items()):
            job = self._open[place]
            expected, share = self._expected(job), self._share(place, begun)
            partly[job.stage.name] += expected * share
            if begun.share:
                each = measured.setdefault(job.stage.name, _Measured())
                each.taken += self.clock() - begun.at
                each.expected += expected * begun.share
        ratios = _ratios(measured, self._stages)
        done = sum(ratios[name] * (work.done + partly[name]) for name, work in self._stages.items())
        return done, sum(ratios[name] * work.total for name, work in self._stages.items())

    def _share(self, place: Place, begun: _Begun) -> float:
        """The share of a job that is done: as it reports, else the time it has run divided by the time expected."""
        job = self._open[place]
        if begun.share is not None or job.stage.reports:
            return begun.share or 0.0
        expected = self._expected(job)
        return min(_NEARLY_DONE, (self.clock() - begun.at) / expected) if expected else _NEARLY_DONE

    def _expected(self, job: Job) -> float:
        scopes = {job.item.scope, *(place.scope for places in job.stored.values() for place in places.values())}
        return job.stage.pace * sum(self._durations.get(scope, 0.0) for scope in scopes)

    def _count(self, job: Job, sign: int) -> None:
        """Add the job's work to that of its stage and its speech, or take it away."""
        expected = self._expected(job)
        for work in (self._stages[job.stage.name], self._scopes[job.item.scope]):
            work.total += sign * expected

    def _set_duration(self, scope: str, seconds: float) -> None:
        """Use the true duration of a recording for the jobs that have not ended. Ended jobs keep what they counted."""
        waiting = [job for job in self._open.values() if job.item.scope == scope]
        for job in waiting:
            self._count(job, -1)
        self._durations[scope] = seconds
        for job in waiting:
            self._count(job, 1)

    def _drop_followers(self, failed: Job) -> None:
        """Remove the jobs that need the result of a failed one."""
        lost = {failed.place}
        for place, job in list(self._open.items()):
            needed = {maker for makers in job.stored.values() for maker in makers.values()}
            if place.scope == failed.item.scope and needed & lost and place not in self._begun:
                lost.add(place)
                self._count(job, -1)
                del self._open[place]


class ProgressWatcher(Estimate):
    """Calls `progress` with the share of a run's work that is done, and what is being done."""

    def __init__(self, plan: RunPlan, progress: Progress) -> None:
        super().__init__(plan)
        self._progress = progress

    def progressed(self, job: Job, share: float, what: str) -> None:
        super().progressed(job, share, what)
        self._progress(self.share, f"{job.stage.name} {job.item.id}: {what}")

    def ended(self, job: Job, outcome: Outcome) -> None:
        super().ended(job, outcome)
        self._progress(self.share, f"{job.stage.name} {job.item.id}: {outcome.state}")


def _ratios(measured: Mapping[str, _Measured], stages: Mapping[str, _Work]) -> dict[str, float]:
    """How many times slower than expected each stage is. One that has not run yet gets the ratio of all others.

    It is not taken for faster than expected: others may have been faster because of what they were asked for, such as
    speech activity in the place of speakers.
    """
    taken = sum(each.taken for each in measured.values())
    expected = sum(each.expected for each in measured.values())
    overall = max(1.0, (taken + _TRUST_SECONDS) / (expected + _TRUST_SECONDS))
    own = {name: measured.get(name, _Measured()) for name in stages}
    return {
        name: (each.taken + overall * _TRUST_SECONDS) / (each.expected + _TRUST_SECONDS) for name, each in own.items()
    }

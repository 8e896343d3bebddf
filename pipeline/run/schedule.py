"""Decides which job of a run begins next: one whose dependencies have ended, and of the longest recording first.

At the end of a run, short recordings fill the cores; a long one would keep one of them busy alone.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pipeline.run.job import Job
from pipeline.run.scopes import Place

# At least so many speeches and motions may have begun and not ended.
LEAST_BEGUN = 16


@dataclass(frozen=True)
class Capacity:
    """How many jobs may run at once: those that have the device to themselves, and the others."""

    device: int
    others: int


class Schedule:
    """The jobs that wait, those that may begin now, and those that are lost because another job failed.

    `failed` are the places of artifacts whose jobs failed while they were planned. `durations` are the seconds of the
    recordings, by scope; those of one length begin in the order of the jobs. Only so many speeches and motions are
    begun before others have ended: a run that shares the work leaves some to the others.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        failed: Iterable[Place],
        capacity: Capacity,
        durations: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self._jobs = {job.place: job for job in jobs}
        longest_first = sorted(self._jobs, key=lambda place: -durations.get(place.scope, 0.0))
        self._rank = {place: rank for rank, place in enumerate(longest_first)}
        self._free = {True: capacity.device, False: capacity.others}
        self._most = max(LEAST_BEGUN, 2 * (capacity.device + capacity.others))
        self._ready: dict[bool, list[tuple[int, Place]]] = {True: [], False: []}
        self._waits: dict[Place, set[Place]] = {}
        self._followers: dict[Place, list[Place]] = defaultdict(list)
        self._left: dict[str, dict[Place, Job]] = defaultdict(dict)
        self._begun: set[str] = set()
        self._put_off: dict[str, list[Place]] = defaultdict(list)
        for place, job in self._jobs.items():
            self._left[place.scope][place] = job
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
        """Yield the jobs that may begin now. Each counts as running until `end` or `put_off` is called for it."""
        for alone, ready in self._ready.items():
            while ready and self._free[alone]:
                rank, place = heapq.heappop(ready)
                if place not in self._left[place.scope]:  # it was dropped, or another run has done it
                    continue
                if place.scope not in self._begun and len(self._begun) >= self._most:
                    heapq.heappush(ready, (rank, place))
                    break
                self._free[alone] -= 1
                self._begun.add(place.scope)
                yield self._jobs[place].without(self._lost)

    def end(self, job: Job, *, failed: bool) -> None:
        """Note that a job has ended. After a failure, jobs that need its result are dropped.

        A job of a motion is still done, without the speech that failed.
        """
        self._free[job.is_alone] += 1
        self.settle(job.place, failed=failed)

    def settle(self, place: Place, *, failed: bool) -> None:
        """Note that another run has done a job."""
        if failed:
            self._lost.add(place)
        self._remove(place)
        self._let_go(place, failed)

    def put_off(self, job: Job) -> None:
        """Do not begin this job yet, because another run has its speech or motion."""
        self._free[job.is_alone] += 1
        self._begun.discard(job.item.scope)
        self._put_off[job.item.scope].append(job.place)

    def take_up(self, scope: str) -> None:
        """Let the jobs of a speech or motion begin that were put off."""
        for place in self._put_off.pop(scope, ()):
            self._make_ready(place)

    def drop(self, scope: str) -> None:
        """Leave a motion to another shard."""
        self._put_off.pop(scope, None)
        for place in list(self._left[scope]):
            self._drop(place)

    def lose(self, places: Iterable[Place]) -> None:
        """Note artifacts that other shards could not make. Jobs of motions are done without them."""
        self._lost.update(places)

    @property
    def is_put_off(self) -> list[str]:
        """The speeches and motions that were put off."""
        return list(self._put_off)

    def left(self, scope: str) -> list[Job]:
        """The jobs of a speech or motion that have not ended, in order."""
        return [job.without(self._lost) for job in self._left[scope].values()]

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
            self._remove(place)
            self._let_go(place, failed=True)

    def _remove(self, place: Place) -> None:
        self._left[place.scope].pop(place, None)
        if not self._left[place.scope]:
            self._begun.discard(place.scope)


def _makers(job: Job) -> Iterator[Place]:
    """The places of all artifacts that the job reads, or may copy."""
    for places in job.stored.values():
        yield from places.values()
    if job.alike:
        yield job.alike

"""One process at a time uses this machine's device (its GPU, or its cores), with all stages that it lets begin."""

import platform
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate
from prefect.concurrency.sync import concurrency
from prefect.exceptions import ObjectAlreadyExists

from pipeline.system import scratch
from pipeline.system.lock import is_held, locked

LOST_AFTER_SECONDS = 5.0
POLL_SECONDS = 0.1


def lock() -> Path:
    """The lock of the device. It is in a folder of this user, because who can open a lock can hold it for ever."""
    return scratch.own_folder() / "device.lock"


def queue() -> Path:
    """The lock of the first process that waits for the device."""
    return scratch.own_folder() / "device-queue.lock"


def device_limit() -> str:
    """The name of this machine's global concurrency limit on the Prefect server, which is made if it is missing."""
    name = f"rostrum-device-{platform.node()}"
    with get_client(sync_client=True) as client, suppress(ObjectAlreadyExists):  # another run has just made it
        client.upsert_global_concurrency_limit_by_name(name, 1)
    return name


@contextmanager
def holding_device(limit: str | None) -> Iterator[None]:
    """Wait until no other process holds the device, then hold it in this context. Without a limit, do nothing.

    The stages of a process hold the device together: the first one takes it, the last one gives it back. A stage that
    wants the device first waits in a queue. While another process waits at the head of the queue, no further stage can
    join those that hold the device, so processes take turns.
    """
    if limit is None:
        yield
        return
    with locked(queue()):
        _held.join(limit)
    try:
        yield
    finally:
        _held.leave()


@contextmanager
def keeping_device() -> Iterator[None]:
    """Keep the device between the stages of this context, until another process waits for it.

    To take it anew for each stage would cost requests to the server.
    """
    ended = Event()
    watching = Thread(target=_held.give_way, args=(ended,), daemon=True)
    _held.keep()
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        _held.keep_no_more()


class _Held:
    """The device, as this process holds it. One thread takes and releases it, because locks and leases need that."""

    def __init__(self) -> None:
        self._stages, self._keepers, self._changing = 0, 0, Lock()
        self._thread: ThreadPoolExecutor | None = None

    def join(self, limit: str) -> None:
        """Return when this process holds the device. Only one stage at a time calls this."""
        with self._changing:
            if self._thread is None:
                thread, self._stack, self._context = ThreadPoolExecutor(1), ExitStack(), copy_context()
                thread.submit(self._context.run, _take, self._stack, limit).result()
                self._thread = thread
            self._stages += 1

    def leave(self) -> None:
        with self._changing:
            self._stages -= 1
            self._end_if_unused()

    def keep(self) -> None:
        with self._changing:
            self._keepers += 1

    def keep_no_more(self) -> None:
        with self._changing:
            self._keepers -= 1
            self._end_if_unused()

    def give_way(self, ended: Event) -> None:
        """Until `ended`, give the device back whenever no stage uses it and another process waits for it."""
        while not ended.wait(POLL_SECONDS):
            with self._changing:
                self._end_if_unused()

    def _end_if_unused(self) -> None:
        if self._thread and not self._stages and (not self._keepers or _somebody_waits()):
            # A slot that the server does not take back now is stale, and freed by who takes the lock next.
            with suppress(Exception):
                self._thread.submit(self._context.run, self._stack.close).result()
            self._thread.shutdown()
            self._thread = None


_held = _Held()


def _somebody_waits() -> bool:
    """Whether the queue has a head: a stage that has the device already is there for a moment only."""
    return is_held(queue())


def _take(held: ExitStack, limit: str) -> None:
    """Take a slot of the global limit, once it is free.

    A Prefect server that is restarted forgets who holds its slots, and they stay taken. So a process first takes a lock
    of this machine, which ends with the process. A slot that stays taken while we hold the lock is stale.
    """
    with ExitStack() as taken:
        taken.enter_context(locked(lock(), "waiting for another run, which uses this machine's device"))
        # The lock still protects the device if a restarted server does not know the lease.
        take = partial(concurrency, limit, occupy=1, strict=True, raise_on_lease_renewal_failure=False)
        try:
            taken.enter_context(take(timeout_seconds=LOST_AFTER_SECONDS))
        except TimeoutError:
            _free(limit)
            taken.enter_context(take())
        held.push(taken.pop_all())


def _free(limit: str) -> None:
    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=0))

"""Ctrl-C and SIGTERM end a command within two seconds, whatever it is doing.

A stage can spend minutes in one call of a library, where no exception reaches it. So the work is done in a thread. The
main thread only waits, and ends the process. Stored files are complete, as they are after a kill.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from types import FrameType
from typing import Any, NoReturn, TypeVar
from weakref import WeakSet

from pipeline.system import scratch

T = TypeVar("T")
TIDY_SECONDS = 1.4
SIGNALS = (signal.SIGINT, signal.SIGTERM)
_tidying: list[tuple[bool, Callable[[], object]]] = []
# Programs that are killed when an interrupt ends this process.
_children: "WeakSet[subprocess.Popen[bytes]]" = WeakSet()


class Interrupted(BaseException):
    """Raised in the main thread by SIGINT and SIGTERM."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def tidied_by(tidy: Callable[[], object], *, at_once: bool = False) -> Iterator[None]:
    """While this context is open, an interrupt calls `tidy` before the process ends. The last one entered comes first.

    Those with `at_once` come before all others, and before the message. They give the terminal back.
    """
    entry = (at_once, partial(copy_context().run, tidy))
    _tidying.append(entry)
    try:
        yield
    finally:
        _tidying.remove(entry)


def started(program: "subprocess.Popen[bytes]") -> None:
    """Register a program that an interrupt kills."""
    _children.add(program)


def interruptible(work: Callable[[], T], message: str, seconds: float = TIDY_SECONDS) -> T:
    """Do some work and return its result. An interrupt prints the message, tidies up and ends the process.

    Tidying may take so many seconds in all; then the process ends. A second signal ends it at once. The exit code is
    130 after SIGINT and 143 after SIGTERM.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []

    def carry_out() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(carry_out,), daemon=True)
    before = {number: signal.signal(number, _raise) for number in SIGNALS}
    try:
        thread.start()
        thread.join()
    except Interrupted as interrupted:
        _end(interrupted, message, seconds)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if errors:
        raise errors[0]
    return results[0]


def _raise(number: int, _: FrameType | None) -> NoReturn:
    raise Interrupted(number)


def _end(interrupted: Interrupted, message: str, seconds: float) -> NoReturn:
    """Tidy up for at most so many seconds, and end the process."""
    with suppress(Interrupted):  # the second signal
        timer = threading.Timer(seconds, _end_now, [interrupted.exit_code])
        timer.daemon = True
        timer.start()
        entries = list(reversed(_tidying))
        first, rest = ([tidy for at_once, tidy in entries if at_once is wanted] for wanted in (True, False))
        for tidy in (*first, lambda: sys.stderr.write(f"{message}\n"), *rest):
            with suppress(Exception):  # the others are tidied all the same
                tidy()
    _end_now(interrupted.exit_code)


def _end_now(exit_code: int) -> NoReturn:
    """End the process and its worker processes, and remove its temporary files, without waiting for anything."""
    for worker in multiprocessing.active_children():
        worker.kill()
    for program in _children:
        program.kill()
    scratch.close()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(exit_code)


def end_with_parent(*_: Any) -> None:
    """End this worker process when the process that started it has ended, for whatever reason."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: Any) -> NoReturn:
    parent.join()
    scratch.close()
    os._exit(1)

"""Ctrl-C and SIGTERM end a command within two seconds, whatever it is doing.

A stage can spend minutes in one call of a library, where no exception reaches it. So the work is done in a thread. The
main thread only waits, and ends the process. Some calls do not let the main thread run either: they hold the
interpreter's lock. Then another process, the watchdog, kills this one. Stored files are complete after a kill, too.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
_watchdogs: "list[subprocess.Popen[bytes]]" = []
# Tells the watchdog that the message was printed.
_PRINTED = b"\0"
# The watchdog reads the numbers of signals from a pipe. The interpreter writes them there as they arrive, without its
# lock. The pipe ends with the process that is watched.
_WATCHDOG = """
import os, select, sys, time
parent, seconds, kill, message = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
signals, deadline, is_printed = [int(number) for number in sys.argv[5:]], None, False
while deadline is None or time.monotonic() < deadline:
    patience = None if deadline is None else max(0.0, deadline - time.monotonic())
    if not select.select([0], [], [], patience)[0]:
        break
    received = os.read(0, 1)
    if not received:
        sys.exit()
    if received[0] == 0 and deadline is not None:
        is_printed, deadline = True, deadline + seconds
    if received[0] in signals:
        deadline = time.monotonic() + (1.2 if deadline is None else 0.3)
if os.getppid() == parent:
    if os.isatty(2):
        os.write(2, b"\\033[?25h")  # a progress bar hides the cursor
    if not is_printed:
        os.write(2, message.encode() + b"\\n")
    os.kill(parent, kill)
"""
# The watchdog kills a process that prints no message within 1.2 s. After that, it leaves as much time as the process
# itself has to tidy up, less what has passed of it.
_PASSED_SECONDS = 1.0


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
    130 after SIGINT and 143 after SIGTERM; 137 if the work holds the interpreter's lock, and the process is killed.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    thread = ThreadPoolExecutor(1)
    with _watched(message, seconds) as pipe:
        before = {number: signal.signal(number, _raise) for number in SIGNALS}
        try:
            return thread.submit(copy_context().run, work).result()
        except Interrupted as interrupted:
            _end(interrupted, message, seconds, pipe)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            thread.shutdown(wait=False)


@contextmanager
def _watched(message: str, seconds: float) -> Iterator[int | None]:
    """While this context is open, a watchdog waits for signals. Yields the pipe to it; None if it cannot be started."""
    numbers = [str(int(number)) for number in (signal.SIGKILL, *SIGNALS)]
    arguments = [str(os.getpid()), str(seconds - _PASSED_SECONDS), numbers[0], message, *numbers[1:]]
    ours, theirs = os.pipe()
    try:
        watchdog = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WATCHDOG, *arguments],
            stdin=ours,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # no signal of the terminal reaches it
        )
    except OSError:  # no more processes are allowed
        os.close(theirs)
        yield None
        return
    finally:
        os.close(ours)
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    _watchdogs.append(watchdog)
    try:
        yield theirs
    finally:
        _watchdogs.remove(watchdog)
        signal.set_wakeup_fd(before)
        os.close(theirs)
        watchdog.kill()
        watchdog.wait()


def _raise(number: int, _: FrameType | None) -> NoReturn:
    raise Interrupted(number)


def _end(interrupted: Interrupted, message: str, seconds: float, watchdog: int | None) -> NoReturn:
    """Tidy up for at most so many seconds, and end the process."""
    with suppress(Interrupted):  # the second signal
        timer = threading.Timer(seconds, _end_now, [interrupted.exit_code])
        timer.daemon = True
        timer.start()
        entries = list(reversed(_tidying))
        first, rest = ([tidy for at_once, tidy in entries if at_once is wanted] for wanted in (True, False))

        def tell() -> None:
            sys.stderr.write(f"{message}\n")
            if watchdog is not None:
                os.write(watchdog, _PRINTED)

        for tidy in (*first, tell, *rest):
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
    for watchdog in _watchdogs:  # not before: a stream whose reader has stopped may hold up this process
        watchdog.kill()
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

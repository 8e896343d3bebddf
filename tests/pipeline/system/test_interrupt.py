"""An interrupt ends a command within two seconds, also in a call that holds the interpreter's lock."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[3]
# A call that does not let other threads of Python run, as some libraries' calls do for minutes.
HOLDS_THE_LOCK = """
import ctypes
from pipeline.system.interrupt import interruptible

def work():
    print("working", flush=True)
    libc = ctypes.PyDLL(None)
    while True:
        libc.sleep(3600)

interruptible(work, "interrupted; give the same command to continue")
"""
ENDS = """
import os, signal
from pipeline.system.interrupt import interruptible
print(interruptible(lambda: "done", "interrupted"), signal.set_wakeup_fd(-1))
"""


def start(program: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def stuck() -> "subprocess.Popen[str]":
    process = start(HOLDS_THE_LOCK)
    assert process.stdout
    assert process.stdout.readline() == "working\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_call_that_holds_the_lock_is_ended_in_time(stuck: "subprocess.Popen[str]", number: signal.Signals) -> None:
    helpers = psutil.Process(stuck.pid).children(recursive=True)
    began = time.monotonic()
    stuck.send_signal(number)
    try:
        _, told = stuck.communicate(timeout=10)
    finally:
        stuck.kill()
    assert time.monotonic() - began < 2
    assert stuck.returncode == -signal.SIGKILL
    assert told == "interrupted; give the same command to continue\n"
    psutil.wait_procs(helpers, timeout=5)
    assert [each for each in helpers if each.is_running()] == []


def test_a_second_signal_ends_such_a_call_at_once(stuck: "subprocess.Popen[str]") -> None:
    stuck.send_signal(signal.SIGINT)
    time.sleep(0.1)
    began = time.monotonic()
    stuck.send_signal(signal.SIGINT)
    try:
        stuck.communicate(timeout=10)
    finally:
        stuck.kill()
    assert time.monotonic() - began < 1


def test_other_signals_end_nothing(stuck: "subprocess.Popen[str]") -> None:
    stuck.send_signal(signal.SIGCHLD)
    stuck.send_signal(signal.SIGWINCH)
    with pytest.raises(subprocess.TimeoutExpired):
        stuck.wait(2.5)
    helpers = psutil.Process(stuck.pid).children(recursive=True)
    stuck.kill()
    stuck.communicate()
    psutil.wait_procs(helpers, timeout=5)
    assert [each for each in helpers if each.is_running()] == [], "they end with the process that they watch"


def test_nothing_is_left_after_work_that_ends() -> None:
    process = start(ENDS)
    assert process.communicate(timeout=60) == ("done -1\n", "")

"""Runs that are interrupted or killed: they end at once, leave nothing running, and the next run goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil
import pytest

from pipeline.run.index import load_known
from pipeline.run.store import Store
from tests.flows.servers import PATIENCE, OwnServer, until
from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
# A decoder that never comes back, as a long call of a library: no exception reaches it.
HANGING = """
import os, threading
from pathlib import Path
from pipeline.ingest import decode

def hang(*arguments, **settings):
    Path(os.environ["HANGS"]).touch()
    threading.Event().wait()

decode.open_audio = hang
from flows.cli import main
main()
"""
# The same in a call of a library that does not come back to Python, as those that compute.
STUCK = """
import ctypes, os
from pathlib import Path
from pipeline.run import transcription

def hang(*arguments, **settings):
    Path(os.environ["HANGS"]).touch()
    libc = ctypes.CDLL(None)
    while True:
        libc.sleep(3600)

transcription.transcribe_recording = hang
transcription.refuse_missing_models = lambda settings: None
from flows.cli import main
main()
"""
PATIENT = """
import threading, time
from pipeline.system.interrupt import interruptible, tidied_by

def work():
    with tidied_by(lambda: time.sleep(60)):
        print("working", flush=True)
        threading.Event().wait()

interruptible(work, "interrupted")
"""


def start(tmp_path: Path, environment: dict[str, str], *program: str) -> "subprocess.Popen[str]":
    """A run over one speech, with a folder of its own for temporary files."""
    write_speech(tmp_path / "corpus" / "one.wav")
    (tmp_path / "temporary").mkdir(exist_ok=True)
    options = ["--out", str(tmp_path / "run"), "--stages", "diarize", "--set", "diarize.mode=vad", "--no-report"]
    own = {"TMPDIR": str(tmp_path / "temporary"), "HANGS": str(tmp_path / "hangs"), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, *program, "run", str(tmp_path / "corpus"), *options],
        env={**environment, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def left_running(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_a_run_in_the_middle_of_a_stage(
    tmp_path: Path, own_home: dict[str, str], number: signal.Signals, code: int
) -> None:
    process = start(tmp_path, own_home, "-c", HANGING)
    until((tmp_path / "hangs").exists)
    started = psutil.Process(process.pid).children(recursive=True)
    assert started, "the temporary server"
    began = time.monotonic()
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert time.monotonic() - began < 2
    assert process.returncode == code
    assert told == "interrupted; finished results are kept: give the same command to continue\n"
    assert left_running(started) == []
    assert [path for path in (tmp_path / "temporary").rglob("*") if path.is_file()] == []
    assert list((tmp_path / "run" / ".tmp").iterdir()) == []
    assert not list((tmp_path / "home").glob("*.log"))
    assert load_known(Store(tmp_path / "run")).failures == []


def test_a_run_that_is_cancelled_in_the_ui_ends_in_the_middle_of_a_stage(
    tmp_path: Path, own_home: dict[str, str]
) -> None:
    server = OwnServer(own_home)
    try:
        process = start(tmp_path, {**own_home, "PREFECT_API_URL": server.url}, "-c", HANGING)
        until((tmp_path / "hangs").exists)
        (run,) = server.ask("/flow_runs/filter", flow="process-corpus")
        until(lambda: bool(server.ask("/flow_runs/filter", flow="speech")))
        asked = {"state": {"type": "CANCELLING"}}
        httpx.post(f"{server.url}/flow_runs/{run['id']}/set_state", json=asked, timeout=PATIENCE).raise_for_status()
        began = time.monotonic()
        process.communicate(timeout=PATIENCE)
        assert time.monotonic() - began < 10
        assert process.returncode == 143
        assert server.flow_runs() == ["Cancelled"]
        assert {each["state"]["name"] for each in server.ask("/flow_runs/filter", flow="speech")} == {"Cancelled"}
    finally:
        server.stop()


def test_a_second_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PATIENT], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "working\n"
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "interrupted\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert time.monotonic() - began < 1
    process.communicate()


def test_tidying_that_takes_too_long_is_left(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", PATIENT], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert time.monotonic() - began < 2
    process.communicate()


def test_a_run_killed_as_its_server_starts_leaves_no_server(tmp_path: Path, own_home: dict[str, str]) -> None:
    process = start(tmp_path, own_home, "-m", "flows")
    until(lambda: bool(psutil.Process(process.pid).children()))
    started = psutil.Process(process.pid).children()
    process.kill()
    process.communicate()
    until(lambda: not left_running(started))
    assert left_running(started) == []


def test_first_runs_at_once(tmp_path: Path, own_home: dict[str, str]) -> None:
    """One at a time makes the database; none sees it half made."""
    script = """
from flows.server.temporary import TemporaryServer
server = TemporaryServer()
try:
    server.wait_until_ready()
    assert server.log.name.endswith(f"-{__import__('os').getpid()}.log")
finally:
    server.stop()
"""
    environment = {**own_home, "PYTHONPATH": str(ROOT)}
    several = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [each.communicate()[1] for each in several] == ["", "", ""]
    assert not list((tmp_path / "home").glob("*.log"))


def test_workers_end_with_the_run_that_started_them(tmp_path: Path) -> None:
    """They wait for work in a pipe that they hold open themselves."""
    script = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pipeline.system.interrupt import end_with_parent

if __name__ == "__main__":
    pool = ProcessPoolExecutor(1, get_context("spawn"), end_with_parent)
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""
    (tmp_path / "pool.py").write_text(script)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "pool.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    worker = psutil.Process(int(process.stdout.readline()))
    process.kill()
    process.communicate()
    until(lambda: not left_running([worker]))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_a_transcription(tmp_path: Path, number: signal.Signals, code: int) -> None:
    recording, temporary = write_speech(tmp_path / "one.wav"), tmp_path / "temporary"
    temporary.mkdir()
    own = {"TMPDIR": str(temporary), "HANGS": str(tmp_path / "hangs"), "ROSTRUM_TRANSCRIPTS": str(tmp_path / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, "transcribe", "-"],
        env={**os.environ, **own, "PYTHONPATH": str(ROOT)},
        stdin=recording.open("rb"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until((tmp_path / "hangs").exists)
    began = time.monotonic()
    process.send_signal(number)
    printed, told = process.communicate(timeout=60)
    assert time.monotonic() - began < 2
    assert process.returncode == code
    assert (printed, told.startswith("interrupted; ")) == ("", True)
    assert [path for path in temporary.rglob("*") if path.is_file()] == []

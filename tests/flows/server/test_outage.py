"""A Prefect server that is killed in the middle of a run, and a run that was killed itself."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from flows.server.temporary import is_outage
from pipeline.errors import RostrumError
from tests.flows.servers import PATIENCE, OwnServer, until
from tests.sounds import write_speech

SPEECHES = 6


@pytest.fixture
def killable(own_home: dict[str, str]) -> Iterator[OwnServer]:
    server = OwnServer(own_home)
    yield server
    server.kill()


def run(corpus: Path, out: Path, server: OwnServer) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "flows", "run", str(corpus), "--out", str(out), "--no-report"]
    options = ["--stages", "diarize", "--set", "diarize.mode=vad"]
    environment = {**server.environment, "PREFECT_API_URL": server.url}
    return subprocess.Popen([*command, *options], env=environment, stderr=subprocess.PIPE, text=True)


def diarized(out: Path) -> dict[str, int]:
    """When each speech's turns were written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in out.glob("*/diarize.json")}


def corpus_of(folder: Path) -> Path:
    for index in range(SPEECHES):
        write_speech(folder / f"{index}.wav", start=float(index))
    return folder


def test_a_run_outlives_its_server(tmp_path: Path, killable: OwnServer) -> None:
    out = tmp_path / "run"
    running = run(corpus_of(tmp_path / "corpus"), out, killable)
    until(lambda: len(diarized(out)) >= 1)
    before = diarized(out)
    killable.kill()
    killable.start()
    _, told = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, told
    assert "Traceback" not in told
    after = diarized(out)
    assert len(after) == SPEECHES
    assert before.items() <= after.items(), "what was finished is not done again"
    assert killable.flow_runs() == ["Completed"]


def test_a_killed_run_is_ended_by_the_next_and_holds_nothing(tmp_path: Path, killable: OwnServer) -> None:
    corpus, out = corpus_of(tmp_path / "corpus"), tmp_path / "run"
    killed = run(corpus, out, killable)
    until(lambda: len(diarized(out)) >= 1)
    killed.kill()
    killed.communicate()
    killable.kill()  # and forgets whose slot that was
    killable.start()
    again = run(corpus, out, killable)
    _, told = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, told
    assert killable.flow_runs() == ["Crashed", "Completed"]
    speeches = {each["state"]["name"] for each in killable.ask("/flow_runs/filter", flow="speech")}
    assert speeches == {"Crashed", "Completed"}, "none is left running"


def test_outages_are_told_from_other_errors() -> None:
    error = RuntimeError("no slot")
    error.__cause__ = httpx.ConnectError("refused")
    assert is_outage(error)
    assert not is_outage(RuntimeError("no slot"))
    for status, is_away in ((503, True), (404, False)):
        response = httpx.Response(status, request=httpx.Request("POST", "http://127.0.0.1"))
        assert is_outage(httpx.HTTPStatusError("", request=response.request, response=response)) is is_away


def test_another_server_that_does_not_answer_is_no_outage() -> None:
    """A large language model's, say: the stage fails, and is not begun again until it answers."""
    error = RostrumError("llm.model small: no answer in time")
    error.__cause__ = httpx.ReadTimeout("")
    assert not is_outage(error)

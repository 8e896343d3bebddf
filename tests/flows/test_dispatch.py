"""Shards on workers of a real server: one of them is killed, and another one goes on with it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from flows import dispatch
from flows.dispatch import dispatch_corpus
from pipeline.run.configuration import Settings
from tests.pipeline.run.test_shards import digests, one_run, write_corpus

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
SERVE = """
import prefect
from prefect.types.entrypoint import EntrypointType
from flows.process import process_corpus
prefect.serve(process_corpus.to_deployment("shard", entrypoint_type=EntrypointType.MODULE_PATH), limit=2)
"""


@pytest.fixture
def workers(server: str, tmp_path: Path) -> Iterator[None]:
    """A process that does the runs of the deployment, two at a time."""
    log = (tmp_path / "workers.log").open("w")
    process = subprocess.Popen([sys.executable, "-c", SERVE], cwd=ROOT, stdout=log, stderr=log, env={**os.environ})
    try:
        while process.poll() is None and not _deployments():
            time.sleep(0.2)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()


def _deployments() -> list[Any]:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        found: list[Any] = client.request("POST", "/deployments/filter", json={}).json()
        return found


def _kill_first(run: Path, killed: list[int]) -> None:
    """Kill the first process that works on the run and has finished something."""
    while not killed:
        for path in run.glob(".runs/*.json"):
            with suppress(OSError, ValueError):
                process = json.loads(path.read_text())
                if process["key"] and list(run.glob("s*/segment.json")):
                    os.kill(process["process"], signal.SIGKILL)
                    killed.append(process["process"])
                    return
        time.sleep(0.05)


@pytest.mark.usefixtures("workers")
def test_a_lost_shard_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "LOOK_SECONDS", 0.5)
    corpus, out, killed = write_corpus(tmp_path / "corpus", 12, 3), tmp_path / "run", list[int]()
    killing = threading.Thread(target=_kill_first, args=[out, killed], daemon=True)
    killing.start()
    settings = Settings(counter={"encoder": None})  # type: ignore[call-arg]
    state = dispatch_corpus(
        corpus, str(out), shards=3, stages=["counter", "score"], settings=settings, report=False, return_state=True
    )
    assert killed
    assert state.is_completed(), state.message
    assert digests(out) == one_run(corpus)
    runs = _runs()
    states = sorted(run["state"]["type"] for run in runs)
    assert states == ["COMPLETED"] * 3 + ["CRASHED"]
    assert all("shard" in run["parameters"] for run in runs)


def _runs() -> list[dict[str, Any]]:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        wanted = {"deployments": {"name": {"any_": ["shard"]}}}
        found: list[dict[str, Any]] = client.request("POST", "/flow_runs/filter", json=wanted).json()
        return found

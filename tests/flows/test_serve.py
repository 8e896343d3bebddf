"""`rostrum serve` beside a real Prefect server: a night with its schedules, in fast motion."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.flows.servers import PATIENCE, OwnServer, until
from tests.models import needs
from tests.sounds import write_speech


@pytest.fixture
def server(own_home: dict[str, str]) -> Iterator[OwnServer]:
    server = OwnServer(own_home, "prefect", "server", "start", "--no-ui", "--port")
    yield server
    server.stop()


def serving(corpus: Path, out: Path, server: OwnServer) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "flows", "serve", str(corpus), "--out", str(out), "--every", "5s", "--no-report"]
    return subprocess.Popen(
        [*command, "--set", "diarize.mode=vad"],
        env={**server.environment, "PREFECT_API_URL": server.url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def ask(server: OwnServer, path: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx.post(f"{server.url}{path}", json=wanted, timeout=PATIENCE).json()
    return found


def ended(server: OwnServer, folder: Path) -> list[str]:
    """The states of the runs of a folder."""
    found = server.ask("/flow_runs/filter", flow="process-corpus")
    return [each["state"]["name"] for each in found if each["state"] and each["parameters"]["folder"] == str(folder)]


def artifacts(server: OwnServer, stage: str, speech: str) -> list[tuple[str, str]]:
    """(key, text) of every version of the page of a stage of a speech, in any folder."""
    found = ask(server, "/artifacts/filter", {"limit": 200})
    return [(each["key"], each["data"]) for each in found if f"{stage}-{speech}-" in (each["key"] or "")]


@needs("base.en")
def test_a_night_of_two_folders_of_the_same_name(tmp_path: Path, server: OwnServer) -> None:
    folders = [tmp_path / parent / "debates" for parent in ("a", "b")]
    outs = [tmp_path / "runs" / parent for parent in ("a", "b")]
    for index, folder in enumerate(folders):
        write_speech(folder / "anna.wav", start=2.0 * index)
    processes = [serving(folders[0], outs[0], server)]
    try:
        until(lambda: "Completed" in ended(server, folders[0]))
        processes.append(serving(folders[1], outs[1], server))
        until(lambda: "Completed" in ended(server, folders[1]))
        done = (outs[0] / "anna" / "diarize.json").stat().st_mtime_ns
        write_speech(folders[0] / "bob.wav", start=3.0)
        (folders[0] / "broken.wav").write_bytes(b"no sound")
        until(lambda: "CompletedWithFailures" in ended(server, folders[0]))
        assert (outs[0] / "bob" / "diarize.json").exists()
        assert (outs[0] / "anna" / "diarize.json").stat().st_mtime_ns == done
        assert not (outs[0] / "broken" / "ingest.json").exists()

        idle = [ended(server, folder).count("NothingToDo") for folder in folders]
        until(lambda: all(ended(server, each).count("NothingToDo") > n for each, n in zip(folders, idle, strict=True)))
        pages = artifacts(server, "diarize", "anna")
        assert len({key for key, _ in pages}) == len(pages) == 2, "one page of each folder, and one version of it"
        assert sorted(str(out) in text for out in outs for _, text in pages) == [False, False, True, True]
        assert len(artifacts(server, "ingest", "broken")) == 1
        assert ended(server, folders[0]).count("CompletedWithFailures") == 1, "what is known to be broken is left alone"

        processes[0].terminate()
        processes[0].wait()
        deployments = {each["name"]: each for each in ask(server, "/deployments/filter", {})}
        assert len(deployments) == 2
        stopped = deployments["debates"]
        assert stopped["paused"]
        waiting = {"state": {"type": {"any_": ["SCHEDULED"]}}, "deployment_id": {"any_": [stopped["id"]]}}
        assert ask(server, "/flow_runs/filter", {"flow_runs": waiting}) == []
        processes[0] = serving(folders[0], outs[0], server)
        write_speech(folders[0] / "cleo.wav", start=5.0)
        until((outs[0] / "cleo" / "diarize.json").exists)
        (resumed,) = [each for each in ask(server, "/deployments/filter", {}) if each["name"] == "debates"]
        assert not resumed["paused"]
        assert resumed["tags"] == ["rostrum"]
    finally:
        for process in processes:
            process.terminate()
            process.wait()

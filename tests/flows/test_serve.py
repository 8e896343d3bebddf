"""`rostrum serve` beside a real Prefect server: a night of two folders, in fast motion."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flows.serve
from tests.flows.servers import CLIENT, OwnServer, until
from tests.flows.test_isolation import PLANTED, ROOT
from tests.sounds import speech, write, write_speech

LOOK_SECONDS = 2
# The history has settled if it was the same for so many seconds: the server stores events every five.
_SETTLED = 12.0


@pytest.fixture
def server(own_home: dict[str, str]) -> Iterator[OwnServer]:
    server = OwnServer(own_home, "flows", "server", "--port")
    yield server
    server.stop()


class Folder:
    """A folder that is served, and what the server knows of its runs."""

    def __init__(self, path: Path, server: OwnServer, *when: str) -> None:
        self.path, self.server, self.when = path / "debates", server, when
        self.out = path / "run"
        self.log = path / "serve.log"
        write_speech(self.path / "anna.wav")
        for name in PLANTED:
            (self.path / f"{name}.py").write_text(f"open({str(path / 'executed')!r}, 'a').write('{name} ')")

    def serve(self) -> None:
        command = [sys.executable, "-P", "-m", "flows", "serve", ".", "--out", "../run", *self.when]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--stages", "diarize", "--set", "diarize.mode=vad", "--no-report"],
                cwd=self.path,
                env={**self.server.environment, "PREFECT_API_URL": self.server.url, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
            )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def until(self, condition: Callable[[], bool]) -> None:
        """Return when it holds; fail, with what the server and this folder's process say, when it does not come to."""
        until(condition, lambda: f"{self.server.history()}\n{self.path}: {self.log.read_text()[-3000:]}")

    def runs(self) -> list[dict[str, Any]]:
        found = self.server.ask("/flow_runs/filter", flow="process-corpus")
        return [each for each in found if each["parameters"]["folder"] == str(self.path)]

    def states(self) -> list[str]:
        return [each["state"]["name"] for each in self.runs() if each["state"]]

    def deployment(self) -> dict[str, Any]:
        found = ask(self.server, "/deployments/filter", {})
        (own,) = [each for each in found if each["parameters"]["folder"] == str(self.path)]
        return own

    def written(self, speech: str) -> int:
        return (self.out / speech / "diarize.json").stat().st_mtime_ns

    def versions(self, stage: str, speech: str) -> int:
        """How many pages of a stage of a speech of this folder there are."""
        pages = [each for each in artifacts(self.server) if f"-{stage}-{speech}-" in each["key"]]
        return sum(str(self.out) in each["data"] for each in pages)


def ask(server: OwnServer, path: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = CLIENT.post(f"{server.url}{path}", json=wanted).json()
    return found


def artifacts(server: OwnServer) -> list[dict[str, Any]]:
    """Every version of every page."""
    return [each for each in ask(server, "/artifacts/filter", {"limit": 200}) if each["key"]]  # others are results


def history(server: OwnServer) -> dict[str, int]:
    """How many rows each table of the server's database has."""
    (database,) = Path(server.environment["PREFECT_HOME"]).glob("*.db")
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=60)) as rows:
        tables = [name for (name,) in rows.execute("select name from sqlite_master where type = 'table'")]
        return {name: rows.execute(f'select count(*) from "{name}"').fetchone()[0] for name in tables}


def settled_history(folder: Folder) -> dict[str, int]:
    """The rows of the server once the log lines and events of the last run have arrived: they come after its end."""
    known, since = history(folder.server), time.monotonic()

    def is_settled() -> bool:
        nonlocal known, since
        if (now := history(folder.server)) != known:
            known, since = now, time.monotonic()
        return time.monotonic() - since > _SETTLED

    folder.until(is_settled)
    return known


def cancel(server: OwnServer, run: str) -> None:
    """As the UI does it."""
    state = {"state": {"type": "CANCELLING"}}
    CLIENT.post(f"{server.url}/flow_runs/{run}/set_state", json=state).raise_for_status()


@pytest.fixture
def folders(tmp_path: Path, server: OwnServer) -> Iterator[tuple[Folder, Folder]]:
    """Two folders of the same name with a speech of the same name, served: one on a schedule, one on changes."""
    made = (
        Folder(tmp_path / "a", server, "--every", f"{LOOK_SECONDS}s"),
        Folder(tmp_path / "b", server, "--watch", "--settle", "0"),
    )
    try:
        for each in made:  # all at once: each finds a name that is free
            each.serve()
        for each in made:
            each.until(lambda each=each: "Completed" in each.states())  # type: ignore[misc]
        yield made
    finally:
        for each in made:
            if hasattr(each, "process"):
                each.stop()


def test_watching_goes_on_after_a_server_and_a_drive_were_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flows.serve.POLL_SECONDS", 0)
    write_speech(tmp_path / "anna.wav")
    answers = iter([OSError("no answer"), OSError("no answer"), None])
    looks = iter([OSError("stale file handle")])
    snapshot = flows.serve.snapshot

    def look(folder: Path) -> Any:
        for problem in looks:
            raise problem
        return snapshot(folder)

    def trigger() -> None:
        answer = next(answers, KeyboardInterrupt())
        if answer is None:
            write_speech(tmp_path / "bob.wav")  # comes while the run is begun, and is a change of its own
        else:
            raise answer

    monkeypatch.setattr("flows.serve.snapshot", look)

    def answered() -> bool:
        trigger()
        return True

    with pytest.raises(KeyboardInterrupt):
        flows.serve._watch(tmp_path, 0, answered)
    told = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in told] == ["stale file handle", "no answer"]


def test_a_night(folders: tuple[Folder, Folder], server: OwnServer) -> None:
    a, b = folders
    assert not (a.path.parent / "executed").exists(), "modules that lie in the folder are not imported"
    pages = [each for each in artifacts(server) if "-diarize-anna-" in each["key"]]
    assert len({each["key"] for each in pages}) == len(pages) == 2, "one page of each folder, and one version of it"
    assert [folder.versions("diarize", "anna") for folder in folders] == [1, 1]

    before = a.written("anna")
    write_speech(a.path / "bob.wav", start=3.0)
    (a.path / "broken.wav").write_bytes(b"no sound")
    a.until(lambda: "Failed" in a.states())
    assert a.written("bob")
    assert a.written("anna") == before
    assert not (a.out / "broken" / "ingest.json").exists()

    write_speech(b.path / "anna.wav", start=5.0)
    b.until(lambda: b.states().count("Completed") == 2)
    assert [folder.versions("diarize", "anna") for folder in folders] == [1, 2], "what has not changed has no new page"

    known = settled_history(a)
    looked = time.monotonic() + 3 * LOOK_SECONDS
    a.until(lambda: time.monotonic() > looked)
    new = {table: count for table, count in history(server).items() if count > known[table]}
    assert new == {}, "looks at folders without work leave no row"
    assert a.states().count("Failed") == 1, "what is known to be broken is left alone"

    samples, rate = speech()
    write(b.out.parent / "long.flac", np.tile(samples, 15), rate).rename(b.path / "long.flac")
    b.until(lambda: b.states()[-1] == "Running" and bool(server.ask("/flow_runs/filter", flow="speech")[-1]))
    run = b.runs()[-1]["id"]
    cancel(server, run)
    b.until(lambda: b.states()[-1] == "Cancelled")
    below = {"flow_runs": {"parent_flow_run_id": {"any_": [run]}, "state": {"type": {"any_": ["RUNNING"]}}}}
    b.until(lambda: ask(server, "/flow_runs/filter", below) == [])
    assert b.versions("diarize", "anna") == 2

    a.stop()
    stopped = a.deployment()
    assert stopped["paused"]
    waiting = {
        "state": {"type": {"any_": ["SCHEDULED", "PENDING", "RUNNING"]}},
        "deployment_id": {"any_": [stopped["id"]]},
    }
    assert ask(server, "/flow_runs/filter", {"flow_runs": waiting}) == []
    write_speech(a.path / "cleo.wav", start=5.0)
    a.serve()
    a.until((a.out / "cleo" / "diarize.json").exists)
    assert (a.deployment()["paused"], a.deployment()["tags"]) == (False, ["rostrum", "a/debates"])
    names = sorted(each["name"] for each in ask(server, "/deployments/filter", {}))
    assert "debates" in names
    assert len({*names} & {"a-debates", "b-debates"}) == 1, "the first one has the plain name"
    overdue = {"flow_runs": {"state": {"name": {"any_": ["Late"]}}}}
    a.until(lambda: ask(server, "/flow_runs/filter", overdue) == [])  # no run piles up

"""`rostrum run` as a process of its own: alone, and killed."""

import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
OPTIONS = ["--stages", "diarize", "--set", "diarize.mode=vad"]


def test_without_a_server_the_history_is_there_later(tmp_path: Path, own_home: dict[str, str]) -> None:
    write_speech(tmp_path / "corpus" / "one.wav")
    command = [sys.executable, "-c", "from flows.cli import main; main()", "run", str(tmp_path / "corpus"), *OPTIONS]
    found = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], env=own_home, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert found.returncode == 0, found.stderr
    # How far it is, is said now and then: how often, depends on the machine.
    told = [line for line in found.stderr.splitlines() if " of audio" not in line]
    assert len(told) == 3, "nothing of Prefect's own reaches the user"
    assert told[0].startswith(f"artifacts: {tmp_path}/run/<speech>/<stage>.json")
    assert told[1] == f"report: {tmp_path}/run/_report/index.html (`rostrum report {tmp_path}/run --serve`)"
    assert told[2].startswith("Prefect UI: `rostrum server`, then http://127.0.0.1:4200/runs/flow-run/")
    with sqlite3.connect(tmp_path / "home" / "prefect.db") as history:
        task_runs = history.execute("select name, state_type from task_run order by name").fetchall()
        flow_runs = history.execute("select name, state_type from flow_run order by name").fetchall()
        of_stages = "task_run_id in (select id from task_run where name like '%[%')"
        states = history.execute(f"select name from task_run_state where {of_stages}").fetchall()
        events = dict(history.execute("select event, count(*) from events group by event").fetchall())
    assert task_runs == [(name, "COMPLETED") for name in ("diarize[one]", "ingest[one]", "speeches and motions")]
    assert flow_runs == [("one", "COMPLETED"), (f"{tmp_path.name}/corpus: 1 new", "COMPLETED")]
    assert Counter(states) == {("Pending",): 2, ("Running",): 2, ("Completed",): 2}, "nothing is lost"
    assert events["prefect.flow-run.Completed"] == 2
    assert not [event for event in events if "task-run" in event], "they would be most of the history"


@pytest.mark.slow
def test_a_disturbed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    for index in range(3):
        write_speech(tmp_path / "corpus" / f"{index}.wav", start=3.0 * index)
    events = ["--kills", "1", "--interrupts", "1", "--full-disks", "0", "--restarts", "0", "--pairs", "0"]
    events += ["--shards", "1", "--cleans", "1", "--edits", "1", "--serves", "0", "--on-server", "1"]
    script = [sys.executable, "benchmarks/soak.py", str(tmp_path / "corpus"), *events]
    found = subprocess.run(script, capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.endswith("no process, held lock or temporary file is left\n")

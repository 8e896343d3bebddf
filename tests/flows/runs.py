"""Runs of stages that need no weights, and what a Prefect server knows of them."""

from pathlib import Path
from typing import Any

from flows.command import run_corpus
from flows.server.temporary import wait_until_stored
from pipeline.run.configuration import Settings
from pipeline.run.index import load
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary

STAGES = ["ingest", "diarize"]
SETTINGS = Settings(diarize={"mode": "vad"})  # type: ignore[arg-type]


def run(folder: Path, out: Path, task_runs: int) -> tuple[int, RunSummary]:
    """(exit code, what was done), once the server knows of it."""
    code = run_corpus(folder, str(out), STAGES, SETTINGS)
    summary = load(Store(out))
    assert summary is not None
    assert summary.flow_run is not None
    assert wait_until_stored(summary.flow_run, task_runs)
    return code, summary


def ask(path: str, *flow_runs: str, by: str = "id") -> list[dict[str, Any]]:
    """What the server's filter of that name knows of flow runs, or of those that are below them."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        answer = client.request("POST", path, json={"flow_runs": {by: {"any_": flow_runs}}})  # type: ignore[arg-type]
        found: list[dict[str, Any]] = answer.json()
        return found


def items_of(flow_run: str) -> dict[str, dict[str, Any]]:
    """The runs of the speeches and motions of a run."""
    return {each["name"]: each for each in ask("/flow_runs/filter", flow_run, by="parent_flow_run_id")}


def everything_of(path: str, flow_run: str) -> list[dict[str, Any]]:
    """What the server's filter of that name knows of a run, its speeches and its motions."""
    return ask(path, flow_run, *(each["id"] for each in items_of(flow_run).values()))

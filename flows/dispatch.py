"""The flow `dispatch-corpus`: runs the shards of a corpus on a work pool, waits for them, begins lost ones again."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from prefect import flow, get_run_logger
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import FlowRun, State
from prefect.context import FlowRunContext
from prefect.deployments import run_deployment
from prefect.states import Failed
from pydantic import Field

from flows.form import DEFAULT, FormSettings, folded
from flows.process import FinishedFlow, StageName, final_state
from flows.publish import show, warning
from flows.server.automations import tell_when_process_ends
from pipeline.errors import RostrumError
from pipeline.progress import no_progress
from pipeline.report.formatting import counted
from pipeline.run.index import load_known
from pipeline.run.store import Store, default_root

LOOK_SECONDS = 5.0
# How many runs the server is asked for at once.
PAGE = 200
# How the message of a run begins in which speeches failed. It has done all that it could.
FINISHED = "completed with "


@flow(name="dispatch-corpus", persist_result=False)
def dispatch_corpus(
    folder: Path,
    out: str | None = None,
    deployment: str = "process-corpus/shard",
    shards: Annotated[int, Field(ge=1, le=100_000)] = 16,
    at_once: Annotated[int, Field(ge=1)] = 100,
    attempts: Annotated[int, Field(ge=1)] = 3,
    stages: list[StageName] | None = None,
    settings: FormSettings = DEFAULT,
    report: bool = True,
    retry_failed: bool = False,
) -> State[FinishedFlow]:
    """Process a folder in shards, on all workers of a pool. Unchanged results are reused.

    Args:
        folder: The corpus, at the same path on all workers.
        out: Where the artifacts go: a folder that all workers share, or an s3:// or gs:// URL.
        deployment: The deployment of process-corpus that does the shards. Its work pool decides where.
        shards: The number of parts of the corpus. A part should take minutes to hours.
        at_once: Maximum number of shards that wait or run.
        attempts: How often a shard is begun, if its process is lost.
        stages: The stages to run, and their dependencies; empty for all.
        settings: The settings of every stage. Those that are changed most come first, the others are folded.
        report: Whether to write the HTML report when all shards have ended, if the artifacts are in a folder.
        retry_failed: Whether to try again what failed in the last run, although neither file nor settings have changed.
    """
    context = FlowRunContext.get()
    if context and context.flow_run and context.flow_run.deployment_id:
        tell_when_process_ends(context.flow_run, dispatch_corpus.name)
    out = out or default_root(folder)
    parameters = {
        "folder": str(folder),
        "out": out,
        "stages": stages,
        "settings": folded(settings),
        "report": False,
        "retry_failed": retry_failed,
    }
    dispatch = _Dispatch(deployment, parameters, shards, attempts)
    dispatch.run(at_once)
    try:
        summary = load_known(Store(out))
    except RostrumError as error:
        return Failed(message=f"{error}; {_listed(dispatch.lost)}", data=error)
    shown = show(Store(out), report, no_progress)
    get_run_logger().info(shown.report_line)
    if dispatch.lost:
        summary = summary.model_copy(update={"problems": [*summary.problems, _listed(dispatch.lost)]})
    return final_state(FinishedFlow(summary, shown.report_line))


@dataclass
class _Dispatch:
    """The shards of a corpus: those that wait, run, are finished, or were lost."""

    deployment: str
    parameters: Mapping[str, Any]
    shards: int
    attempts: int
    running: dict[UUID, str] = field(default_factory=dict)
    begun: dict[str, int] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)

    def run(self, at_once: int) -> None:
        """Begin all shards, not more than `at_once`, and wait until they have ended."""
        logger = get_run_logger()
        waiting = [f"{number}/{self.shards}" for number in range(self.shards, 0, -1)]
        while waiting or self.running:
            while waiting and len(self.running) < at_once:
                self._begin(waiting.pop())
            time.sleep(LOOK_SECONDS)
            with warning("how far the shards are", logger):  # the server may be away for a while
                for run in self._ended():
                    shard = self.running.pop(run.id)
                    if (why := _why_lost(run)) is None:
                        logger.info("shard %s: %s", shard, run.state and run.state.message)
                    elif self.begun[shard] < self.attempts:
                        logger.warning("shard %s is begun again: %s", shard, why)
                        waiting.append(shard)
                    else:
                        logger.error("shard %s is lost: %s", shard, why)
                        self.lost[shard] = why

    def _begin(self, shard: str) -> None:
        run: Any = run_deployment(
            self.deployment,
            parameters={**self.parameters, "shard": shard},
            flow_run_name=f"{Path(self.parameters['folder']).name} {shard}",
            timeout=0,
        )
        self.running[run.id] = shard
        self.begun[shard] = self.begun.get(shard, 0) + 1

    def _ended(self) -> Iterator[FlowRun]:
        """The runs of shards that have ended, or were deleted."""
        ids = list(self.running)
        with get_client(sync_client=True) as client:
            for start in range(0, len(ids), PAGE):
                part = ids[start : start + PAGE]
                wanted = FlowRunFilter.model_validate({"id": {"any_": part}})
                found = client.read_flow_runs(flow_run_filter=wanted, limit=PAGE)
                yield from (run for run in found if run.state and run.state.is_final())


def _why_lost(run: FlowRun) -> str | None:
    """Why a shard must be begun again; None if it has done what it could."""
    state = run.state
    assert state is not None
    message = state.message or str(state.name)
    if state.is_completed() or (state.is_failed() and message.startswith(FINISHED)):
        return None
    return message


def _listed(lost: Mapping[str, str]) -> str:
    """A line about the shards that were lost."""
    reasons = "; ".join(f"{shard}: {why}" for shard, why in lost.items())
    return f"{counted(len(lost), 'shard was', 'shards were')} lost, begin them again: {reasons}"

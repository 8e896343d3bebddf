"""A subflow run per speech and per motion, with the task runs of its stages inside.

In the UI's graph each speech is one bar that opens, and has a page with its own logs, states and artifacts. Prefect
would start an engine for each subflow; these are only records on its server. One thread writes them, a few speeches
ahead of the stages, so that no stage waits for them.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

import httpx
from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.context import FlowRunContext

from flows.lost_runs import process_labels
from flows.publish import Pages, warning
from flows.server.temporary import wait_for_server
from pipeline.report.formatting import counted
from pipeline.run.job import Item, Job, Outcome
from pipeline.run.plan import RunPlan

T = TypeVar("T")
# How many speeches or motions get their run before their first stage begins.
AHEAD = 4
# The SQLite database of a Prefect server is often busy for a moment. Prefect itself would wait for seconds.
BUSY, BUSY_SECONDS, MOST_TRIES = frozenset({429, 503}), 0.05, 200


@dataclass
class ItemRun:
    """The run of one speech or motion. `rows` are the rows of the table on its page: one per stage."""

    flow_run: Future[FlowRun]
    rows: list[tuple[str, str, str, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    is_ended: bool = False


class ItemRuns:
    """The subflow runs of a run. Each ends when its last stage has ended, or when one of its stages has failed."""

    def __init__(self, plan: RunPlan, pages: Pages) -> None:
        context = FlowRunContext.get()
        assert context is not None
        assert context.flow_run is not None
        self._flow_context, self._pages, self._logger = context, pages, get_run_logger()
        self._left = Counter(job.item.scope for job in plan.jobs)
        self._coming: Iterator[Item] = iter(dict.fromkeys(job.item for job in plan.jobs))
        self._before: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in plan.done.values():
            self._before[outcome.scope].append(outcome)
        self._runs: dict[str, ItemRun] = {}
        self._records = _Records(str(context.flow_run.id))

    def __enter__(self) -> "ItemRuns":
        self._records.open()
        self._begin_next(AHEAD)
        return self

    def __exit__(self, *error: object) -> None:
        self._coming = iter(())  # `_end` must not begin another run
        for run in self._runs.values():
            if not run.is_ended:
                self._end(run, {"type": StateType.CANCELLED, "message": "the run ended before all of its stages had"})
        with warning("the end of all speeches and motions", self._logger):
            self._records.close()

    def inside(self, item: Item) -> AbstractContextManager[object]:
        """A context in which submitted task runs belong to the run of this speech or motion."""
        self._begin(item)
        try:
            flow_run = self._runs[item.scope].flow_run.result()
        except Exception as error:
            self._logger.warning("%s has no run of its own in the UI: %s", item.id, error)
            return nullcontext()
        # Prefect remembers the state of every task run here, for as long as the context lives.
        return self._flow_context.model_copy(update={"flow_run": flow_run, "run_results": {}})

    def ended(self, job: Job, outcome: Outcome, made: str) -> None:
        """Record that a stage has ended. `made` says in a few words what it made, or why it failed."""
        item, run = job.item, self._runs[job.item.scope]
        self._left[item.scope] -= 1
        run.rows.append((outcome.stage, outcome.state, made, outcome.seconds))
        if outcome.state == "failed":
            run.failures.append(f"{outcome.stage}: {outcome.reason}")
        if run.failures:
            self._end(run, {"type": StateType.FAILED, "message": "; ".join(run.failures)}, item)
        elif not self._left[item.scope]:
            message = f"{counted(len(run.rows), 'stage')} in {sum(row[3] for row in run.rows):.1f} s"
            self._end(run, {"type": StateType.COMPLETED, "message": message}, item)
        if not self._left[item.scope]:
            del self._runs[item.scope]

    def _begin_next(self, count: int) -> None:
        for item in islice(self._coming, count):
            self._begin(item)

    def _begin(self, item: Item) -> None:
        if item.scope not in self._runs:
            kind = "motion" if item.is_motion else "speech"
            facts = {
                "name": item.id,
                "parameters": {kind: item.id, "motion": item.motion},
                "tags": [tag for tag in (self._pages.corpus, item.motion, item.speaker) if tag],
            }
            self._runs[item.scope] = ItemRun(self._records.later(lambda: self._records.begin(kind, facts)))

    def _end(self, run: ItemRun, state: dict[str, str], item: Item | None = None) -> None:
        """Record the final state of a run and, for a speech, its page."""
        pages = []
        if item and not item.is_motion:
            before = [(each.stage, each.state, each.reason, each.seconds) for each in self._before[item.scope]]
            pages.append(self._pages.speech_page(item, [*before, *run.rows]))
        if not run.is_ended:
            run.is_ended = True
            self._begin_next(1)

        def end() -> None:
            with warning("the end of a speech or motion", self._logger):
                self._records.end(run.flow_run.result(), state, pages)

        self._records.later(end)


class _Records:
    """Writes flow runs and their artifacts to the server, in one thread and in the order of the calls."""

    def __init__(self, flow_run: str) -> None:
        self._flow_run = flow_run
        self._flows: dict[str, str] = {}
        self._parent = ""
        self._thread, self._opened, self._context = (
            ThreadPoolExecutor(1, "rostrum-records"),
            ExitStack(),
            copy_context(),
        )

    def open(self) -> None:
        self._client: SyncPrefectClient = self._opened.enter_context(get_client(sync_client=True))

    def close(self) -> None:
        """Write the records that are left, and end the thread."""
        if self._parent:
            self.later(lambda: self._set_state(f"/task_runs/{self._parent}", {"type": StateType.COMPLETED}))
        self.later(self._opened.close)
        self._thread.shutdown()

    def later(self, write: Callable[[], T]) -> Future[T]:
        return self._thread.submit(self._context.run, write)  # the context has the address of the server

    def begin(self, flow: str, facts: dict[str, Any]) -> FlowRun:
        """Create a flow run in the state Running, as a subflow of the current one."""
        if flow not in self._flows:
            self._flows[flow] = self._post("/flows/", {"name": flow}).json()["id"]
        wanted = {
            **facts,
            "flow_id": self._flows[flow],
            "parent_task_run_id": self._parent_task(),
            "labels": process_labels(),
            "state": {"type": StateType.RUNNING},
            "idempotency_key": str(uuid4()),
        }
        return FlowRun.model_validate(self._post("/flow_runs/", wanted).json())

    def end(self, run: FlowRun, state: dict[str, str], pages: list[dict[str, str]]) -> None:
        self._set_state(f"/flow_runs/{run.id}", state)
        for page in pages:
            self._post("/artifacts/", {**page, "type": "markdown", "flow_run_id": str(run.id)})

    def _parent_task(self) -> str:
        """The id of the task run that stands for all subflows of this run. The server requires one."""
        if not self._parent:
            wanted = {
                "flow_run_id": self._flow_run,
                "name": "speeches and motions",
                "task_key": "speeches-and-motions",
                "dynamic_key": "0",
                "task_inputs": {},
                "state": {"type": StateType.RUNNING},
            }
            self._parent = self._post("/task_runs/", wanted).json()["id"]
        return self._parent

    def _set_state(self, path: str, state: dict[str, str]) -> None:
        self._post(f"{path}/set_state", {"state": state, "force": True})

    def _post(self, path: str, content: dict[str, Any]) -> httpx.Response:
        """Post to the server, and return its answer. Waits while the server is busy or away."""
        client = self._client._client
        for _ in range(MOST_TRIES):
            try:
                # Prefect's own `send` would wait for seconds where the server is busy for a moment.
                response = httpx.Client.send(client, client.build_request("POST", path, json=content))
                if response.is_success:
                    return response
                if response.status_code not in BUSY:
                    break
                time.sleep(BUSY_SECONDS)
            except httpx.TransportError:
                wait_for_server()
        return self._client.request("POST", path, json=content)  # type: ignore[arg-type]

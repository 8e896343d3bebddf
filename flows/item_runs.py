"""A subflow run per speech and per motion, with the task runs of its stages inside.

In the UI's graph each speech is one bar that opens, and has a page with its own logs, states and artifacts. One thread
writes all of it to the server, in the order of the calls, and the stages do not wait for it. Flow runs of speeches and
motions are only records on the server: Prefect would start an engine for each subflow. Pages are written without
Prefect's own functions, which add two events to each.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

import httpx
from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.context import FlowRunContext
from prefect.exceptions import Pause

from flows.lost_runs import STOPPED, process_labels
from flows.publish import Page, Pages, warning
from flows.server.temporary import wait_for_server
from pipeline.report.formatting import counted
from pipeline.run.job import Item, Job, Outcome
from pipeline.run.plan import RunPlan

T = TypeVar("T")
# How often a request is sent again because the server was away.
MOST_TRIES = 20
# The server answers with so many artifacts at most.
MOST_FOUND = 200


class History:
    """The records of one run on the server. Its methods but `later` are called in its thread, by `later`."""

    def __init__(self, flow_run: str, pages: Pages, logger: Any) -> None:
        self._flow_run, self._pages, self._logger = flow_run, pages, logger
        self._flows: dict[str, str] = {}
        self._parent = ""
        self._thread, self._opened = ThreadPoolExecutor(1, "rostrum-history"), ExitStack()
        self._context = copy_context()  # it has the address of the server

    def __enter__(self) -> "History":
        self._client: SyncPrefectClient = self._opened.enter_context(get_client(sync_client=True))
        return self

    def __exit__(self, *error: object) -> None:
        """Write what is left, and end the thread."""
        with warning("the end of all speeches and motions", self._logger):
            if self._parent:
                self.later(lambda: self._post(f"/task_runs/{self._parent}/set_state", _forced(StateType.COMPLETED)))
            self.later(self._opened.close)
            self._thread.shutdown()

    def later(self, write: Callable[[], T]) -> Future[T]:
        """Call the function in the thread, after all that were given before."""
        return self._thread.submit(self._context.run, write)

    def warned(self, what: str, write: Callable[[], object]) -> None:
        """The same, for something that the run can do without: an error is a warning."""

        def attempt() -> None:
            with warning(what, self._logger):
                write()

        self.later(attempt)

    def begin(self, flow: str, facts: dict[str, Any]) -> FlowRun:
        """Create a flow run in the state Running, as a subflow of the current one.

        After a pause, and when a run is tried again, the flow runs of the same speeches go on.
        """
        if flow not in self._flows:
            self._flows[flow] = self._post("/flows/", {"name": flow}).json()["id"]
        wanted = {
            **facts,
            "flow_id": self._flows[flow],
            "parent_task_run_id": self._parent_task(),
            "labels": process_labels(),
            "state": {"type": StateType.RUNNING},
            "idempotency_key": f"{self._flow_run}/{flow}/{facts['name']}",
        }
        run = FlowRun.model_validate(self._post("/flow_runs/", wanted).json())
        if run.state and not run.state.is_running():
            self.set_state(run, StateType.RUNNING)
            self._client.update_flow_run_labels(run.id, process_labels())
        return run

    def set_state(self, run: FlowRun, type: StateType, **facts: str) -> None:
        """Set the state of a flow run."""
        self._post(f"/flow_runs/{run.id}/set_state", _forced(type, **facts))

    def publish(self, page: Page, flow_run: Any = None, task_run: Any = None) -> None:
        """Create a page, in the run of the folder if no other is given."""
        ids = {"flow_run_id": str(flow_run or self._flow_run), "task_run_id": str(task_run) if task_run else None}
        self._pages.ids[page.key] = self._post("/artifacts/", {**page._asdict(), **ids}).json()["id"]

    def rewrite(self, page: Page) -> None:
        """Write a page of this run again, with the same address."""
        content = {"data": page.data, "description": page.description}
        self._request("PATCH", f"/artifacts/{self._pages.ids[page.key]}", content)

    def look_up(self, keys: Sequence[str]) -> None:
        """Find the latest pages of these keys, so that others can have links to them."""
        for first in range(0, len(keys), MOST_FOUND):
            wanted = {"artifacts": {"key": {"any_": keys[first : first + MOST_FOUND]}}, "limit": MOST_FOUND}
            for artifact in self._post("/artifacts/latest/filter", wanted).json():
                self._pages.ids[artifact["key"]] = artifact["latest_id"]

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

    def _post(self, path: str, content: dict[str, Any]) -> httpx.Response:
        return self._request("POST", path, content)

    def _request(self, method: Any, path: Any, content: dict[str, Any]) -> httpx.Response:
        """The answer of the server. Waits while the server is away."""
        for _ in range(MOST_TRIES):
            try:
                return self._client.request(method, path, json=content)
            except httpx.TransportError:
                wait_for_server()
        return self._client.request(method, path, json=content)


def _forced(type: StateType, **facts: str) -> dict[str, Any]:
    return {"state": {"type": type, **facts}, "force": True}


# The subflow runs of a run.

# How many speeches or motions get their run before their first stage begins.
AHEAD = 4
AWAITING = "AwaitingConcurrencySlot"


@dataclass
class ItemRun:
    """The run of one speech or motion. `rows` are the rows of the table on its page: one per stage."""

    item: Item
    flow_run: Future[FlowRun]
    rows: list[tuple[str, str, str, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    is_ended: bool = False


class ItemRuns:
    """The subflow runs of a run. Each ends when its last stage has ended, or when one of its stages has failed."""

    def __init__(self, plan: RunPlan, pages: Pages, history: History) -> None:
        context = FlowRunContext.get()
        assert context is not None
        self._plan, self._flow_context, self._pages, self._history = plan, context, pages, history
        self._logger = get_run_logger()
        self._left = Counter(job.item.scope for job in plan.jobs)
        self._coming: Iterator[Item] = iter(dict.fromkeys(job.item for job in plan.jobs))
        self._before: dict[str, list[tuple[str, str, str, float]]] = defaultdict(list)
        for outcome in plan.done.values():
            self._before[outcome.scope].append((outcome.stage, outcome.state, outcome.reason, outcome.seconds))
        self._runs: dict[str, ItemRun] = {}
        # The motions that have a page in this run. It is written again at the end.
        self.motions: set[str] = set()

    def __enter__(self) -> "ItemRuns":
        self._history.warned(
            "links to earlier pages", lambda: self._history.look_up(self._pages.linked_keys(self._plan))
        )
        self._history.warned("the page of the run", lambda: self._history.publish(self._pages.run_page(self._plan)))
        self._begin_next(AHEAD)
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._coming = iter(())  # `_end` must not begin another run
        state = (
            (StateType.PAUSED, "paused with its run") if isinstance(error, Pause) else (StateType.CANCELLED, STOPPED)
        )
        for run in self._runs.values():
            if not run.is_ended:
                self._end(run, *state)

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

    def waits(self, item: Item, what: str) -> None:
        """Show that a speech or motion waits, as Prefect shows runs that wait for a concurrency limit."""
        self._set_state(item, StateType.SCHEDULED, name=AWAITING, message=what)

    def goes_on(self, item: Item) -> None:
        """Show that a speech or motion waits no more."""
        self._set_state(item, StateType.RUNNING)

    def ended(self, job: Job, outcome: Outcome, made: str, body: str | None, task_run: UUID) -> None:
        """Record that a stage has ended, and publish its page.

        `made` says in a few words what it made, or why it failed. `body` is its record as Markdown.
        """
        item, run = job.item, self._runs[job.item.scope]
        self._left[item.scope] -= 1
        run.rows.append((outcome.stage, outcome.state, made, outcome.seconds))
        self._publish(run, job, outcome, body, task_run)
        if outcome.state == "failed":
            run.failures.append(f"{outcome.stage}: {outcome.reason}")
        if run.failures:
            self._end(run, StateType.FAILED, "; ".join(run.failures))
        elif not self._left[item.scope]:
            message = f"{counted(len(run.rows), 'stage')} in {sum(row[3] for row in run.rows):.1f} s"
            self._end(run, StateType.COMPLETED, message)
        if not self._left[item.scope]:
            del self._runs[item.scope]

    def done_elsewhere(self, item: Item, jobs: int) -> None:
        """Record that another run does so many stages of a speech or motion."""
        self._left[item.scope] -= jobs
        if not self._left[item.scope] and (run := self._runs.pop(item.scope, None)):
            self._end(run, StateType.COMPLETED, "done by another run")

    def _publish(self, run: ItemRun, job: Job, outcome: Outcome, body: str | None, task_run: UUID) -> None:
        def publish() -> None:
            failed = outcome.state == "failed"
            page = self._pages.failure_page(job, outcome.reason) if failed else self._pages.stage_page(job, body or "")
            self._history.publish(page, run.flow_run.result().id, task_run)

        if body is not None or outcome.state == "failed":
            self._history.warned(f"the page of {job.stage.name}", publish)

    def _begin_next(self, count: int) -> None:
        for item in islice(self._coming, count):
            self._begin(item)

    def _begin(self, item: Item) -> None:
        if item.scope not in self._runs and self._left[item.scope]:
            run = ItemRun(item, self._history.later(lambda: self._first_record(item)))
            self._runs[item.scope] = run
            self._history.warned("the page of a speech", lambda: self._first_pages(run))

    def _first_record(self, item: Item) -> FlowRun:
        kind = "motion" if item.is_motion else "speech"
        facts = {
            "name": item.id,
            "parameters": {kind: item.id, "motion": item.motion},
            "tags": [tag for tag in (self._pages.label, item.motion, item.speaker) if tag],
        }
        return self._history.begin(kind, facts)

    def _first_pages(self, run: ItemRun) -> None:
        """Publish pages that are written again at the end, so that other pages can have links to them."""
        item = run.item
        if item.motion and item.motion not in self.motions:
            self.motions.add(item.motion)
            motion = self._plan.corpus.motions[item.motion]
            self._history.publish(self._pages.motion_page(motion, self._plan.items))
        if not item.is_motion:
            page = self._pages.speech_page(item, self._before[item.scope], is_ended=False)
            self._history.publish(page, run.flow_run.result().id)

    def _set_state(self, item: Item, type: StateType, **facts: str) -> None:
        run = self._runs[item.scope]
        if not run.is_ended:
            self._history.warned("a wait", lambda: self._history.set_state(run.flow_run.result(), type, **facts))

    def _end(self, run: ItemRun, state: StateType, message: str) -> None:
        """Record the final state of a run and, for a speech, its page."""
        rows = [*self._before[run.item.scope], *run.rows]
        name = {"name": "Suspended"} if state == StateType.PAUSED else {}
        if not run.is_ended:
            run.is_ended = True
            self._begin_next(1)
            level = self._logger.error if state == StateType.FAILED else self._logger.info
            level("%s: %s", run.item.id, message)

        def end() -> None:
            self._history.set_state(run.flow_run.result(), state, message=message, **name)
            if not run.item.is_motion:
                self._history.rewrite(self._pages.speech_page(run.item, rows, is_ended=True))

        self._history.warned("the end of a speech or motion", end)

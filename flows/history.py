"""Writes what the UI shows of a run to the Prefect server, in one thread and in the order of the calls.

The stages do not wait for it. Flow runs of speeches and motions are only records on the server: Prefect would start an
engine for each subflow. Pages are written without Prefect's own functions, which add two events to each.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from typing import Any, TypeVar

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, StateType

from flows.lost_runs import process_labels
from flows.publish import Page, Pages, warning
from flows.server.temporary import wait_for_server

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

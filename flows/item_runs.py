"""A subflow run per speech and per motion, with the task runs of its stages inside.

In the UI's graph each speech is one bar that opens, and has a page with its own logs, states and artifacts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from uuid import UUID

from prefect import get_run_logger
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.context import FlowRunContext
from prefect.exceptions import Pause

from flows.history import History
from flows.lost_runs import STOPPED
from flows.publish import Pages
from pipeline.report.formatting import counted
from pipeline.run.job import Item, Job, Outcome
from pipeline.run.plan import RunPlan

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

"""The flow `process-corpus`: every stage of every speech is a task run, and one bad file never stops the others."""

import functools
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from prefect import Flow, flow, get_run_logger
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.context import FlowRunContext
from prefect.states import Completed, Failed
from pydantic import Field

from flows.current_folder import back
from flows.device import keeping_devices
from flows.form import DEFAULT, FormSettings
from flows.item_runs import History, ItemRuns
from flows.lost_runs import SOON, cancellable, drop_waiting_runs, end_lost_runs, sign
from flows.publish import Page, Pages, Shown, label_of, removed, report_later, show, title, warning, what_changes
from flows.server.automations import tell_when_process_ends
from flows.stage_runs import StageRuns
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import Motion
from pipeline.report.formatting import counted
from pipeline.run.estimate import Estimate
from pipeline.run.execute import Watcher, execute
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan
from pipeline.run.preflight import begun
from pipeline.run.sharing import Leases
from pipeline.run.summary import RunSummary
from pipeline.stage import STAGES
from pipeline.system.interrupt import interruptible

# In the form of the Prefect UI, stages are chosen from a list.
StageName = Annotated[str, Field(json_schema_extra={"enum": [*STAGES]})]
PROGRESS_SECONDS = 3.0
INTERRUPTED = "interrupted; finished results are kept, and the next run continues"


class FinishedFlow(NamedTuple):
    """What the flow returns to its caller: the summary, and the sentence on where the report is."""

    summary: RunSummary
    report_line: str


class SomeFailed(RostrumError):
    """Speeches failed, and the others are finished. Prefect's state Failed takes only errors."""

    def __init__(self, message: str, finished: FinishedFlow) -> None:
        super().__init__(message)
        self.finished = finished


@dataclass
class Planned:
    """A plan, the watcher of its run, and the progress of the report.

    It is empty in other processes. Prefect sends the flow to them with each task, and they do not need it.
    """

    plan: RunPlan | None = None
    watcher: Estimate | None = None
    report: Progress = no_progress
    leases: Leases | None = None

    def __reduce__(self) -> tuple[type["Planned"], tuple[()]]:
        return Planned, ()


@flow(name="process-corpus", persist_result=False)
def process_corpus(
    folder: Path,
    out: str | None = None,
    stages: list[StageName] | None = None,
    settings: FormSettings = DEFAULT,
    report: bool = True,
    retry_failed: bool = False,
    shard: str | None = None,
) -> State[FinishedFlow]:
    """Process a folder of recorded speeches. Unchanged results are reused.

    Args:
        folder: The corpus: audio files, with references beside them or manifests that describe them.
        out: Where the artifacts go: a folder, or an s3:// or gs:// URL; empty for a folder of the same name in runs/.
        stages: The stages to run, and their dependencies; empty for all.
        settings: The settings of every stage. Those that are changed most come first, the others are folded.
        report: Whether to write the HTML report at the end, to the folder _report beside the artifacts.
        retry_failed: Whether to try again what failed in the last run, although neither file nor settings have changed.
        shard: Only this part of the speeches, such as 3/16; empty for all. Other runs do the other parts.
    """
    back()
    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run and run.deployment_id:
        tell_when_process_ends(run, process_corpus.name)
        for name in ("prefect.engine", "prefect.flow_runs"):
            logging.getLogger(name).addFilter(_has_no_traceback_of_ours)
    retry_failed = retry_failed or (run is not None and run.run_count > 1)  # somebody clicked Retry
    options: dict[str, Any] = {"retry_failed": retry_failed, "shard": shard, "may_be_empty": True}
    options |= {"command": "a run of a deployment", "tell": get_run_logger().warning}
    try:
        with begun(folder, out, stages, settings, **options) as (plan, leases):
            work = partial(carry_out, Planned(plan, leases=leases), report=report)
            state = nothing_to_do(plan) if plan.is_idle else interruptible(work, INTERRUPTED, 2 * SOON)
    except RostrumError as error:
        return Failed(message=str(error), data=error)
    if run and run.deployment_id:
        # Runs that were scheduled meanwhile would have nothing to do.
        with warning("the end of runs that were scheduled meanwhile", get_run_logger()):
            drop_waiting_runs(run.deployment_id, before=datetime.now(UTC))
    return state


def _has_no_traceback_of_ours(record: logging.LogRecord) -> bool:
    """Whether a log line is not Prefect's traceback of an error that the state of the run tells in a line."""
    return not (record.exc_info and isinstance(record.exc_info[1], RostrumError))


def flow_of(planned: Planned) -> Flow[..., Any]:
    """The same flow, with the same parameters, for a run that this process has already planned."""
    return flow(name=process_corpus.name, persist_result=False)(
        functools.update_wrapper(partial(carry_out, planned), process_corpus.fn)
    )


def carry_out(planned: Planned, *, report: bool, **_: object) -> State[FinishedFlow]:
    """Carry out the plan in the current flow run, and publish the results. Other parameters are part of the plan."""
    plan = planned.plan
    assert plan is not None
    logger, context = get_run_logger(), FlowRunContext.get()
    assert context is not None
    assert context.flow_run is not None
    flow_run, pages = context.flow_run.id, Pages.of(plan, report=report)
    with warning("the state of earlier runs", logger):
        sign(flow_run)
        end_lost_runs(flow_run)
    with warning("the name of the run", logger):
        _label(context.flow_run, plan)
    _tell(plan, logger)
    with cancellable(context.flow_run), History(str(flow_run), pages, logger) as history:
        watcher = _Published(planned.watcher or Estimate(plan), pages, history)
        with ItemRuns(plan, pages, history) as items, keeping_devices(), StageRuns(plan, items, watcher) as workers:
            summary = execute(plan, workers, leases=planned.leases, watcher=watcher, flow_run=str(flow_run))
        history.warned("the table of speeches", lambda: history.publish(pages.speeches_page(summary)))
        shown = show(plan.store, report, planned.report) if plan.shard.is_all else Shown(None, report_later(plan.store))
        _publish_glance(plan, summary, shown, pages, history, items.motions)
    logger.info(shown.report_line)
    return final_state(FinishedFlow(summary, shown.report_line))


def _publish_glance(
    plan: RunPlan, summary: RunSummary, shown: Shown, pages: Pages, history: History, motions: Iterable[str]
) -> None:
    """Write the pages of the run and of the motions again, now that everything is known."""

    def motion_page(motion: Motion) -> Page:
        glance = shown.data.motion_page(motion).markdown if shown.data else shown.report_line
        return pages.motion_page(motion, plan.items, glance)

    def run_page() -> Page:
        glance = shown.data.front_page.markdown if shown.data else ""
        return pages.run_page(plan, summary, glance, shown.report_line)

    for motion in sorted(motions):
        write = partial(_rewrite, history, motion_page, plan.corpus.motions[motion])
        history.warned(f"the page of {motion}", write)
    history.warned("the page of the run", partial(_rewrite, history, run_page))


def _rewrite(history: History, page: Callable[..., Page], *arguments: Any) -> None:
    history.rewrite(page(*arguments))


def _tell(plan: RunPlan, logger: Any) -> None:
    """Say in the log of the run what it is about to do."""
    logger.info("%s: %s", plan.corpus.path, what_changes(plan))
    if gone := removed(plan):
        logger.info("removed since the last run: %s", ", ".join(gone))


def _label(run: FlowRun, plan: RunPlan) -> None:
    """Name a run after its folder and what it does, and tag it with its folder. A typed name stays in front."""
    label = label_of(plan.corpus)
    is_typed = run.deployment_id and not run.auto_scheduled and not run.name.startswith(f"{label}: ")
    name = f"{run.name}: {what_changes(plan)}" if is_typed else title(plan)
    with get_client(sync_client=True) as client:
        client.update_flow_run(run.id, name=run.name if run.run_count > 1 else name, tags=sorted({*run.tags, label}))


def nothing_to_do(plan: RunPlan) -> State[FinishedFlow]:
    """The end of a run without work. Nothing is published, and no file is written."""
    assert plan.last is not None
    context = FlowRunContext.get()
    if context and context.flow_run:
        with warning("the name of the run", get_run_logger()):
            _label(context.flow_run, plan)
    message = f"nothing to do: {len(plan.items)} recordings and motions are up to date"
    if failures := plan.last.failures:
        message = "nothing is new. Known to be broken, and tried again when the file or the settings change: "
        message += "; ".join(failures)
    get_run_logger().info(message)
    return Completed(message=message, data=FinishedFlow(plan.last, ""))


def final_state(finished: FinishedFlow) -> State[FinishedFlow]:
    """The state Completed, or Failed if a speech failed. Its message says how many failed, and why."""
    states = Counter(outcome.state for item in finished.summary.items for outcome in item.outcomes)
    message = ", ".join(f"{number} {state}" for state, number in states.items())
    if failures := finished.summary.failures:
        message = f"completed with {counted(len(failures), 'failure')}: {'; '.join(failures)}"
        return Failed(message=message, data=SomeFailed(message, finished))
    return Completed(message=message, data=finished)


class _Published(Watcher):
    """Shows in the Prefect UI how much of the work is done, every few seconds. Also calls another watcher."""

    def __init__(self, watcher: Estimate, pages: Pages, history: History) -> None:
        self._watcher, self._pages, self._history, self._shown = watcher, pages, history, 0.0
        if watcher.plan.jobs:
            history.warned("the progress", lambda: history.publish(pages.progress_page(0.0)))

    def began(self, job: Job) -> None:
        self._watcher.began(job)

    def progressed(self, job: Job, share: float, what: str) -> None:
        self._watcher.progressed(job, share, what)

    def ended(self, job: Job, outcome: Outcome) -> None:
        self._watcher.ended(job, outcome)
        share = self._watcher.share
        if time.monotonic() - self._shown > PROGRESS_SECONDS or share == 1.0:
            self._shown = time.monotonic()
            page = self._pages.progress_page(100 * share)
            self._history.warned("the progress", lambda: self._history.rewrite(page))

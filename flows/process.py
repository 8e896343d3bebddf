"""The flow `process-corpus`: every stage of every speech is a task run, and one bad file never stops the others."""

import functools
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from prefect import Flow, flow, get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.context import FlowRunContext
from prefect.states import Completed, Failed
from pydantic import Field

from flows.current_folder import back
from flows.device import keeping_device
from flows.item_runs import ItemRuns
from flows.lost_runs import SOON, cancellable, drop_waiting_runs, end_lost_runs, sign
from flows.publish import Pages, show, warning
from flows.server.automations import tell_when_process_ends
from flows.stage_runs import StageRuns
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.report.formatting import counted
from pipeline.report.markdown import escaped
from pipeline.run.configuration import Settings
from pipeline.run.estimate import Estimate
from pipeline.run.execute import Watcher, execute
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan, plan_run, refuse_store
from pipeline.run.store import Store, default_root
from pipeline.run.summary import RunSummary
from pipeline.run.writer import only_writer
from pipeline.stage import STAGES
from pipeline.system.interrupt import interruptible

# In the form of the Prefect UI, stages are chosen from a list.
StageName = Annotated[str, Field(json_schema_extra={"enum": [*STAGES]})]
PROGRESS_SECONDS = 1.0
INTERRUPTED = "interrupted; finished results are kept, and the next run continues"


class FinishedFlow(NamedTuple):
    """What the flow returns to its caller: the summary, and the sentence on where the report is."""

    summary: RunSummary
    report_line: str


@dataclass
class Planned:
    """A plan, the watcher of its run, and the progress of the report.

    It is empty in other processes. Prefect sends the flow to them with each task, and they do not need it.
    """

    plan: RunPlan | None = None
    watcher: Watcher | None = None
    report: Progress = no_progress

    def __reduce__(self) -> tuple[type["Planned"], tuple[()]]:
        return Planned, ()


def _run_name() -> str:
    """The name of the folder, without its path, which the parameters have."""
    from prefect.runtime import flow_run

    return Path(flow_run.parameters["folder"]).name


@flow(name="process-corpus", flow_run_name=_run_name, persist_result=False)
def process_corpus(
    folder: Path,
    out: str | None = None,
    stages: list[StageName] | None = None,
    settings: Settings = Settings(),  # noqa: B008
    limit: str | None = None,
    report: bool = True,
    retry_failed: bool = False,
) -> State[FinishedFlow]:
    """Process a folder of recorded speeches. Unchanged results are reused.

    Args:
        folder: The corpus: audio files, with references beside them or manifests that describe them.
        out: Where the artifacts go: a folder, or an s3:// or gs:// URL; empty for a folder of the same name in runs/.
        stages: The stages to run, and their dependencies; empty for all.
        settings: The settings of every stage.
        limit: A global concurrency limit of the Prefect server. The stages with a model hold one slot of it together.
        report: Whether to write the HTML report at the end, to the folder _report beside the artifacts.
        retry_failed: Whether to try again what failed in the last run, although neither file nor settings have changed.
    """
    back()
    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run and run.deployment_id:
        tell_when_process_ends(run)
    retry_failed = retry_failed or (run is not None and run.run_count > 1)  # somebody clicked Retry
    store = Store(out or default_root(folder))
    try:
        corpus = open_corpus(folder)
        refuse_store(corpus, store)
        with only_writer(store, "a run of a deployment", get_run_logger().warning):
            plan = plan_run(open_corpus(folder), store, settings, stages, retry_failed=retry_failed)
            work = partial(carry_out, Planned(plan), limit, report)
            state = nothing_to_do(plan) if plan.is_idle else interruptible(work, INTERRUPTED, 2 * SOON)
    except RostrumError as error:
        return Failed(message=str(error))
    if run and run.deployment_id:
        # Runs that were scheduled meanwhile would have nothing to do.
        with warning("the end of runs that were scheduled meanwhile", get_run_logger()):
            drop_waiting_runs(run.deployment_id, before=datetime.now(UTC))
    return state


def flow_of(planned: Planned) -> Flow[..., Any]:
    """The same flow, with the same parameters, for a run that this process has already planned."""

    @functools.wraps(process_corpus.fn)
    def process(
        folder: Path,
        out: str,
        stages: list[str] | None,
        settings: Settings,
        limit: str | None,
        report: bool,
        retry_failed: bool,
    ) -> State[FinishedFlow]:
        return carry_out(planned, limit, report)

    return flow(name=process_corpus.name, flow_run_name=_run_name, persist_result=False)(process)


def carry_out(planned: Planned, limit: str | None, report: bool) -> State[FinishedFlow]:
    """Carry out the plan in the current flow run, and publish the results."""
    plan = planned.plan
    assert plan is not None
    logger, context = get_run_logger(), FlowRunContext.get()
    assert context is not None
    assert context.flow_run is not None
    flow_run, pages = context.flow_run.id, Pages.of(plan.corpus, plan.store)
    with warning("the state of earlier runs", logger):
        sign(flow_run)
        end_lost_runs(flow_run)
    with warning("the name of the run", logger):
        _label(context.flow_run, title(pages.corpus, plan), pages.corpus)
    watcher = _Published(plan, planned.watcher or Watcher(), pages)
    with cancellable(context.flow_run):
        with ItemRuns(plan, pages) as items, keeping_device():
            workers = StageRuns(plan, pages, items, limit, watcher)
            summary = execute(plan, workers, watcher=watcher, flow_run=str(flow_run))
        with warning("the table of speeches", logger):
            pages.publish_speeches(summary)
        report_line = show(plan.store, pages, report, planned.report, logger)
    logger.info(report_line)
    return final_state(FinishedFlow(summary, report_line))


def title(corpus: str, plan: RunPlan) -> str:
    """The name of a run in the UI, which says what it is about to do: `debates: 12 new, 3 changed`."""
    known = {item.scope for item in plan.last.items} if plan.last else set()
    items = {job.item for job in plan.jobs}
    speeches = [item for item in items if not item.is_motion]
    new = sum(item.scope not in known for item in speeches)
    parts = [f"{count} {what}" for count, what in ((new, "new"), (len(speeches) - new, "changed")) if count]
    if items and not parts:
        parts = [counted(len(items), "motion")]
    return f"{corpus}: {', '.join(parts) or 'nothing to do'}"


def _label(run: FlowRun, name: str, corpus: str) -> None:
    """Set the name of a run, and tag it with its folder."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(run.id, name=name, tags=sorted({*run.tags, corpus}))


def nothing_to_do(plan: RunPlan) -> State[FinishedFlow]:
    """The state NothingToDo, which counts as completed. Nothing is published, and no file is written."""
    assert plan.last is not None
    context = FlowRunContext.get()
    if context and context.flow_run:
        corpus = Pages.of(plan.corpus, plan.store).corpus
        with warning("the name of the run", get_run_logger()):
            _label(context.flow_run, title(corpus, plan), corpus)
    message = f"{len(plan.items)} speeches and motions are up to date"
    if failures := plan.last.failures:
        message = "nothing is new. Known to be broken, and tried again when the file or the settings change: "
        message += "; ".join(failures)
    get_run_logger().info(message)
    return Completed(name="NothingToDo", message=message, data=FinishedFlow(plan.last, ""))


def final_state(finished: FinishedFlow) -> State[FinishedFlow]:
    """The state Completed or CompletedWithFailures. Its message says how many failed, and why."""
    failures = finished.summary.failures
    if not failures:
        states = Counter(outcome.state for item in finished.summary.items for outcome in item.outcomes)
        message = ", ".join(f"{number} {state}" for state, number in states.items())
        return Completed(message=message, data=finished)
    message = f"{len(failures)} failed: " + "; ".join(failures)
    return Completed(name="CompletedWithFailures", message=message, data=finished)


class _Published(Watcher):
    """Shows in the Prefect UI how much of the work is done, at most once a second. Also calls another watcher."""

    def __init__(self, plan: RunPlan, watcher: Watcher, pages: Pages) -> None:
        self.watcher, self.estimate, self.shown = watcher, Estimate(plan), 0.0
        self.artifact: Any = None  # Prefect's functions are typed for async callers too
        if plan.jobs:
            with warning("the progress", get_run_logger()):
                about = escaped(f"{pages.corpus}: share of the work that is done")
                self.artifact = create_progress_artifact(0.0, key=pages.key("progress"), description=about)

    def began(self, job: Job) -> None:
        self.estimate.began(job)
        self.watcher.began(job)

    def progressed(self, job: Job, share: float, what: str) -> None:
        self.estimate.progressed(job, share, what)
        self.watcher.progressed(job, share, what)

    def ended(self, job: Job, outcome: Outcome) -> None:
        self.estimate.ended(job, outcome)
        self.watcher.ended(job, outcome)
        share = self.estimate.share
        if self.artifact and (time.monotonic() - self.shown > PROGRESS_SECONDS or share == 1.0):
            self.shown = time.monotonic()
            with warning("the progress", get_run_logger()):
                update_progress_artifact(self.artifact, 100 * share)

"""What `rostrum run` does: plan, run the flow if there is work, print what came of it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from flows.automations import send_heartbeats
from flows.server import TemporaryServer, api, configured_url, wait_until_stored
from pipeline.cli.progress import progress_bar
from pipeline.cli.tables import print_rows
from pipeline.corpus import Corpus, open_corpus
from pipeline.engine.job import Outcome
from pipeline.engine.plan import Item, Plan, chosen_stages, plans
from pipeline.engine.store import Store
from pipeline.engine.summary import (
    Known,
    RunSummary,
    error_counts,
    item_summary,
    load,
    now,
    save,
    speech_rows,
)
from pipeline.errors import RostrumError
from pipeline.measures.error_rates import word_error_rates
from pipeline.printable import printable
from pipeline.records import ErrorCounts
from pipeline.settings import Settings


def run_corpus(
    folder: Path, out: str, stages: list[str] | None, settings: Settings, on: str = "threads", report: bool = True
) -> int:
    """Process a folder, write its report and print what came of it; returns the exit code."""
    corpus, store = open_corpus(folder), Store(out)
    if not corpus.entries and not corpus.problems:
        raise RostrumError(f"{folder}: no audio files in it, and no speeches.csv; `rostrum check {folder}` tells more")
    todo = plans(corpus, chosen_stages(stages), settings, store)
    told: str | None = None
    last = load(store)
    if last is None or any(plan.todo or plan.failed for plan in todo):
        told = _run_flow(folder, out, stages, settings, todo, on, report)
        summary = load(store)
        assert summary is not None
    else:
        summary = _unchanged(corpus, settings, todo, last)
        click.echo(f"nothing to do: all of {folder} is in {out} as these settings want it", err=True)
        if report:
            told = _report_again(summary, last, store)
    _print(summary, store, told)
    return 1 if summary.failures else 0


def _report_again(summary: RunSummary, last: RunSummary, store: Store) -> str:
    """Bring the report up to date: what it shows of the corpus beyond what the stages read may have changed."""
    from flows.report import bring_up_to_date

    if (summary.known, summary.problems) != (last.known, last.problems):
        scopes = {item.scope for item in summary.items}
        items = [item for item in last.items if item.scope in scopes]
        save(last.model_copy(update={"known": summary.known, "problems": summary.problems, "items": items}), store)
    with progress_bar("report") as progress:
        return bring_up_to_date(store, progress)


def _unchanged(corpus: Corpus, settings: Settings, todo: list[Plan], last: RunSummary) -> RunSummary:
    return RunSummary(
        corpus=str(corpus.folder),
        started=now(),
        seconds=0.0,
        flow_run=last.flow_run,
        settings=settings,
        problems=[str(problem) for problem in corpus.problems],
        items=[item_summary(plan.item, plan.done.values()) for plan in todo],
        known=Known.of(corpus),
    )


def _run_flow(
    folder: Path, out: str, stages: list[str] | None, settings: Settings, todo: list[Plan], on: str, report: bool
) -> str:
    """Run the flow on the user's server, or on one of our own, with a progress bar on stderr.

    Returns what it says of the report.
    """
    send_heartbeats()
    server = None if configured_url() else TemporaryServer()
    with _progress(todo, Store(out)) as listen, api(server):
        # Imported while the server starts: Prefect reads its settings now.
        from flows.capacity import device_limit
        from flows.process import listener, process_corpus, reporting
        from flows.runners import task_runner

        quiet_console()
        token, other = listener.set(listen), reporting.set(listen.report)
        try:
            flow = process_corpus.with_options(task_runner=task_runner(on))
            # A server of our own has nobody else on it who could want the device.
            limit = device_limit() if server is None and on == "threads" else None
            state = flow(folder, out, stages, settings, limit, report, return_state=True)
        finally:
            listener.reset(token)
            reporting.reset(other)
        told = str(state.result())
        flow_run = state.state_details.flow_run_id
        if server and flow_run and not wait_until_stored(str(flow_run), listen.count):
            click.echo(f"warning: the Prefect history of this run may lack its last steps; see {server.log}", err=True)
    return told


def quiet_console() -> None:
    """Prefect's log lines go to its server, where the UI shows them; the terminal belongs to the progress bar."""
    for name in ("", *logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if any("Console" in type(handler).__name__ for handler in logger.handlers):
            others = [each for each in logger.handlers if "Console" not in type(each).__name__]
            logger.handlers = others or [logging.NullHandler()]
            logger.propagate = False


@contextmanager
def _progress(todo: list[Plan], store: Store) -> Iterator["_Listener"]:
    columns = (
        TextColumn("{task.description} {task.fields[pace]:>15}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        yield _Listener(bar, sum(len(plan.todo) for plan in todo), store)


class _Listener:
    """Turns outcomes into a progress bar: the stage and speech that came last, and how fast that was."""

    def __init__(self, bar: Progress, total: int, store: Store) -> None:
        self.bar, self.store = bar, store
        self.task = bar.add_task("starting", total=total, pace="")
        self.count = 0
        self.durations: dict[str, float] = {}

    def __call__(self, item: Item, outcome: Outcome) -> None:
        self.count += 1
        if not self.bar.console.is_terminal:
            return
        text = printable(f"{outcome.stage} {item.id}")
        self.bar.update(self.task, advance=1, description=text[:40].ljust(40), pace=self._pace(item, outcome))
        if outcome.state == "failed":
            self.bar.console.print(
                printable(f"failed: {item.id}: {outcome.stage}: {outcome.reason}"), highlight=False, markup=False
            )

    def _pace(self, item: Item, outcome: Outcome) -> str:
        """How many seconds of the recording the stage dealt with in one; nothing of motions and of what did not run."""
        if item.scope not in self.durations:
            recording = self.store.artifact(item.scope, "ingest")
            self.durations[item.scope] = (recording.data or {}).get("duration", 0.0) if recording else 0.0
        duration = self.durations[item.scope]
        return f"{duration / outcome.seconds:.1f}x realtime" if duration and outcome.seconds else ""

    def report(self, share: float, what: str) -> None:
        self.bar.update(self.task, description=f"report: {share:.0%}".ljust(40), pace="")


def _print(summary: RunSummary, store: Store, told: str | None) -> None:
    """The table and the pooled error rate on stdout; where everything is, on stderr."""
    print_rows("", speech_rows(summary, store), decimals=1)
    click.echo(_pooled([counts for _, counts in error_counts(summary, store)]))
    for failure in summary.failures:
        click.echo(printable(f"failed: {failure}"), err=True)
    click.echo(f"artifacts: {store.root}/<speech>/<stage>.json (`rostrum show {store.root}`)", err=True)
    if told:
        click.echo(told, err=True)
    if summary.flow_run:
        click.echo(_where_to_look(summary.flow_run), err=True)


def _where_to_look(flow_run: str) -> str:
    page = f"runs/flow-run/{flow_run}"
    url = configured_url()
    if url:
        return f"Prefect UI: {url.removesuffix('/api')}/{page}"
    return f"Prefect UI: `prefect server start`, then http://127.0.0.1:4200/{page}"


def _pooled(counts: list[ErrorCounts]) -> str:
    rates = word_error_rates(counts)
    if rates["wer"] is None:
        return "no speech has a reference, so there is no word error rate"
    low, high = rates["wer_low"], rates["wer_high"]
    interval = f" (95 % interval {100 * low:.1f} to {100 * high:.1f})" if low is not None and high is not None else ""
    return f"pooled WER {100 * rates['wer']:.2f} %{interval}: {rates['words']} words, {len(counts)} speeches"

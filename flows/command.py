"""What `rostrum run` does: plan, run the flow if there is work, print the results."""

import logging
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from flows.server.automations import send_heartbeats
from flows.server.temporary import TemporaryServer, api, configured_url, wait_until_stored
from pipeline.cli.console import print_rows, progress_bar
from pipeline.cli.run_progress import run_progress
from pipeline.errors import RostrumError, printable, quoted
from pipeline.measures import word_error_rates
from pipeline.report.formatting import counted
from pipeline.run.configuration import Settings
from pipeline.run.execute import import_libraries
from pipeline.run.index import remove_records, save_head, write_records
from pipeline.run.plan import RunPlan
from pipeline.run.preflight import begun, preflight
from pipeline.run.sharing import Leases
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary, error_counts, speech_rows
from pipeline.system import scratch


def run_corpus(
    folder: Path,
    out: str,
    stages: list[str] | None,
    settings: Settings,
    *,
    origins: Mapping[str, str] = MappingProxyType({}),
    on: str = "threads",
    report: bool = True,
    other_corpus: bool = False,
    shard: str | None = None,
) -> int:
    """Process a folder, write its report, print the results, and return the exit code.

    `origins` says where each setting came from, for notes on settings that change nothing.
    """
    if on not in ("threads", "processes"):  # Dask workers run in other folders
        folder, out = folder.absolute(), out if "://" in out else str(Path(out).absolute())
    options: dict[str, Any] = {"other_corpus": other_corpus, "shard": shard, "tell": partial(click.echo, err=True)}
    with begun(folder, out, stages, settings, command="rostrum run", **options) as (plan, leases):
        last, store = plan.last, plan.store
        report_line: str | None
        if last is None or not plan.is_done:
            for note in preflight(plan.corpus, stages, settings, origins):
                click.echo(f"note: {printable(note)}", err=True)
            summary, report_line = _run_flow(plan, leases, out, stages, on, report)
        else:
            store.clear_stale()  # a run with work does so when it begins
            scratch.clear()
            click.echo(f"nothing to do: all of {folder} is in {out}, up to date with these settings", err=True)
            summary = plan.summary(plan.done, started=last.started, seconds=0.0, flow_run=last.flow_run)
            _remember_corpus(plan, summary, last)
            report_line = _report_again(store) if report and plan.shard.is_all else None
    print_summary(summary, store, report_line)
    return 1 if summary.failures else 0


def _remember_corpus(plan: RunPlan, summary: RunSummary, last: RunSummary) -> None:
    """Store what has changed of the corpus since the last run: its place, and facts that no stage reads."""
    changed = ("corpus", "corpus_path", "problems")
    if update := {name: value for name in changed if (value := getattr(summary, name)) != getattr(last, name)}:
        save_head(last.model_copy(update=update), plan.store)
    write_records(plan.store, plan.changed)
    remove_records(plan.store, plan.removed)


def _report_again(store: Store) -> str:
    """Bring the report up to date. It also shows facts of the corpus that no stage reads."""
    from flows.publish import bring_up_to_date

    with progress_bar("report") as progress:
        return bring_up_to_date(store, progress)


def _run_flow(
    plan: RunPlan, leases: Leases, out: str, stages: list[str] | None, on: str, report: bool
) -> tuple[RunSummary, str]:
    """Run the flow on the user's server, or on a temporary one, with a progress bar on stderr.

    Returns the summary, and the line that says where the report is.
    """
    send_heartbeats()
    server = None if configured_url() else TemporaryServer()
    import_libraries(plan)  # while the server starts
    with run_progress(plan) as shown, api(server):
        # Imported here, because Prefect reads its settings when it is imported.
        from flows.process import FinishedFlow, Planned, SomeFailed, flow_of
        from flows.stage_runs import task_runner

        quiet_console()
        flow = flow_of(Planned(plan, shown, shown.reporting, leases)).with_options(task_runner=task_runner(on))
        part = None if plan.shard.is_all else str(plan.shard)
        state: Any = flow(plan.corpus.path, out, stages, plan.settings, report, True, part, return_state=True)
        result = state.result(raise_on_failure=False)
        finished = result.finished if isinstance(result, SomeFailed) else result
        if not isinstance(finished, FinishedFlow):
            raise finished if isinstance(finished, Exception) else RostrumError(state.message or str(finished))
        flow_run = finished.summary.flow_run
        if server and flow_run and not wait_until_stored(flow_run, shown.ended_jobs):
            server.keeps_log = True
            click.echo(f"warning: the Prefect history of this run may lack its last steps; see {server.log}", err=True)
    return finished


def quiet_console() -> None:
    """Stop Prefect's log lines on the terminal, where the progress bar is. The UI shows them."""
    for name in ("", *logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if any("Console" in type(handler).__name__ for handler in logger.handlers):
            others = [each for each in logger.handlers if "Console" not in type(each).__name__]
            logger.handlers = others or [logging.NullHandler()]
            logger.propagate = False


def print_summary(summary: RunSummary, store: Store, report_line: str | None) -> None:
    """Print the table and the pooled error rate on stdout, and where everything is on stderr."""
    print_rows("", speech_rows(summary), decimals=1)
    click.echo(_pooled(summary))
    for failure in summary.failures:
        click.echo(printable(f"failed: {failure}"), err=True)
    for remark in summary.remarks:
        click.echo(printable(remark), err=True)
    click.echo(f"artifacts: {store.root}/<speech>/<stage>.json (`rostrum show {quoted(store.root)}`)", err=True)
    if report_line:
        click.echo(report_line, err=True)
    if summary.flow_run:
        click.echo(_where_to_look(summary.flow_run), err=True)


def _where_to_look(flow_run: str) -> str:
    page = f"runs/flow-run/{flow_run}"
    url = configured_url()
    if url:
        return f"Prefect UI: {url.removesuffix('/api')}/{page}"
    return f"Prefect UI: `rostrum server`, then http://127.0.0.1:4200/{page}"


def _pooled(summary: RunSummary) -> str:
    """The word error rate of all scored speeches, or why there is none."""
    counts = error_counts(summary)
    rates = word_error_rates(counts)
    if rates["wer"] is None:
        scored = [outcome.state for item in summary.items for outcome in item.outcomes if outcome.stage == "score"]
        if not scored:
            return "no word error rate: the stage score did not run"
        if "failed" in scored:
            return "no word error rate: no speech could be scored"
        return "no word error rate: no speech has both a recognised and a reference transcript"
    low, high = rates["wer_low"], rates["wer_high"]
    interval = f" (95 % interval {100 * low:.1f} to {100 * high:.1f})" if low is not None and high is not None else ""
    return (
        f"pooled WER {100 * rates['wer']:.2f} %{interval}: {rates['words']} words, {counted(len(counts), 'recording')}"
    )


# `rostrum doctor`.


@click.command()
def doctor() -> None:
    """Check this machine. Every line is ok, or says what to do. The exit code is 1 if there is something to do."""
    from pipeline.run.doctor import findings

    checks = list(findings({"prefect": _prefect}))
    for finding in checks:
        click.echo(f"{'ok  ' if finding.is_ok else 'DO  '} {finding.name}: {finding.text}")
    sys.exit(0 if all(finding.is_ok for finding in checks) else 1)


def _prefect() -> str:
    from flows.current_folder import refuse_settings_of_prefect

    refuse_settings_of_prefect(Path.cwd())
    import prefect

    from flows.server.temporary import configured_url, is_healthy

    url = configured_url()
    if url is None:
        return f"prefect {prefect.__version__}; no server is set up, so each run starts a temporary one"
    if not is_healthy(url):
        raise RostrumError(f"the server at {url} does not answer; run `rostrum server`, or unset PREFECT_API_URL")
    return f"prefect {prefect.__version__}; the server at {url} answers"

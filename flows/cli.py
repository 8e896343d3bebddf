"""The command `rostrum`: the commands of the library, and those that need Prefect."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from pipeline.cli import LAZY, main_group
from pipeline.cli.console import LocalPath, setting_options, stages_like
from pipeline.cli.lazy import run_command

LAZY["run"] = ("flows.cli:run", "Process a folder of speeches: transcripts, word error rates, arguments.")
LAZY["serve"] = ("flows.cli:serve", "Process new speeches in a folder, on a schedule or when they come.")
LAZY["server"] = ("flows.server.lasting:server", "Start a Prefect server and its UI for many speeches.")
LAZY["doctor"] = ("flows.command:doctor", "Check this machine. Every line is ok, or says what to do.")


# As long as a Dask scheduler may take to answer before a run is begun.
_SCHEDULER_SECONDS = 5
F = TypeVar("F", bound=Callable[..., Any])


# The entry point of `rostrum`.
main = partial(run_command, main_group)


def corpus_options(command: F) -> F:
    """The argument and options of every command that processes a folder."""
    file = LocalPath()
    for option in (
        click.option(
            "--log",
            type=click.Choice(["console", "json"]),
            callback=lambda context, option, style: _configure_logs(style),
            expose_value=False,
            help="Log every stage on stderr: as text, or as one JSON object per line.",
        ),
        click.option(
            "--report/--no-report", default=True, help="Write the HTML report into _report in the run. Default: yes."
        ),
        setting_options,
        click.option(
            "--stages",
            help="Only these stages, separated by commas, and their dependencies.",
            callback=lambda context, option, given: [name.strip() for name in given.split(",")] if given else None,
            shell_complete=stages_like,
        ),
        click.option("--out", help="Where artifacts go: a folder or an s3:// URL. Default: runs/<name of the folder>."),
        click.argument("folder", type=file),
    ):
        command = option(command)
    return command


def _configure_logs(style: str | None) -> None:
    from pipeline.system import logs

    logs.configure("json" if style == "json" else "console" if style else None)


def _reachable(context: click.Context, option: click.Parameter, on: str) -> str:
    """The value of --on. An error if no scheduler listens there, before seconds of importing and a server's start."""
    if on in ("threads", "processes"):
        return on
    import socket

    from pipeline.errors import RostrumError

    scheme, _, address = on.partition("://")
    host, _, port = address.rpartition(":")
    if scheme != "dask" or not host or not port.isdecimal():
        raise click.BadParameter(f"{on}: must be threads, processes or dask://HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SCHEDULER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise RostrumError(f"--on {on}: no Dask scheduler answers there; start one: dask scheduler") from error
    return on


@click.command()
@corpus_options
@click.option("--shard", metavar="K/N", help="Only part K of N parts of the speeches. Other runs do the others.")
@click.option("--other-corpus", is_flag=True, help="Replace the results of another corpus in --out.")
@click.option(
    "--on",
    default="threads",
    callback=_reachable,
    show_default=True,
    metavar="threads|processes|dask://HOST:PORT",
    help="Run stages in this process (one model at a time), in one process per core, or on Dask workers.",
)
def run(
    folder: Path,
    out: str | None,
    stages: list[str] | None,
    assignments: tuple[str, ...],
    file: Path | None,
    report: bool,
    shard: str | None,
    other_corpus: bool,
    on: str,
) -> None:
    """Process FOLDER, or a single recording. Unchanged results are reused.

    Exit codes: 0 all went well, 1 some speeches failed, 2 the call was wrong.
    """
    from flows.current_folder import refuse_settings_of_prefect

    refuse_settings_of_prefect(Path.cwd())
    from flows.command import run_corpus
    from pipeline.run import configuration
    from pipeline.run.store import default_root
    from pipeline.system.interrupt import interruptible

    given = configuration.load(file, os.environ, assignments)
    work = partial(
        run_corpus,
        folder,
        out or default_root(folder),
        stages,
        given.settings,
        origins=given.origins,
        on=on,
        report=report,
        other_corpus=other_corpus,
        shard=shard,
    )
    sys.exit(interruptible(work, "interrupted; finished results are kept: give the same command to continue"))


@click.command()
@corpus_options
@click.option("--every", metavar="TIME", help="Start a run at this interval: 30s, 15m, 2h, 1d.")
@click.option("--cron", metavar="CRON", help="Start runs by a cron expression, such as '0 3 * * *'.")
@click.option(
    "--watch", is_flag=True, help="Start a run when files were added or changed, then stable for --settle seconds."
)
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    help="With --watch: how many seconds files must be stable.",
)
@click.option("--notify", metavar="URL", help="The URL of a webhook for failures, crashes, long and late runs.")
@click.option("--long", metavar="TIME", help="With --notify: what a long run takes (12h by default).")
@click.option("--late", metavar="TIME", help="With --notify: how long a run may wait to begin (15m by default).")
@click.option("--limit", type=click.IntRange(min=1), default=1, show_default=True, help="Maximum concurrent runs.")
def serve(
    folder: Path,
    out: str | None,
    stages: list[str] | None,
    assignments: tuple[str, ...],
    file: Path | None,
    report: bool,
    every: str | None,
    cron: str | None,
    watch: bool,
    settle: float,
    limit: int,
    notify: str | None,
    long: str | None,
    late: str | None,
) -> None:
    """Register FOLDER with the running Prefect server, and process new files in it until interrupted.

    Without --every, --cron or --watch, start runs by hand: in the UI, or with `prefect deployment run`.
    """
    from flows.current_folder import refuse_settings_of_prefect

    refuse_settings_of_prefect(Path.cwd())
    from flows.serve import Triggers, serve_corpus
    from pipeline.run import configuration
    from pipeline.run.store import default_root

    if (long or late) and not notify:
        raise click.UsageError("--long and --late need --notify: they decide which messages it gets")
    settings = configuration.load(file, os.environ, assignments).settings
    triggers = Triggers(every, cron, settle if watch else None)
    out, messages = out or default_root(folder), {"notify": notify, "long": long, "late": late}
    serve_corpus(folder, out, stages, settings, triggers, limit=limit, report=report, messages=messages)

"""`rostrum show`, `export`, `correct`, `report` and `compare`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import FILE, NEW_FOLDER, formats_like, listed, shown, speeches_like, stages_like
from pipeline.errors import printable, quoted
from pipeline.export.formats import FORMATS
from pipeline.report import REPORT_PORT

if TYPE_CHECKING:
    from pipeline.run.store import Artifact, Store
    from pipeline.run.summary import ItemSummary, RunSummary


# `rostrum show`.


@click.command()
@click.argument("run")
@click.argument("speech", required=False, shell_complete=speeches_like)
@click.argument("stage", required=False, shell_complete=stages_like)
@click.option("--json", "as_json", is_flag=True, help="Print the artifact as stored, or the record of the run.")
def show(run: str, speech: str | None, stage: str | None, as_json: bool) -> None:
    """Show RUN; with SPEECH (a speech or motion), its stages; with STAGE, the result of that stage."""
    from pipeline.errors import RostrumError, hint
    from pipeline.grouping import grouped
    from pipeline.run.index import load_known
    from pipeline.run.store import Store

    store = Store(run)
    summary = load_known(store)
    if speech is None:
        _show_run(summary, as_json)
        return
    items = grouped((item.id, item) for item in summary.items)
    if speech not in items:
        meant = hint(speech, items, f"`rostrum show {run}` lists them")
        raise RostrumError(f"{run}: there is no speech or motion {speech!r} in it; {meant}")
    if stage is None:
        _show_items(store, items[speech], as_json)
    else:
        _show_artifact(store, items[speech], stage, as_json)


def _show_run(summary: "RunSummary", as_json: bool) -> None:
    from pipeline.cli.console import print_rows
    from pipeline.run.summary import motion_rows, speech_rows

    if as_json:
        click.echo(summary.model_dump_json())
        return
    print_rows(summary.corpus, speech_rows(summary), decimals=1)
    if motions := motion_rows(summary):
        print_rows("motions", motions)
    for failure in summary.failures:
        click.echo(printable(f"failed: {failure}"))
    for remark in summary.remarks:
        click.echo(printable(remark))


def _show_items(store: "Store", items: "Sequence[ItemSummary]", as_json: bool) -> None:
    """Show the stages of a recording or a motion, or of both if they have the same id."""
    from pipeline.cli.console import print_rows
    from pipeline.errors import RostrumError
    from pipeline.stage import STAGES

    found: dict[str, list[Artifact]] = {item.scope: [] for item in items}
    damaged = []
    for scope, artifacts in found.items():
        for name in STAGES:
            try:
                artifacts += [artifact] if (artifact := store.artifact(scope, name)) else []
            except RostrumError as error:
                damaged.append(str(error))
    for what in damaged:
        click.echo(printable(f"unreadable: {what}"), err=True)
    if as_json:
        every = [each for artifacts in found.values() for each in artifacts]
        click.echo(json.dumps({each.stage: each.model_dump(mode="json") for each in every}))
    else:
        for item in items:
            print_rows(item.scope, _stage_rows(found[item.scope], item))
    if damaged:
        click.get_current_context().exit(1)


def _stage_rows(artifacts: "Sequence[Artifact]", item: "ItemSummary") -> list[dict[str, Any]]:
    return [
        {
            "stage": each.stage,
            "seconds": each.seconds,
            "created": each.created,
            "skipped": each.skipped,
            "status": "up to date" if item.is_up_to_date(each.stage) else "stale",
        }
        for each in artifacts
    ]


def _where_else(store: "Store", item: "ItemSummary", stage: str) -> str:
    """Where to look, if a stage has no result for a recording or a motion."""
    from pipeline.stage import stage_named

    if (scope := stage_named(stage).scope) == ("motion" if item.is_motion else "speech"):
        return f"`rostrum show {store.root}` says what went wrong"
    if scope == "motion":
        return f"it works on motions: `rostrum show {store.root} {quoted(item.motion or 'MOTION')} {stage}`"
    return f"it works on recordings: `rostrum show {store.root} RECORDING {stage}`"


def _show_artifact(store: "Store", items: "Sequence[ItemSummary]", stage: str, as_json: bool) -> None:
    from pipeline.errors import RostrumError, hint
    from pipeline.report.markdown import page
    from pipeline.stage import STAGES, stage_named

    if stage not in STAGES:
        raise RostrumError(f"there is no stage {stage!r}; {hint(stage, STAGES)}")
    of_motions = stage_named(stage).scope == "motion"
    item = next((each for each in items if each.is_motion == of_motions), items[0])
    artifact = store.artifact(item.scope, stage)
    if artifact is None:
        raise RostrumError(f"{store.root}: {stage} has no result for {item.id}; {_where_else(store, item, stage)}")
    if not item.is_up_to_date(stage):
        click.echo("note: stale: made from another version of the corpus, or with other settings", err=True)
    if as_json:
        click.echo(artifact.model_dump_json())
    elif artifact.skipped is not None:
        click.echo(printable(f"skipped: {artifact.skipped}"))
    else:
        from rich.console import Console
        from rich.markdown import Markdown

        record = store.record(stage_named(stage).output, item.scope, artifact)
        console, text = Console(), page(stage, record)
        if console.is_terminal:
            console.print(Markdown(text))
        else:  # a file or another program gets the Markdown itself
            click.echo(text)


# `rostrum export`.


def _checked(context: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(FORMATS.check(name.lower()) for name in names))


@click.command(epilog=listed("Formats", FORMATS))
@click.argument("run")
@click.option(
    "--format",
    "formats",
    metavar="NAME",
    multiple=True,
    default=["txt"],
    show_default=True,
    callback=_checked,
    shell_complete=formats_like,
    help="One of the formats below. Repeat it for several; each then gets a folder of its own.",
)
@click.option("--to", "folder", type=NEW_FOLDER, required=True, help="The folder to write to.")
@click.option(
    "--anonymise", is_flag=True, help="Replace the names of speakers and speeches, the same way in every file."
)
@click.option("--force", is_flag=True, help="Replace files that exist already.")
@click.option(
    "--push",
    "repository",
    metavar="OWNER/NAME",
    help="With --format datasets alone: also upload the data set to Hugging Face's hub. A new repository is private.",
)
def export(
    run: str, formats: tuple[str, ...], folder: Path, anonymise: bool, force: bool, repository: str | None
) -> None:
    """Write the results of RUN as files of other programs.

    A result that is damaged is left out and named; the exit code is then 1.
    """
    from pipeline.export.formats import export as write_format
    from pipeline.report.formatting import counted
    from pipeline.run.finished import FinishedRun

    if repository and formats != ("datasets",):
        raise click.UsageError("--push needs --format datasets, and no other format")
    finished = FinishedRun(run, anonymise=anonymise, skip_damaged=True)
    for name in formats:
        target = folder / name if len(formats) > 1 else folder
        files = write_format(finished, name, target, force=force)
        click.echo(f"{name}: {counted(len(files), 'file')} in {shown(target)}")
        if repository:
            from pipeline.export.formats.datasets import push

            click.echo(push(target, files, repository))
    for problem in finished.damaged.values():
        click.echo(printable(f"left out: {problem}"), err=True)
    sys.exit(1 if finished.damaged else 0)


# `rostrum correct`.


@click.command()
@click.argument("run")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--dry-run", is_flag=True, help="Only say what would be added.")
def correct(run: str, files: tuple[Path, ...], dry_run: bool) -> None:
    """Take over argument maps of RUN that people corrected, for the next run.

    A FILE is xAIF or AIF: what `rostrum export --format xaif` wrote for a motion, as OVA or another program saved it.
    Which speech makes which argument becomes rows of labels.csv in the corpus. Points that the corpus does not know
    become rows of arguments.csv. They are added at the end; no row that is there is changed.
    """
    from pipeline.evaluation.data import corpus_of
    from pipeline.export.corrected_maps import read_back
    from pipeline.report.formatting import counted
    from pipeline.run.finished import FinishedRun

    finished = FinishedRun(run)
    corpus = corpus_of(finished)
    found = read_back(finished, corpus, files)
    for note in found.notes:
        click.echo(printable(f"note: {note}"), err=True)
    if not dry_run:
        found.write(corpus.folder)
    click.echo(f"{shown(corpus.folder / 'labels.csv')}: {counted(len(found.labels), 'new row')}")
    click.echo(f"{shown(corpus.folder / 'arguments.csv')}: {counted(len(found.arguments), 'new row')}")


# `rostrum report`.


@click.command()
@click.argument("run")
@click.option("--to", "folder", type=NEW_FOLDER, help="The folder to write to. Default: _report in RUN.")
@click.option("--serve", is_flag=True, help="Serve the report to this machine's browsers until interrupted.")
@click.option("--edit", is_flag=True, help="With --serve: correct transcripts in the pages; the next run uses them.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=REPORT_PORT,
    show_default=True,
    help="With --serve: the port. 0 takes a free one.",
)
def report(run: str, folder: Path | None, serve: bool, edit: bool, port: int) -> None:
    """Build an offline HTML report of RUN: web pages that need no server and no network.

    Only pages that have changed since the last report are written. With --serve --edit people correct words, speakers,
    sentences and mentions in the pages. Corrections are kept in the corpus.
    """
    from pipeline.cli.console import progress_bar
    from pipeline.report import default_folder
    from pipeline.report.build import write_report
    from pipeline.report.editing import Editing
    from pipeline.run.finished import FinishedRun
    from pipeline.run.store import Store
    from pipeline.system.interrupt import interruptible

    if edit and not serve:
        raise click.UsageError("--edit needs --serve: a page that is opened from disk cannot be corrected")
    store = Store(run)
    editing = Editing.of_run(FinishedRun(store)) if edit else None
    target = folder or default_folder(store)
    with progress_bar("report") as progress:
        front = interruptible(lambda: write_report(store, target, progress=progress), "interrupted")
    click.echo(shown(front))
    if serve:
        from pipeline.report.server import serve_folder

        if editing:
            again = f"rostrum run {editing.run.summary.corpus} --out {run}"
            click.echo(f"corrections go to {editing.corpus / 'corrections'}; to use them: {again}", err=True)
        serve_folder(target, port, lambda url: click.echo(f"{url} (Ctrl-C ends it)", err=True), editing)


# `rostrum compare`.


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every table.")
@click.option("--to", "folder", type=NEW_FOLDER, help="Also write pages that align transcripts.")
@click.option(
    "--speakers",
    type=FILE,
    help="Who said what, as STM or SegLST: adds errors in words and speakers together (cpWER, tcpWER).",
)
def compare(runs: tuple[str, ...], as_json: bool, folder: Path | None, speakers: Path | None) -> None:
    """Compare runs of the same corpus: two models, settings or recognisers.

    The tables show word error rates, in all and by speaker, length and noise, with the interval of their difference to
    the first RUN. They also show the words that only one run gets right, the worst words, confusions and passages, and
    where the runs decide differently on mentions, answers and key points. One RUN alone shows where its errors are.
    """
    from pipeline.cli.console import print_rows, progress_bar
    from pipeline.compare import compare as comparison
    from pipeline.run.finished import FinishedRun

    finished = [FinishedRun(run, skip_damaged=True) for run in runs]
    compared = comparison.compare(finished, speakers)
    if as_json:
        click.echo(json.dumps(comparison.as_json(compared), allow_nan=False))
    else:
        for name, rows in compared.tables.items():
            print_rows(name, rows)
        for line in comparison.lines(compared):
            click.echo(printable(line))
    if folder:
        from pipeline.compare.pages import write_comparison

        with progress_bar("pages") as progress:
            front = write_comparison(finished, compared, folder, progress)
        click.echo(shown(front), err=as_json)

"""`rostrum show`."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console.completion import speeches_like, stages_like
from pipeline.printable import printable

if TYPE_CHECKING:
    from pipeline.engine.store import Artifact, Store
    from pipeline.engine.summary import ItemSummary, RunSummary


@click.command()
@click.argument("run")
@click.argument("speech", required=False, shell_complete=speeches_like)
@click.argument("stage", required=False, shell_complete=stages_like)
@click.option("--json", "as_json", is_flag=True, help="Print the artifact as stored, or the record of the run.")
def show(run: str, speech: str | None, stage: str | None, as_json: bool) -> None:
    """Show RUN; with SPEECH (a speech or motion), its stages; with STAGE, the result of that stage."""
    from pipeline.engine.store import Store
    from pipeline.engine.summary import load_known
    from pipeline.errors import RostrumError, hint

    store = Store(run)
    summary = load_known(store)
    if speech is None:
        _show_run(summary, as_json)
        return
    items = {item.id: item for item in summary.items}
    if speech not in items:
        meant = hint(speech, items, f"`rostrum show {run}` lists them")
        raise RostrumError(f"{run}: there is no speech or motion {speech!r} in it; {meant}")
    if stage is None:
        _show_item(store, items[speech], as_json)
    else:
        _show_artifact(store, items[speech], stage, as_json)


def _show_run(summary: "RunSummary", as_json: bool) -> None:
    from pipeline.cli.console.tables import print_rows
    from pipeline.engine.summary import motion_rows, speech_rows

    if as_json:
        click.echo(summary.model_dump_json())
        return
    print_rows(summary.corpus, speech_rows(summary), decimals=1)
    if motions := motion_rows(summary):
        print_rows("motions", motions)
    for failure in summary.failures:
        click.echo(printable(f"failed: {failure}"))


def _show_item(store: "Store", item: "ItemSummary", as_json: bool) -> None:
    from pipeline.cli.console.tables import print_rows
    from pipeline.errors import RostrumError
    from pipeline.stages import stage_names

    artifacts, damaged = [], []
    for name in stage_names():
        try:
            artifacts += [artifact] if (artifact := store.artifact(item.scope, name)) else []
        except RostrumError as error:
            damaged.append(str(error))
    for what in damaged:
        click.echo(printable(f"unreadable: {what}"), err=True)
    if as_json:
        click.echo(json.dumps({each.stage: each.model_dump(mode="json") for each in artifacts}))
    else:
        print_rows(item.scope, _stage_rows(artifacts, item))
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


def _show_artifact(store: "Store", item: "ItemSummary", stage: str, as_json: bool) -> None:
    from pipeline.errors import RostrumError, hint
    from pipeline.output.markdown import page
    from pipeline.stages import stage_named, stage_names

    if stage not in stage_names():
        raise RostrumError(f"there is no stage {stage!r}; {hint(stage, stage_names())}")
    artifact = store.artifact(item.scope, stage)
    if artifact is None:
        raise RostrumError(
            f"{store.root}: {stage} has no result for {item.id}; `rostrum show {store.root}` says what went wrong"
        )
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

"""`rostrum show`."""

import json

import click

from pipeline.printable import printable


@click.command()
@click.argument("run")
@click.argument("speech", required=False)
@click.argument("stage", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the artifact as stored, or the record of the run.")
def show(run: str, speech: str | None, stage: str | None, as_json: bool) -> None:
    """Show RUN; with SPEECH (a speech or motion), its stages; with STAGE, the result of that stage."""
    from pipeline.engine.store import Store
    from pipeline.engine.summary import load
    from pipeline.errors import RostrumError

    store = Store(run)
    summary = load(store)
    if summary is None:
        raise RostrumError(f"{run}: no run.json in it; is it the folder that `rostrum run --out` wrote?")
    if speech is None:
        _show_run(run, as_json)
        return
    item = next((item for item in summary.items if item.id == speech), None)
    if item is None:
        raise RostrumError(f"{run}: there is no speech or motion {speech!r} in it; `rostrum show {run}` lists them")
    if stage is None:
        _show_item(run, item.scope, as_json)
    else:
        _show_artifact(run, item.scope, stage, as_json)


def _show_run(run: str, as_json: bool) -> None:
    from pipeline.cli.tables import print_rows
    from pipeline.engine.store import Store
    from pipeline.engine.summary import load, motion_rows, speech_rows

    store = Store(run)
    summary = load(store)
    assert summary is not None
    if as_json:
        click.echo(summary.model_dump_json())
        return
    print_rows(summary.corpus, speech_rows(summary), decimals=1)
    if motions := motion_rows(summary):
        print_rows("motions", motions)
    for failure in summary.failures:
        click.echo(printable(f"failed: {failure}"))


def _show_item(run: str, scope: str, as_json: bool) -> None:
    from pipeline.cli.tables import print_rows
    from pipeline.engine.store import Store
    from pipeline.stages import stage_names

    artifacts = [artifact for name in stage_names() if (artifact := Store(run).artifact(scope, name))]
    if as_json:
        click.echo(json.dumps({each.stage: each.model_dump(mode="json") for each in artifacts}))
        return
    rows = [
        {"stage": each.stage, "seconds": each.seconds, "created": each.created, "skipped": each.skipped}
        for each in artifacts
    ]
    print_rows(scope, rows)


def _show_artifact(run: str, scope: str, stage: str, as_json: bool) -> None:
    from pipeline.engine.store import Store
    from pipeline.errors import RostrumError
    from pipeline.output.markdown import page
    from pipeline.stages import stage_named, stage_names

    if stage not in stage_names():
        raise RostrumError(f"there is no stage {stage!r}; there are {', '.join(stage_names())}")
    store = Store(run)
    artifact = store.artifact(scope, stage)
    if artifact is None:
        raise RostrumError(f"{run}: {stage} has made nothing of {scope}; `rostrum show {run}` says what went wrong")
    if as_json:
        click.echo(artifact.model_dump_json())
    elif artifact.skipped is not None:
        click.echo(printable(f"skipped: {artifact.skipped}"))
    else:
        from rich.console import Console
        from rich.markdown import Markdown

        record = store.record(stage_named(stage).output, scope, artifact)
        console, text = Console(), page(stage, record)
        if console.is_terminal:
            console.print(Markdown(text))
        else:  # Markdown is what a file or another program wants
            click.echo(text)

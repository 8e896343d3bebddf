"""`rostrum evaluate NAME`: finds the evaluations, and prints what they return."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console.lazy import FoundCommands
from pipeline.cli.console.paths import FOLDER
from pipeline.evaluation import EVALUATIONS

if TYPE_CHECKING:
    from pipeline.evaluation.result import Evaluation


# The options that every evaluation has.
_DATA = (
    click.Option(["--data"], type=FOLDER, metavar="DIR", required=True, help="The folder with the data."),
    click.Option(
        ["--test"],
        type=FOLDER,
        metavar="DIR",
        help="Score this folder. Everything that is tuned or trained then comes from --data.",
    ),
)
_JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object instead of a table.")


class _Evaluations(FoundCommands):
    def summaries(self) -> dict[str, str]:
        return EVALUATIONS.summaries()

    def load(self, name: str) -> click.Command:
        command = import_module(f"{EVALUATIONS.load(name).__name__}.command").command
        return click.Command(
            name, params=[*_DATA, *command.params, _JSON], help=command.help, callback=_printed(name, command)
        )


@click.group(cls=_Evaluations)
def evaluate() -> None:
    """Reproduce a paper's evaluation, on its data or on your own."""


def _printed(name: str, command: click.Command) -> Callable[..., None]:
    """A function that calls the command with a progress bar, and prints the evaluation that it returns."""

    def call(as_json: bool, **options: Any) -> None:
        from pipeline.cli.console.progress import with_progress

        evaluation = with_progress(name, command, options)
        if as_json:
            click.echo(json.dumps(evaluation.model_dump(mode="json"), allow_nan=False))
        else:
            _print(evaluation)

    return call


def _print(evaluation: "Evaluation") -> None:
    """Print the tables, then the notes, the paths of the figures and the signature."""
    from pipeline.cli.console.tables import print_rows

    for title, rows in evaluation.tables or [(evaluation.name, evaluation.rows)]:
        print_rows(title, rows)
    for line in (*evaluation.notes, *(f"figure: {path}" for path in evaluation.figures)):
        click.echo(line)
    click.echo("signature: " + " ".join(f"{name}={value}" for name, value in evaluation.signature.items()))

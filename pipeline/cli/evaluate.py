"""`rostrum evaluate NAME` and `rostrum train NAME`: find evaluations and trainings, and print what they return."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import FOLDER
from pipeline.cli.lazy import FoundCommands
from pipeline.evaluation import evaluations, trainings

if TYPE_CHECKING:
    from pipeline.evaluation.result import Evaluation


# `rostrum evaluate NAME`: finds the evaluations, and prints what they return.

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
        return {name: room.summaries()[name] for name, room in evaluations().items()}

    def load(self, name: str) -> click.Command:
        command = evaluations()[name].load(name).command
        return click.Command(
            name, params=[*_DATA, *command.params, _JSON], help=command.help, callback=_printed(name, command)
        )


@click.group(cls=_Evaluations)
def evaluate() -> None:
    """Reproduce a paper's evaluation, on its data or on your own."""


def _printed(name: str, command: click.Command) -> Callable[..., None]:
    """A function that calls the command with a progress bar, and prints the evaluation that it returns."""

    def call(as_json: bool, **options: Any) -> None:
        from pipeline.cli.console import with_progress

        evaluation = with_progress(name, command, options)
        if as_json:
            click.echo(json.dumps(evaluation.model_dump(mode="json"), allow_nan=False))
        else:
            _print(evaluation)

    return call


def _print(evaluation: "Evaluation") -> None:
    """Print the tables, then the notes, the paths of the figures and the signature."""
    from pipeline.cli.console import print_rows

    for title, rows in evaluation.tables or [(evaluation.name, evaluation.rows)]:
        print_rows(title, rows)
    for line in (*evaluation.notes, *(f"figure: {path}" for path in evaluation.figures)):
        click.echo(line)
    click.echo("signature: " + " ".join(f"{name}={value}" for name, value in evaluation.signature.items()))


# `rostrum train NAME`: finds the trainings, and prints where the trained model is.

_TRAINING_DATA = click.Option(
    ["--data"],
    type=FOLDER,
    metavar="DIR",
    required=True,
    help="The folder with the data to learn from.",
)


class _Trainings(FoundCommands):
    def summaries(self) -> dict[str, str]:
        return {name: family.summaries()[name] for name, family in trainings().items()}

    def load(self, name: str) -> click.Command:
        command = trainings()[name].load(name).command
        return click.Command(
            name, params=[_TRAINING_DATA, *command.params], help=command.help, callback=_printed_training(name, command)
        )


@click.group(cls=_Trainings)
def train() -> None:
    """Train one of the project's own models, all small enough for a workstation."""


def _printed_training(name: str, command: click.Command) -> Callable[..., None]:
    """A function that calls the command with a progress bar, and prints where the model is. Remarks go to stderr."""

    def call(**options: Any) -> None:
        from pipeline.cli.console import with_progress

        trained = with_progress(f"training {name}", command, options)
        for line in trained.remarks:
            click.echo(line, err=True)
        click.echo(trained.path)

    return call

"""`rostrum train NAME`: finds the trainings, and prints where the trained model is."""

from collections.abc import Callable
from typing import Any

import click

from pipeline.cli.console.lazy import FoundCommands
from pipeline.cli.console.paths import FOLDER
from pipeline.evaluation import trainings

_DATA = click.Option(
    ["--data"],
    type=FOLDER,
    metavar="DIR",
    required=True,
    help="The folder with the data to learn from.",
)


class _Trainings(FoundCommands):
    def summaries(self) -> dict[str, str]:
        return {name: family.summaries()[name] for name, family in sorted(trainings().items())}

    def load(self, name: str) -> click.Command:
        command = trainings()[name].load(name).command
        return click.Command(name, params=[_DATA, *command.params], help=command.help, callback=_printed(name, command))


@click.group(cls=_Trainings)
def train() -> None:
    """Train one of the project's own models, all small enough for a workstation."""


def _printed(name: str, command: click.Command) -> Callable[..., None]:
    """A function that calls the command with a progress bar, and prints where the model is. Remarks go to stderr."""

    def call(**options: Any) -> None:
        from pipeline.cli.console.progress import with_progress

        trained = with_progress(f"training {name}", command, options)
        for line in trained.remarks:
            click.echo(line, err=True)
        click.echo(trained.path)

    return call

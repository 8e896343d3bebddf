"""`rostrum train NAME`: finds what can be trained, and says where the result is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pipeline.cli.console.lazy import FoundCommands
from pipeline.evaluation import trainings

_DATA = click.Option(
    ["--data"],
    type=click.Path(exists=True, file_okay=False, path_type=Path),
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
    """Calls the command with a progress bar. Prints where the model is on stdout, and what to know of it on stderr."""

    def call(**options: Any) -> None:
        from pipeline.cli.console.progress import progress_bar
        from pipeline.system.interrupt import interruptible

        assert command.callback
        callback = command.callback
        with progress_bar(f"training {name}") as progress:
            trained = interruptible(lambda: callback(progress=progress, **options), "interrupted")
        for line in trained.remarks:
            click.echo(line, err=True)
        click.echo(trained.path)

    return call

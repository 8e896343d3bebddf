"""`rostrum evaluate NAME` and `rostrum train NAME`: find evaluations and trainings, and print what they return."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import FOLDER
from pipeline.cli.lazy import FoundCommands
from pipeline.evaluation import evaluations, trainings
from pipeline.family import Family

if TYPE_CHECKING:
    from pipeline.evaluation.result import Evaluation, Trained


class _Found(FoundCommands):
    """The commands of members in rooms. Each gets the `options`, and is called with a progress bar.

    `show` prints what it returns, as JSON if that is asked for.
    """

    def __init__(
        self,
        *args: Any,
        members: Callable[[], Mapping[str, Family]],
        options: list[click.Option],
        show: Callable[[Any, bool], None],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.members, self.options, self.show = members, options, show

    def summaries(self) -> dict[str, str]:
        return {name: room.summaries()[name] for name, room in self.members().items()}

    def load(self, name: str) -> click.Command:
        command = self.members()[name].load(name).command

        def call(as_json: bool = False, **given: Any) -> None:
            from pipeline.cli.console import with_progress

            self.show(with_progress(f"{self.name} {name}", command, given), as_json)

        return click.Command(name, params=[*self.options, *command.params], help=command.help, callback=call)


def _show_evaluation(evaluation: "Evaluation", as_json: bool) -> None:
    """Print the tables, then the notes, the paths of the figures and the signature; or all as one object."""
    from pipeline.cli.console import print_rows

    if as_json:
        click.echo(json.dumps(evaluation.model_dump(mode="json"), allow_nan=False))
        return
    for title, rows in evaluation.tables or [(evaluation.name, evaluation.rows)]:
        print_rows(title, rows)
    for line in (*evaluation.notes, *(f"figure: {path}" for path in evaluation.figures)):
        click.echo(line)
    click.echo("signature: " + " ".join(f"{name}={value}" for name, value in evaluation.signature.items()))


def _show_trained(trained: "Trained", as_json: bool) -> None:
    """Print where the model is. Remarks go to stderr."""
    for line in trained.remarks:
        click.echo(line, err=True)
    click.echo(trained.path)


def _data(what: str) -> click.Option:
    return click.Option(["--data"], type=FOLDER, metavar="DIR", required=True, help=what)


_TEST = "Score this folder. Everything that is tuned or trained then comes from --data."

evaluate = _Found(
    "evaluate",
    members=evaluations,
    options=[
        _data("The folder with the data."),
        click.Option(["--test"], type=FOLDER, metavar="DIR", help=_TEST),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object instead of a table."),
    ],
    show=_show_evaluation,
    help="Reproduce a paper's evaluation, on its data or on your own.",
)
train = _Found(
    "train",
    members=trainings,
    options=[_data("The folder with the data to learn from.")],
    show=_show_trained,
    help="Train one of the project's own models, all small enough for a workstation.",
)

"""`rostrum evaluate NAME`: the published tables, computed here. Each name is a module beside this one."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from pipeline.cli.lazy import LazyGroup
from pipeline.evaluation.result import Evaluation, Row

F = TypeVar("F", bound=Callable[..., Any])

_HELP = {
    "wer": "Word error rates of given or made transcripts against the reference.",
    "diarization": "Diarization error rate against RTTM.",
    "segmentation": "Sentence boundaries in unpunctuated transcripts.",
    "pitch": "Pitch trackers against a laryngograph.",
    "listening": "Which known arguments a speech mentions (Mirkin et al. 2018).",
    "counter": "Which speech answers which (Orbach et al. 2020).",
    "keypoints": "Key point matching and generation (KPA 2021).",
    "convincing": "Which argument convinces (Habernal and Gurevych 2016).",
    "content": "How much of the expected content is covered (ROUGE for spoken content).",
}


@click.group(
    cls=LazyGroup,
    lazy={name: (f"pipeline.cli.evaluate.{name}:{name}", text) for name, text in _HELP.items()},
)
def evaluate() -> None:
    """Compute a published table on data of your own or of the paper's."""


def evaluation_options(command: F) -> F:
    """The options that every evaluation has: `--data`, `--test`, `--json`."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."),
        click.option(
            "--test",
            type=folder,
            help="Take every figure from this folder; all that is tuned or trained then comes from --data.",
        ),
        click.option("--data", type=folder, required=True, help="The folder with the data."),
    ):
        command = option(command)
    return command


def print_evaluation(
    evaluation: Evaluation, as_json: bool, tables: Iterable[tuple[str, Sequence[Row]]] | None = None
) -> None:
    """The table for a person, or the object for a program, on stdout; notes and figures' places follow the table.

    `tables` are (title, rows) to be printed for a person in place of the one table.
    """
    if as_json:
        content = evaluation.model_dump(mode="json")
        click.echo(__import__("json").dumps(content, allow_nan=False))
        return
    from pipeline.cli.tables import print_rows

    for title, rows in tables or [(evaluation.name, evaluation.rows)]:
        print_rows(title, rows)
    for line in (*evaluation.notes, *(f"figure: {path}" for path in evaluation.figures)):
        click.echo(line)
    click.echo("signature: " + " ".join(f"{name}={value}" for name, value in evaluation.signature.items()))

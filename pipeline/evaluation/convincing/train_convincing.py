"""The convincingness model."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress

if TYPE_CHECKING:
    from pipeline.argue.convincing.model import Provenance


@click.command()
@options.out_file
@click.option(
    "--view",
    type=click.Choice(["written", "spoken", "spoken, without length"]),
    default="spoken, without length",
    show_default=True,
    help="The features: of text as written or as a recogniser hears it, with or without its length.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="DIR",
    type=options.FOLDER,
    help="Another collection to learn from; repeatable. Each is left out in turn, to measure and calibrate.",
)
@click.option(
    "--elsewhere",
    multiple=True,
    metavar="DIR",
    type=options.FOLDER,
    help="Another collection of pairs: calibrate on it, and measure how good the model is there. Repeatable.",
)
@click.option(
    "--check/--no-check", default=True, help="Measure first how good the model is on topics that it has not seen."
)
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    view: str,
    also: tuple[Path, ...],
    elsewhere: tuple[Path, ...],
    check: bool,
) -> Trained:
    """Learn from pairs which argument is more convincing; for `--set convincing.model=trained`, or by path.

    DIR has UKPConvArg1, IBM-ArgQ, IBM-EviConv, or own files in one of their forms.
    """
    from pipeline.argue.convincing.model import save, trained_path
    from pipeline.evaluation.convincing.cache import cache_folder
    from pipeline.evaluation.convincing.training import trained

    model = trained([data, *also], view, elsewhere, check=check, cache=cache_folder(), progress=progress)
    out = out or trained_path()
    save(model, out)
    return Trained(out, tuple(_lines(model.facts)))


def _lines(facts: "Provenance") -> Iterator[str]:
    """What was measured, one line for each part."""
    if facts.accuracy is not None and facts.accuracy_low is not None and facts.accuracy_high is not None:
        interval = f"{facts.accuracy_low:.3f} to {facts.accuracy_high:.3f}"
        yield f"accuracy on topics left out: {facts.accuracy:.3f} ({interval})"
    for each in facts.elsewhere:
        interval = "" if each.accuracy_low is None else f" ({each.accuracy_low:.3f} to {each.accuracy_high:.3f})"
        stances = "across stances" if each.across_stances else "within a stance"
        sure = "" if each.confidence is None else f", mean confidence {each.confidence:.3f}"
        yield f"{each.collection}, {each.pairs} pairs {stances}: accuracy {each.accuracy:.3f}{interval}{sure}"

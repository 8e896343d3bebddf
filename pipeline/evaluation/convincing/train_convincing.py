"""The convincingness model."""

from pathlib import Path

import click

from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: in the model cache.")
@click.option(
    "--view",
    type=click.Choice(["written", "spoken", "spoken, without length"]),
    default="spoken, without length",
    show_default=True,
    help="What it looks at: text as written, or as a recogniser hears it, with or without how long it is.",
)
@click.option("--check/--no-check", default=True, help="Measure first how good it is on topics it has not seen.")
def command(data: Path, progress: Progress, out: Path | None, view: str, check: bool) -> Trained:
    """Learn from pairs which argument is more convincing; for `--set convincing.model=trained`, or by path.

    DIR has UKPConvArg1, IBM-ArgQ, IBM-EviConv, or own files in one of their forms.
    """
    from pipeline.argue.convincing.model import save, trained_path
    from pipeline.evaluation.convincing.cache import cache_folder
    from pipeline.evaluation.convincing.training import trained

    model = trained(data, view, check=check, cache=cache_folder(), progress=progress)
    out = out or trained_path()
    save(model, out)
    facts = model.facts
    if facts.accuracy is not None and facts.accuracy_low is not None and facts.accuracy_high is not None:
        interval = f"{facts.accuracy_low:.3f} to {facts.accuracy_high:.3f}"
        return Trained(out, (f"accuracy on topics left out: {facts.accuracy:.3f} ({interval})",))
    return Trained(out)

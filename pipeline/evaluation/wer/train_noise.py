"""The word errors of a recogniser, for rostrum noise."""

from pathlib import Path

import click

from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: in the model cache.")
def command(data: Path, progress: Progress, out: Path | None) -> Trained:
    """Learn which words a recogniser gets wrong and what it hears instead.

    DIR is IBM's recorded debates: .asr and .trs.txt below speeches/.
    """
    from pipeline.evaluation.wer.training import learn_confusions
    from pipeline.text import noise

    confusions = learn_confusions(data)
    path = out or noise.noise_path()
    noise.save(confusions, path)
    wrong, seen = sum(confusions.wrong.values()), sum(confusions.seen.values())
    return Trained(path, (f"{wrong} of {seen} words are wrong; there are {len(confusions.seen)} different words",))

"""The word errors of a recogniser, for rostrum noise."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@click.option(
    "--behind",
    "levels",
    type=float,
    multiple=True,
    metavar="DB",
    help="Also learn from each recording with three others in the background, so many decibels weaker. Repeatable.",
)
@click.option("--source", default="", help="Whose speech it is, and its licence, for the header of the file.")
@options.out_file
def command(data: Path, progress: Progress, levels: tuple[float, ...], source: str, out: Path | None) -> Trained:
    """Learn which words a recogniser gets wrong and what it hears instead.

    DIR is IBM's recorded debates (.asr and .trs.txt below speeches/), or has recordings with their references or with
    transcripts.tsv (name, tab, text), which Whisper then transcribes.
    """
    from pipeline.evaluation.wer.training import learn_confusions
    from pipeline.text import noise

    confusions = learn_confusions(data, levels, progress)
    path = out or noise.trained_path()
    noise.save(confusions, path, source)
    wrong, seen = sum(confusions.wrong.values()), sum(confusions.seen.values())
    return Trained(path, (f"{wrong} of {seen} words are wrong; there are {len(confusions.seen)} different words",))

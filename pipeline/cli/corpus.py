"""`rostrum check` and `rostrum import`."""

import sys
from pathlib import Path

import click

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
def check(folder: Path) -> None:
    """Say what FOLDER holds, and what is wrong with it: file, line and column. Ends with 1 where something is."""
    from pipeline.corpus import open_corpus

    corpus = open_corpus(folder)
    with_audio = sum(entry.audio is not None for entry in corpus.entries)
    with_reference = sum(entry.reference is not None for entry in corpus.entries)
    click.echo(
        f"{len(corpus.entries)} speeches ({with_audio} with audio, {with_reference} with a reference), "
        f"{len(corpus.motions)} motions, {len(corpus.arguments)} arguments, {len(corpus.labels)} labels"
    )
    for problem in corpus.problems:
        click.echo(str(problem))
    sys.exit(1 if corpus.problems else 0)


@click.command("import")
@click.argument("dataset", type=click.Choice(["ibm-debates"]))
@click.argument("source", type=FOLDER)
@click.argument("destination", type=FOLDER)
def import_corpus(dataset: str, source: Path, destination: Path) -> None:
    """Make a corpus folder at DESTINATION of a data set at SOURCE.

    ibm-debates: IBM's Recorded Debating Dataset, with its wav files or without. Without them the transcripts that came
    with it are taken, and what needs audio is skipped. Files are copied; manifests are written beside them.
    """
    from pipeline.corpus.ibm import read_ibm
    from pipeline.corpus.importing import write_corpus

    corpus = read_ibm(source)
    counts = write_corpus(corpus, destination)
    for problem in corpus.problems:
        click.echo(f"left out: {problem}", err=True)
    click.echo(f"{destination}: " + ", ".join(f"{number} {what}" for what, number in counts.items()))

"""`rostrum init`, `rostrum check` and `rostrum import`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.console import LocalPath, shown
from pipeline.errors import printable, quoted

if TYPE_CHECKING:
    from pipeline.corpus.contents import Corpus


FOLDER = LocalPath()
# How many ids one line shows.
SHOWN = 4


@click.command()
@click.argument("folder", type=FOLDER)
def init(folder: Path) -> None:
    """Write manifests for a FOLDER of recordings: speeches.csv, motions.csv and arguments.csv.

    Comments in them explain each column. Motions, stances and speakers are guessed from the files' names, such as
    schools_pro_anna.wav; correct them in an editor or a spreadsheet. A manifest that exists already stays as it is.
    """
    from pipeline.corpus.initial import write_first_manifests
    from pipeline.report.formatting import counted

    written = write_first_manifests(folder)
    for manifest in written:
        what = "exists already, left as it is" if manifest.was_there else counted(len(manifest.rows), "row")
        click.echo(f"{shown(manifest.path)}: {what}")
    guessed = next(manifest.rows for manifest in written)
    if guessed:
        columns = ("motion", "stance", "speaker")
        guesses = (f"{sum(bool(row[name]) for row in guessed)} with a {name}" for name in columns)
        click.echo(f"guessed from the names: {', '.join(guesses)}, of {counted(len(guessed), 'recording')}", err=True)
    click.echo(f"next: correct and complete these files, then run `rostrum check {quoted(folder)}`", err=True)


@click.command()
@click.argument("folder", type=FOLDER)
def check(folder: Path) -> None:
    """List what FOLDER contains, what is wrong with it, and what each stage lacks: files, columns or models.

    A problem is shown with its file, line and column. The exit code is 1 if there is a problem.
    """
    from pipeline.corpus import open_corpus
    from pipeline.corpus.files import no_recordings
    from pipeline.corpus.folder import empty_recordings, notes
    from pipeline.report.formatting import counted

    corpus = open_corpus(folder)
    with_audio = sum(entry.audio is not None for entry in corpus.entries)
    with_reference = sum(entry.reference is not None for entry in corpus.entries)
    recordings = counted(len(corpus.entries), "recording")
    click.echo(
        f"{recordings} ({with_audio} with audio, {with_reference} with a reference), "
        f"{counted(len(corpus.motions), 'motion')}, {counted(len(corpus.arguments), 'argument')}, "
        f"{counted(len(corpus.labels), 'label')}"
    )
    problems = [*corpus.problems, *empty_recordings(corpus)]
    for problem in problems:
        click.echo(printable(problem))
    if not corpus.entries:
        click.echo(no_recordings(folder) if not corpus.problems else "no recording is left to process")
        sys.exit(1)
    for note in notes(corpus):
        click.echo(printable(f"note: {note}"))
    _print_readiness(corpus)
    sys.exit(1 if problems else 0)


def _print_readiness(corpus: "Corpus") -> None:
    """Print how many recordings each stage can work on, then what is missing, for which of them, and how to add it."""
    from pipeline.cli.console import print_rows
    from pipeline.report.formatting import counted
    from pipeline.run import configuration
    from pipeline.run.inputs import Lack, missing_models, readiness

    noun = {"speech": "recording", "motion": "motion"}
    missing: dict[tuple[Lack, str], tuple[str, ...]] = {}
    rows = []
    settings = configuration.load().settings
    table = readiness(corpus, settings)
    for row in table:
        can_do = f"{row.ready} of {counted(row.total, noun[row.scope])}"
        rows.append({"stage": row.stage, "can do": can_do, "missing": "; ".join(lack.what for lack in row.lacks)})
        missing |= {(lack, row.scope): ids for lack, ids in row.lacks.items()}
    print_rows("", rows)
    for (lack, scope), ids in missing.items():
        whose = (
            f" ({counted(len(ids), noun[scope])}: {', '.join(ids[:SHOWN])}{', ...' if ids[SHOWN:] else ''})"
            if ids
            else ""
        )
        click.echo(printable(f"{lack.what}{whose}{': ' if lack.remedy else ''}{lack.remedy}"))
    for line in missing_models(corpus, [row.stage for row in table if row.ready], settings):
        click.echo(printable(f"model: {line}"))


@click.command("import")
@click.argument("dataset", type=click.Choice(["ibm-debates"]))
@click.argument("source", type=FOLDER)
@click.argument("destination", type=FOLDER)
def import_corpus(dataset: str, source: Path, destination: Path) -> None:
    """Make a corpus at DESTINATION from a data set at SOURCE.

    ibm-debates: IBM's Recorded Debating Dataset, with or without its wav files. Without them its own transcripts are
    used, and stages that need audio are skipped. Files are copied; manifests are written beside them.
    """
    from pipeline.corpus.datasets import read_ibm
    from pipeline.corpus.initial import write_corpus

    corpus = read_ibm(source)
    counts = write_corpus(corpus, destination)
    for problem in corpus.problems:
        click.echo(printable(f"left out: {problem}"), err=True)
    click.echo(f"{destination}: " + ", ".join(f"{number} {what}" for what, number in counts.items()))

"""`rostrum evaluate listening`."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--encoder", "encoders", multiple=True, help="A sentence encoder by name or path; detectors use the first."
)
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors for w2v, by name or path.")
@click.option("--skip-thought", type=options.FOLDER, help="A folder with skip-thought weights, published or trained.")
@click.option("--cross-encoder", "cross_encoders", multiple=True, help="A cross-encoder by hub name or path.")
@click.option("--run", type=options.FOLDER, help="A run of the tested corpus. Its transcripts are evaluated too.")
@click.option("--figures", type=click.Path(file_okay=False, path_type=Path), help="Write figures into this folder.")
@click.option("--labels", "labels_only", is_flag=True, help="Analyse the labels instead: agreement, votes, biases.")
@click.option(
    "--votes", type=options.FILE, help="With --labels: each annotator's vote (speech,argument,annotator,mentioned)."
)
@click.option(
    "--reading", type=options.FILE, help="With --labels: the labels or votes of people who read the speeches."
)
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    encoders: tuple[str, ...],
    vectors: str,
    skip_thought: Path | None,
    cross_encoders: tuple[str, ...],
    run: Path | None,
    figures: Path | None,
    labels_only: bool,
    votes: Path | None,
    reading: Path | None,
) -> Evaluation:
    """Which known arguments a speech mentions (Mirkin et al. 2018).

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or a run of one: the run's transcripts are then
    evaluated on, too. Without --test, labels on three motions or more are needed.
    """
    if (votes or reading) and not labels_only:
        raise click.UsageError("--votes and --reading are for --labels")
    if labels_only:
        from pipeline.evaluation.listening.data import read_listening
        from pipeline.evaluation.listening.tables.labels import analyse_labels

        return analyse_labels(read_listening(test or data), votes, reading)
    from pipeline.evaluation.listening.table import ENCODERS, evaluate

    return evaluate(
        data,
        test,
        encoders=encoders or ENCODERS,
        vectors=vectors,
        run=run,
        skip_thought=skip_thought,
        cross_encoders=cross_encoders,
        figures=figures,
    )

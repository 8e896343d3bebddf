"""`rostrum evaluate content`."""

from pathlib import Path
from typing import Literal

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--references",
    default=4,
    show_default=True,
    type=click.IntRange(1),
    help="How many reference texts of a response are used.",
)
@click.option(
    "--terms",
    "unit",
    type=click.Choice(["words", "stems", "lemmas"]),
    default="stems",
    show_default=True,
    help="The terms to compare: words as they are, their stems or lemmas.",
)
@click.option("--stop-words/--no-stop-words", default=True, show_default=True, help="Whether stop words count.")
@click.option(
    "--disfluencies/--no-disfluencies",
    default=True,
    show_default=True,
    help="Whether filled pauses, words cut off and words said twice in a row count.",
)
@click.option(
    "--draws", default=20, show_default=True, type=click.IntRange(0), help="Random draws of references to average over."
)
@options.compares_meanings
@click.option(
    "--noise",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Word errors by which recognition is simulated. Default: those of rostrum train noise, else those that come "
    "with rostrum.",
)
@click.option("--wer", default=0.28, show_default=True, type=click.FloatRange(0), help="The simulated word error rate.")
@click.option("--figures", type=click.Path(file_okay=False, path_type=Path), help="Draw the curve into this folder.")
@click.option("--seed", default=0, show_default=True, help="Seed of intervals, simulated errors and the random row.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    references: int,
    unit: Literal["words", "stems", "lemmas"],
    stop_words: bool,
    disfluencies: bool,
    draws: int,
    encoder: str,
    table: Path | None,
    wer: float,
    figures: Path | None,
    seed: int,
) -> Evaluation:
    """How much of the expected content is covered (ROUGE for spoken content).

    DIR has one table of responses with human scores, or target*.txt and prediction*.txt with one text per line, or is
    the folder of a run whose speeches have scores.
    """
    from pipeline.argue.coverage import Terms
    from pipeline.evaluation.content.table import StudyOptions, evaluate
    from pipeline.text import noise

    study = StudyOptions(
        terms=Terms(unit, stop_words, disfluencies),
        references=references,
        encoder=options.or_none(encoder),
        confusions=noise.load(table or noise.default_path()),
        wer=wer,
        draws=draws,
        figures=figures,
        seed=seed,
    )
    return evaluate(data, test, study, progress)

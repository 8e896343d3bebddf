"""A scoring model for spoken answers."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_file
@click.option(
    "--references",
    default=4,
    show_default=True,
    type=click.IntRange(1),
    help="How many reference texts of an answer are used.",
)
@options.compares_meanings
@click.option("--stop-words/--no-stop-words", default=True, show_default=True, help="Whether stop words count.")
def command(
    data: Path, progress: Progress, out: Path | None, references: int, encoder: str, stop_words: bool
) -> Trained:
    """Learn to score spoken answers; the stage `grade` then scores every speech that has references.

    DIR has one table of responses with human scores (prompt, response, score; see the docs), or is the folder of a run
    whose speeches have scores: then how they were delivered counts, too.
    """
    from pipeline.argue.coverage import Terms
    from pipeline.argue.grading.model import trained_path
    from pipeline.evaluation.content.training import train_scoring_model

    progress(0.0, "measuring")
    model = train_scoring_model(
        data, encoder=options.or_none(encoder), references=references, terms=Terms("stems", stop_words)
    )
    path = out or trained_path()
    model.write(path)
    agreement = model.agreement
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
    people = "" if agreement.second_person_kappa is None else f" (a second person: {agreement.second_person_kappa:.3f})"
    return Trained(
        path,
        (
            f"{agreement.responses} responses to {agreement.prompts} prompts; on prompts left out: quadratic weighted "
            f"kappa {kappa}{people}, 9 of 10 errors below {model.half_width:.2f}",
        ),
    )

"""Who is who in recorded debates: sides, roles and replies (Intelligence Squared)."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option("--rules", "rules_only", is_flag=True, help="Only rules, without the model of a text's side.")
def command(data: Path, test: Path | None, progress: Progress, rules_only: bool) -> Evaluation:
    """Who is who in recorded debates: sides, roles and replies.

    DIR has one JSON file per debate: motion, for, against and moderator (names), turns of {speaker, sentences}, and the
    votes before and after. Or it has sentences.jsonl, with text and kind (Claim, Premise or none): then the table says
    how well sentences that argue are recognised.
    """
    from pipeline.speakers.evaluate.table import evaluate

    return evaluate(data, test, rules_only=rules_only, progress=progress)

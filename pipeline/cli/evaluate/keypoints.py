"""`rostrum evaluate keypoints`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation
from pipeline.cli.tables import cell
from pipeline.evaluation.result import Row, Value


@click.command()
@evaluation_options
@click.option("--encoder", default="all-MiniLM-L6-v2", show_default=True, help="The unchanged encoder to compare with.")
@click.option(
    "--matcher",
    "matchers",
    multiple=True,
    help="One more matcher: an encoder's name or path, cross-encoder:NAME, or a file of trained weights. Repeatable.",
)
@click.option(
    "--predictions",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Score this submission (predictions.p, JSON) as well. Repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write predictions.p of every method and the generated key_points.csv there.",
)
@click.option("--seed", default=0, show_default=True, help="Breaks ties and draws what is drawn by chance.")
def keypoints(
    data: Path,
    test: Path | None,
    as_json: bool,
    encoder: str,
    matchers: tuple[str, ...],
    predictions: tuple[Path, ...],
    out: Path | None,
    seed: int,
) -> None:
    """Key point matching and generation (KPA 2021): every method, by both published versions of the score.

    DIR has arguments_train.csv, key_points_train.csv, labels_train.csv and the same for dev; or only one part, which is
    then scored with weights that were trained before. Without key points and labels, key points are only generated.
    """
    from pipeline.cli.progress import progress_bar
    from pipeline.evaluation.keypoints.table import Options, evaluate

    options = Options(encoder=encoder, matchers=matchers, predictions=predictions, out=out, seed=seed)
    with progress_bar("fine-tuning") as show:
        evaluation = evaluate(data, test, options, lambda done, total, word: show(done / total, word))
    print_evaluation(evaluation, as_json, _tables(evaluation.rows))


def _tables(rows: Sequence[Row]) -> list[tuple[str, list[dict[str, Any]]]]:
    """For a person: each score's table, the groups with the methods across, and what was written."""
    over_all = [row for row in rows if "topic" not in row]
    scorers = dict.fromkeys(row["scorer"] for row in over_all if "scorer" in row)
    tables = [(f"matching, {scorer} scorer", _only(over_all, "scorer", scorer)) for scorer in scorers]
    groups: dict[tuple[Value, Value], dict[str, Any]] = {}
    for row in rows:
        if "topic" in row and row.get("scorer") == "leaderboard":
            line = groups.setdefault((row["topic"], row["stance"]), {"topic": row["topic"], "stance": row["stance"]})
            line[str(row["method"])] = "/".join(cell(row[reading], 3) for reading in ("strict", "relaxed"))
    if groups:
        tables.append(("strict/relaxed by topic and stance, leaderboard scorer", list(groups.values())))
    return [*tables, ("generation", [row for row in over_all if "scorer" not in row])]


def _only(rows: Sequence[Row], column: str, value: Value) -> list[dict[str, Any]]:
    return [{name: each for name, each in row.items() if name != column} for row in rows if row.get(column) == value]

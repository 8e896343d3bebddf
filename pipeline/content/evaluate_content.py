"""How much of the expected content is covered (ROUGE for spoken content)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from pipeline.content.coverage import rouge_155
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval, mean
from pipeline.progress import Progress
from pipeline.report.figures import Figure, files
from pipeline.system.files import read_text


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
@result.compares_meanings
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
    from pipeline.content.coverage import Terms
    from pipeline.content.evaluate.table import StudyOptions, evaluate
    from pipeline.text import noise

    study = StudyOptions(
        terms=Terms(unit, stop_words, disfluencies),
        references=references,
        encoder=result.or_none(encoder),
        confusions=noise.load(table or noise.default_path()),
        wer=wer,
        draws=draws,
        figures=figures,
        seed=seed,
    )
    return evaluate(data, test, study, progress)


# The curve of the scoring study.


def draw_curve(curve: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Draw the correlation by the number of references. Returns the image's path."""

    def draw(axes: Any) -> None:
        for method, transcript in dict.fromkeys((row["method"], row["transcript"]) for row in curve):
            line = [row for row in curve if (row["method"], row["transcript"]) == (method, transcript)]
            axes.plot(
                [row["references"] for row in line],
                [np.nan if row["pearson"] is None else row["pearson"] for row in line],
                "-o" if transcript == "manual" else "--s",
                label=f"{method}, {transcript}",
            )
        axes.set_xlabel("references")
        axes.set_ylabel("Pearson r with the human score")
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))

    caption = "Correlation with human scores by the number of references"
    figure = Figure("content-references", caption, caption, rows=12, draw=draw)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{figure.name}.svg"
    path.write_bytes(files(figure)[0])
    return path


# ROUGE as the script ROUGE-1.5.5 counts it, over pairs of texts in two files.


def read_pairs(folder: Path) -> list[tuple[str, str]]:
    """(target, prediction), one per line of the two files; none where the folder has no such files."""
    targets, predictions = (sorted(folder.glob(f"{name}*.txt")) for name in ("target", "prediction"))
    if not targets and not predictions:
        return []
    if len(targets) != 1 or len(predictions) != 1:
        raise RostrumError(f"{folder}: there must be one target*.txt and one prediction*.txt")
    texts = [read_text(path).replace("\r\n", "\n") for path in (*targets, *predictions)]
    lines = [text.removesuffix("\n").split("\n") for text in texts]
    if len(lines[0]) != len(lines[1]):
        raise RostrumError(
            f"{folder}: {len(lines[0])} targets, but {len(lines[1])} predictions; give one text per line"
        )
    return list(zip(*lines, strict=True))


def evaluate_rouge(folder: Path, pairs: Sequence[tuple[str, str]], seed: int) -> Evaluation:
    """Precision, recall and F1 of ROUGE-1 to ROUGE-3, means over the pairs."""
    rows: list[Row] = []
    for n in (1, 2, 3):
        found = np.array([rouge_155(prediction, target, n) for target, prediction in pairs])
        row: Row = {"method": f"ROUGE-{n}", "config": "as ROUGE-1.5.5", "pairs": len(pairs)}
        for column, name in enumerate(("precision", "recall", "f1")):
            values = found[:, column].tolist()
            low, high = bootstrap_interval(values, seed=seed)
            row |= {name: mean(values), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return Evaluation(name="content", signature=signature("numpy", data=folder.name, seed=seed), rows=tuple(rows))

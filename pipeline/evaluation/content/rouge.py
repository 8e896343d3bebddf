"""ROUGE as the script ROUGE-1.5.5 counts it, over pairs of texts in two files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline.argue.coverage import rouge_155
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval, mean
from pipeline.system.files import read_text


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

"""Figures of the listening evaluation: precision and recall, reliability, and how people voted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats, Mask
from pipeline.measures.decisions import calibration
from pipeline.mentions.evaluate.data import Listening
from pipeline.mentions.evaluate.labels import vote_shares
from pipeline.mentions.evaluate.lists import MethodScores


def draw(folder: Path, scored: Sequence[MethodScores], data: Listening) -> tuple[str, ...]:
    """Write each figure as PNG and SVG into a folder; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = data.labels()
    figures = {
        "precision-recall": _precision_recall(scored, labels),
        "reliability": _reliability([each for each in scored if each.probable], labels),
    }
    if shares := vote_shares(data):
        figures["votes"] = _votes(shares)
    return tuple(
        _save(figure, folder / name) for name, figure in figures.items() for name in (f"{name}.png", f"{name}.svg")
    )


def precision_recall(scores: Floats, labels: Mask) -> tuple[Floats, Floats]:
    """Recall and precision at every threshold, from the strictest on."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, _ = precision_recall_curve(labels, scores)
    return recall[-2::-1], precision[-2::-1]  # without the last point, which is no threshold's


def _precision_recall(scored: Sequence[MethodScores], labels: Mask) -> Any:
    figure, axes = _figure("recall", "precision")
    for each in scored:
        axes.plot(*precision_recall(each.test, labels), label=_label(each))
    axes.axhline(labels.mean(), color="grey", linestyle=":", label="all-yes")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.legend(fontsize=7)
    return figure


def _reliability(scored: Sequence[MethodScores], labels: Mask) -> Any:
    figure, axes = _figure("probability", "share that is mentioned")
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
    for each in scored:
        curve = calibration(each.test, labels)
        axes.plot([mean for mean, _, _ in curve], [share for _, share, _ in curve], marker="o", label=_label(each))
    axes.legend(fontsize=7)
    return figure


def _votes(shares: Sequence[float]) -> Any:
    figure, axes = _figure("share of people who heard the argument", "pairs")
    axes.hist(shares, bins=np.linspace(-0.05, 1.05, 12), edgecolor="white")
    return figure


def _figure(x: str, y: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return figure, axes


def _label(scored: MethodScores) -> str:
    return f"{scored.method} {scored.config}".strip()


def _save(figure: Any, path: Path) -> str:
    figure.savefig(path, dpi=150)
    return str(path)


# Figures that compare the run's mentions with people's labels: accuracy by threshold, and calibration.

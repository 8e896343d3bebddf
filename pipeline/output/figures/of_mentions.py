"""Figures that compare the run's mentions with people's labels: accuracy by threshold, and calibration."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pipeline.measures.decisions import calibration, calibration_error, macro_accuracy, precision_recall_f1
from pipeline.output.figures.drawing import ACCENT, COLOURS, GRID, INK, Figure
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import Label

# With fewer labels, a curve mostly shows chance.
FEWEST = 20
_ROWS = 8
_THRESHOLDS = np.linspace(0.0, 1.0, 101)


def mention_figures(facts: Sequence[SpeechFacts], labels: Sequence[Label]) -> Iterator[Figure]:
    """The threshold curve and the calibration, if people labelled enough of the run's decisions."""
    by_speech = {each.speech.id: each for each in facts}
    judged = [
        (label.speech, by_speech[label.speech].probabilities[label.argument], label.mentioned)
        for label in labels
        if label.speech in by_speech and label.argument in by_speech[label.speech].probabilities
    ]
    if len(judged) < FEWEST or len({mentioned for _, _, mentioned in judged}) < 2:
        return
    speeches = [speech for speech, _, _ in judged]
    probabilities = np.array([probability for _, probability, _ in judged])
    truths = np.array([mentioned for _, _, mentioned in judged])
    used = next((each.threshold for each in facts if each.threshold is not None), None)
    yield _thresholds(speeches, probabilities, truths, used)
    yield _calibration(probabilities, truths)


def _thresholds(speeches: list[str], probabilities: Any, truths: Any, used: float | None) -> Figure:
    decisions = [probabilities >= threshold for threshold in _THRESHOLDS]
    accuracy = [macro_accuracy(each, truths, speeches) for each in decisions]
    f1 = [precision_recall_f1(each, truths)[2] for each in decisions]

    def draw(axes: Any) -> None:
        axes.plot(_THRESHOLDS, accuracy, color=ACCENT, label="accuracy, mean of speeches")
        axes.plot(_THRESHOLDS, f1, color=COLOURS["con"], linestyle="--", label="F1")
        if used is not None:
            axes.axvline(used, color=INK, linewidth=1, linestyle=":", label="threshold of the run")
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="threshold")
        axes.legend(frameon=False)

    best = int(np.argmax(accuracy))
    caption = (
        f"Mentions against {len(truths)} labels: accuracy and F1 by threshold. "
        f"Highest accuracy: {accuracy[best]:.2f} at {_THRESHOLDS[best]:.2f}."
    )
    return Figure("mentions-threshold", caption, caption, _ROWS, draw)


def _calibration(probabilities: Any, truths: Any) -> Figure:
    points = calibration(probabilities, truths)

    def draw(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color=GRID)
        axes.plot([mean for mean, _, _ in points], [share for _, share, _ in points], color=ACCENT, linewidth=1)
        axes.scatter(
            [mean for mean, _, _ in points],
            [share for _, share, _ in points],
            s=[15 + 150 * count / len(truths) for _, _, count in points],
            color=ACCENT,
            zorder=3,
        )
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="probability given", ylabel="share that people heard")

    error = calibration_error(probabilities, truths)
    caption = (
        f"Calibration of mentions on {len(truths)} labels: expected calibration error {error:.2f}. "
        "The larger a dot, the more labels."
    )
    return Figure("mentions-calibration", caption, caption, _ROWS, draw)

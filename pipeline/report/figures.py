"""Figures of a run, drawn by matplotlib: as SVG and PNG files, and in a page, in the page's own colours."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import median_high
from typing import Any

import numpy as np
from markupsafe import Markup

from pipeline.grouping import grouped
from pipeline.measures import bootstrap_interval, calibration, calibration_error, macro_accuracy, precision_recall_f1
from pipeline.records import ErrorCounts, Label, Stance
from pipeline.report.formatting import shortened, side
from pipeline.report.speech_facts import STRETCH, SpeechFacts
from pipeline.run.summary import CorpusFacts

# The colours in a file. In a page, the variables of its style replace them, which are light or dark.
INK, GRID, ACCENT = "#1c1d21", "#d8d5ce", "#3347b8"
COLOURS: dict[Stance | None, str] = {"pro": "#0b6b64", "con": "#9a3f13", None: "#5f6168"}
_VARIABLES = {
    INK: "currentColor",
    GRID: "var(--line)",
    ACCENT: "var(--accent)",
    "#0b6b64": "var(--pro)",
    "#9a3f13": "var(--con)",
    "#5f6168": "var(--soft)",
}
_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "ytick.left": False,
}


@dataclass(frozen=True)
class Figure:
    """A figure that is not drawn yet. `draw` draws it on matplotlib's axes."""

    name: str
    alt: str
    caption: str
    rows: int
    draw: Callable[[Any], None]


def files(figure: Figure) -> tuple[bytes, bytes]:
    """The figure as SVG and as PNG."""
    import matplotlib

    matplotlib.use("agg", force=False)
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": figure.name}), warnings.catch_warnings():
        # A browser has fonts for letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        canvas = Canvas(figsize=(6.4, 1.1 + 0.28 * max(figure.rows, 2)), layout="constrained")
        figure.draw(canvas.add_subplot())
        svg, png = io.BytesIO(), io.BytesIO()
        canvas.savefig(svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def inline(figure: Figure, svg: str) -> Markup:
    """The figure's SVG as part of a page: in the page's colours, with its text, without metadata and styles."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', body)
    assert view
    body = re.sub(r"^<svg[^>]*>", f'<svg {view[0]} role="img" aria-label="{escape(figure.alt)}">', body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, variable)
    return Markup(body)  # nosec B704: matplotlib's SVG, which escapes what it shows


# Figures of a run's speeches: error rates, pitch and rate, by speaker, motion or side.

MOST_ROWS = 40
_MOST_SPEAKERS = 30
_LONGEST_LABEL = 36


def figures(facts: Sequence[SpeechFacts], known: CorpusFacts) -> Iterator[Figure]:
    """Every figure of the run for which there is data."""
    by_speaker = {
        name: [counts for each in own for counts in each.stretches] for name, own in _by_speaker(facts).items()
    }
    yield from _error_rates(
        "wer-by-speaker",
        by_speaker,
        f"Word error rate by speaker, with 95 % intervals over stretches of {STRETCH} reference words.",
    )
    titles = {motion.id: motion.text for motion in known.motions}
    by_motion = {
        title: [each.errors for each in facts if each.errors and each.speech.motion == motion]
        for motion, title in titles.items()
    }
    yield from _error_rates(
        "wer-by-motion", by_motion, "Word error rate by motion, pooled, with 95 % intervals over its speeches."
    )
    yield from _distributions("pitch", "Pitch of sentences, Hz", facts, lambda each: each.pitches)
    yield from _distributions(
        "rate", "Articulation rate of sentences, syllables per second", facts, lambda each: each.rates
    )
    yield from mention_figures(facts, known.labels)


def _by_speaker(facts: Sequence[SpeechFacts]) -> dict[str, tuple[SpeechFacts, ...]]:
    """The speeches of each speaker who is known to be the only one."""
    return grouped((each.speech.sole_speaker, each) for each in facts if each.speech.sole_speaker is not None)


def _error_rates(name: str, groups: dict[str, list[ErrorCounts]], caption: str) -> Iterator[Figure]:
    """One row per group, a dot with its interval, for the groups with the most words. The best one is on top."""
    pairs = {label: [(counts.errors, counts.length) for counts in own] for label, own in groups.items()}
    with_words = {label: own for label, own in pairs.items() if sum(length for _, length in own)}
    if not with_words:
        return
    most = sorted(with_words, key=lambda label: -sum(length for _, length in with_words[label]))[:MOST_ROWS]
    rates = {label: _rate(with_words[label]) for label in most}
    order = sorted(most, key=lambda label: -rates[label])
    intervals = [bootstrap_interval(with_words[label], _rate) for label in order]

    def draw(axes: Any) -> None:
        for row, (label, (low, high)) in enumerate(zip(order, intervals, strict=True)):
            if low is not None and high is not None:
                axes.plot([100 * low, 100 * high], [row, row], color=ACCENT, linewidth=2, alpha=0.45)
            axes.plot([100 * rates[label]], [row], "o", color=ACCENT, markersize=6)
        _label_rows(axes, order)
        axes.set_xlim(left=0)
        axes.set_xlabel("WER, %")

    left_out = (
        f" Shown: the {MOST_ROWS} of {len(with_words)} with the most words." if len(with_words) > MOST_ROWS else ""
    )
    listed = "; ".join(f"{shortened(label)}: {100 * rates[label]:.1f} %" for label in reversed(order))
    yield Figure(name, f"{caption} {listed}", caption + left_out, len(order), draw)


def _rate(counts: Sequence[tuple[int, int]]) -> float:
    """Errors divided by words; not a number if a sample has no words."""
    length = sum(each for _, each in counts)
    return sum(each for each, _ in counts) / length if length else float("nan")


def _distributions(
    name: str, title: str, facts: Sequence[SpeechFacts], values_of: Callable[[SpeechFacts], Sequence[float]]
) -> Iterator[Figure]:
    """One box per speaker, or one per side if there are too many speakers."""
    with_values = [each for each in facts if values_of(each)]
    what, groups = _speakers_or_sides(with_values)
    if not groups:
        return
    values = {label: [value for each in own for value in values_of(each)] for label, own in groups.items()}
    medians = {label: median_high(numbers) for label, numbers in values.items()}
    order = sorted(values, key=lambda label: medians[label])
    colours = [COLOURS[_common_side(groups[label])] for label in order]

    def draw(axes: Any) -> None:
        _draw_boxes(axes, [values[label] for label in order], colours)
        _label_rows(axes, order)
        axes.set_xlabel(title)

    listed = "; ".join(f"{label}: median {medians[label]:.3g}" for label in order)
    caption = f"{title}, by {what}." + (" Green for, orange against the motion." if what == "speaker" else "")
    yield Figure(f"{name}-by-{what}", f"{caption} {listed}", caption, len(order), draw)


def _speakers_or_sides(facts: Sequence[SpeechFacts]) -> tuple[str, Mapping[str, Sequence[SpeechFacts]]]:
    """("speaker", the speeches of each), or ("side", those of each) if there are no named speakers, or too many."""
    speakers = _by_speaker(facts)
    if 0 < len(speakers) <= _MOST_SPEAKERS:
        return "speaker", speakers
    stances: tuple[Stance, ...] = ("con", "pro")
    sides = {side(stance): [each for each in facts if each.speech.stance == stance] for stance in stances}
    return "side", {label: own for label, own in sides.items() if own}


def _draw_boxes(axes: Any, values: Sequence[Sequence[float]], colours: Sequence[str]) -> None:
    boxes = axes.boxplot(
        values,
        orientation="horizontal",
        positions=range(len(values)),
        widths=0.55,
        patch_artist=True,
        flierprops={"marker": ".", "markersize": 4, "markerfacecolor": INK, "markeredgecolor": INK, "alpha": 0.5},
        medianprops={"color": INK, "linewidth": 1.5},
        whiskerprops={"color": INK, "linewidth": 0.8},
        capprops={"color": INK, "linewidth": 0.8},
    )
    for box, colour in zip(boxes["boxes"], colours, strict=True):
        box.set(facecolor=colour, edgecolor=colour, alpha=0.7)


def _common_side(facts: Sequence[SpeechFacts]) -> Stance | None:
    """The side that all of these speeches are on; None if there is none."""
    sides = {each.speech.stance for each in facts}
    return next(iter(sides)) if len(sides) == 1 else None


def _label_rows(axes: Any, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [shortened(label, _LONGEST_LABEL) for label in labels])
    axes.set_ylim(-0.6, len(labels) - 0.4)


# Figures that compare the run's mentions with the corpus's labels: accuracy by threshold, and calibration.

# With fewer labels, a curve mostly shows chance.
FEWEST = 20
_ROWS = 8
_THRESHOLDS = np.linspace(0.0, 1.0, 101)


def mention_figures(facts: Sequence[SpeechFacts], labels: Sequence[Label]) -> Iterator[Figure]:
    """The threshold curve and the calibration, if there are enough labels of the run's decisions."""
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
    accuracy = [macro_accuracy(decision, truths, speeches) for decision in decisions]
    f1 = [precision_recall_f1(decision, truths)[2] for decision in decisions]

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
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="probability given", ylabel="share labelled as mentioned")

    error = calibration_error(probabilities, truths)
    caption = (
        f"Calibration of mentions on {len(truths)} labels: expected calibration error {error:.2f}. "
        "The larger a dot, the more labels."
    )
    return Figure("mentions-calibration", caption, caption, _ROWS, draw)

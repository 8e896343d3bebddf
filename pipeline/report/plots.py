"""The figures of the front page, drawn by matplotlib: as SVG in the page's own colours, and as files."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from markupsafe import Markup

from pipeline.evaluation.result import bootstrap_interval
from pipeline.records import ErrorCounts, Motion, Stance
from pipeline.report.facts import STRETCH, Facts
from pipeline.report.templating import shortened

MOST_ROWS = 40
_MOST_SPEAKERS = 30
_LONGEST_LABEL = 28
# In a file these colours stand as they are; in a page the style's own take their place, light or dark.
INK, GRID, ACCENT = "#1c1d21", "#d8d5ce", "#3347b8"
SIDES: dict[Stance | None, str] = {"pro": "#0b6b64", "con": "#9a3f13", None: "#5f6168"}
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
    """What a figure shows, and how it is drawn on matplotlib's axes."""

    name: str
    alt: str
    caption: str
    rows: int
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Plot:
    """A figure in a page."""

    name: str
    caption: str
    svg: Markup


def figures(facts: Sequence[Facts], motions: Sequence[Motion]) -> Iterator[Figure]:
    """Every figure for which there is something to draw."""
    by_speaker = {
        name: [counts for each in own for counts in each.stretches] for name, own in _by_speaker(facts).items()
    }
    yield from _error_rates(
        "wer-by-speaker",
        by_speaker,
        f"Word error rate by speaker, with 95 % intervals over stretches of {STRETCH} reference words.",
    )
    titles = {motion.id: motion.text for motion in motions}
    by_motion = {
        title: [each.errors for each in facts if each.errors and each.speech.motion == motion]
        for motion, title in titles.items()
    }
    yield from _error_rates(
        "wer-by-motion", by_motion, "Word error rate by motion, pooled, with 95 % intervals over its speeches."
    )
    yield from _distributions("pitch", "Pitch of sentences, Hz", facts, lambda each: each.pitches)
    yield from _distributions(
        "rate", "Articulation rate of sentences, syllables a second", facts, lambda each: each.rates
    )


def _by_speaker(facts: Sequence[Facts]) -> dict[str, list[Facts]]:
    found: dict[str, list[Facts]] = {}
    for each in facts:
        if each.speaker is not None:
            found.setdefault(each.speaker, []).append(each)
    return found


def _error_rates(name: str, groups: dict[str, list[ErrorCounts]], caption: str) -> Iterator[Figure]:
    """A dot and an interval a row, those with the most words, the best on top."""
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

    left_out = f" The {MOST_ROWS} with the most words of {len(with_words)}." if len(with_words) > MOST_ROWS else ""
    listed = "; ".join(f"{shortened(label)}: {100 * rates[label]:.1f} %" for label in reversed(order))
    yield Figure(name, f"{caption} {listed}", caption + left_out, len(order), draw)


def _rate(counts: Sequence[tuple[int, int]]) -> float:
    """Errors over words; not a number where a sample has no words."""
    length = sum(each for _, each in counts)
    return sum(each for each, _ in counts) / length if length else float("nan")


def _distributions(
    name: str, title: str, facts: Sequence[Facts], values_of: Callable[[Facts], Sequence[float]]
) -> Iterator[Figure]:
    """A box a speaker; where there are too many of them, a box a side."""
    speakers = {label: own for label, own in _by_speaker(facts).items() if any(values_of(each) for each in own)}
    if 0 < len(speakers) <= _MOST_SPEAKERS:
        what, groups = "speaker", speakers
    else:
        what = "side"
        groups = {side: [each for each in facts if each.speech.stance == side] for side in ("con", "pro")}
    values = {label: [value for each in own for value in values_of(each)] for label, own in groups.items()}
    values = {label: found for label, found in values.items() if found}
    if not values:
        return
    order = sorted(values, key=lambda label: sorted(values[label])[len(values[label]) // 2])
    colours = [SIDES[_side(groups[label])] for label in order]

    def draw(axes: Any) -> None:
        boxes = axes.boxplot(
            [values[label] for label in order],
            orientation="horizontal",
            positions=range(len(order)),
            widths=0.55,
            patch_artist=True,
            flierprops={"marker": ".", "markersize": 4, "markerfacecolor": INK, "markeredgecolor": INK, "alpha": 0.5},
            medianprops={"color": INK, "linewidth": 1.5},
            whiskerprops={"color": INK, "linewidth": 0.8},
            capprops={"color": INK, "linewidth": 0.8},
        )
        for box, colour in zip(boxes["boxes"], colours, strict=True):
            box.set(facecolor=colour, edgecolor=colour, alpha=0.7)
        _label_rows(axes, order)
        axes.set_xlabel(title)

    medians = "; ".join(f"{label}: median {sorted(values[label])[len(values[label]) // 2]:.3g}" for label in order)
    caption = f"{title}, by {what}." + (" Green for, orange against the motion." if what == "speaker" else "")
    yield Figure(f"{name}-by-{what}", f"{caption} {medians}", caption, len(order), draw)


def _side(facts: Sequence[Facts]) -> Stance | None:
    """The side that all of these are on."""
    sides = {each.speech.stance for each in facts}
    return next(iter(sides)) if len(sides) == 1 else None


def _label_rows(axes: Any, labels: Sequence[str]) -> None:
    short = [label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…" for label in labels]
    axes.set_yticks(range(len(short)), short)
    axes.set_ylim(-0.6, len(short) - 0.4)


def files(figure: Figure) -> tuple[bytes, bytes]:
    """The figure as SVG and as PNG."""
    import matplotlib

    matplotlib.use("agg", force=False)
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": figure.name}), warnings.catch_warnings():
        # A browser has the letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        canvas = Canvas(figsize=(6.4, 1.1 + 0.28 * max(figure.rows, 2)), layout="constrained")
        figure.draw(canvas.add_subplot())
        svg, png = io.BytesIO(), io.BytesIO()
        canvas.savefig(svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        canvas.savefig(png, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def inline(figure: Figure, svg: str) -> Plot:
    """The figure's SVG as part of a page: without what only a file needs, in the page's colours, with its text."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    view = re.search(r'viewBox="[^"]*"', body)
    assert view
    body = re.sub(r"^<svg[^>]*>", f'<svg {view[0]} role="img" aria-label="{escape(figure.alt)}">', body)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, variable)
    return Plot(figure.name, figure.caption, Markup(body))

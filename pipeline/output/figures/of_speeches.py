"""Figures of a run's speeches: error rates, pitch and rate, by speaker, motion or side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median_high
from typing import Any

from pipeline.engine.summary import CorpusFacts
from pipeline.grouping import grouped
from pipeline.measures.intervals import bootstrap_interval
from pipeline.output.figures.drawing import ACCENT, COLOURS, INK, Figure
from pipeline.output.figures.of_mentions import mention_figures
from pipeline.output.formatting import shortened, side
from pipeline.output.views.speech_facts import STRETCH, SpeechFacts
from pipeline.records import ErrorCounts, Stance

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
    medians = {label: median_high(found) for label, found in values.items()}
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

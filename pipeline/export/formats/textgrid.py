"""Praat TextGrid: tiers of words, sentences, speakers and mentions."""

from collections.abc import Iterator, Sequence

from pipeline.export.formats import SpeechFormat
from pipeline.export.tiers import Interval, Tier


def textgrid(tiers: Sequence[Tier], duration: float) -> str:
    """The tiers as a long-form TextGrid. Every tier covers the whole recording; gaps are empty intervals."""
    end = max([round(duration, 3), *(tier.intervals[-1].end for tier in tiers if tier.intervals)])
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0",
        f"xmax = {end:.3f}",
        "tiers? <exists>",
        f"size = {len(tiers)}",
        "item []:",
    ]
    for number, tier in enumerate(tiers, start=1):
        lines += [f"    item [{number}]:", *_tier(tier, end)]
    return "\n".join(lines) + "\n"


def _tier(tier: Tier, end: float) -> Iterator[str]:
    intervals = list(_covering(tier.intervals, end))
    yield '        class = "IntervalTier"'
    yield f"        name = {_quoted(tier.name)}"
    yield "        xmin = 0"
    yield f"        xmax = {end:.3f}"
    yield f"        intervals: size = {len(intervals)}"
    for number, each in enumerate(intervals, start=1):
        yield f"        intervals [{number}]:"
        yield f"            xmin = {each.start:.3f}"
        yield f"            xmax = {each.end:.3f}"
        yield f"            text = {_quoted(each.text)}"


def _covering(intervals: Sequence[Interval], end: float) -> Iterator[Interval]:
    """The intervals, and an empty one for every gap."""
    at = 0.0
    for each in intervals:
        if each.start > at:
            yield Interval(at, each.start, "")
        yield each
        at = each.end
    if at < end:
        yield Interval(at, end, "")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


FORMAT = SpeechFormat(".TextGrid", lambda speech: textgrid(speech.tiers, speech.duration))

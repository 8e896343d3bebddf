import csv
import io

from hypothesis import given

from pipeline.export.formats.audacity import audacity
from pipeline.export.tiers import Interval, Tier, without_overlap
from tests.pipeline.report.speeches import intervals, speech


def labels(text: str) -> list[Interval]:
    """A label track as Audacity's manual describes it: a line a label, start, end and text parted by tabs."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Interval(float(start), float(end), label) for start, end, label in rows]


def test_a_line_a_label() -> None:
    words, sentences, _ = speech("Yes\twe can.", "No.").tiers
    assert audacity(sentences) == "0.000000\t1.200000\tYes we can.\n1.200000\t1.600000\tNo.\n"
    assert [each.text for each in labels(audacity(words))] == ["Yes", "we", "can.", "No."]


@given(intervals)
def test_there_and_back(given_intervals: list[Interval]) -> None:
    tier = Tier("words", without_overlap(given_intervals, 15.0))
    assert tuple(labels(audacity(tier))) == tier.intervals

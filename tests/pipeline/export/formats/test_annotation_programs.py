"""Tiers, and the files of ELAN, Praat and Audacity."""

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings

from pipeline.export.formats.annotation_programs import audacity, eaf, textgrid
from pipeline.export.speech import Interval, Tier, without_overlap
from tests.pipeline.report.speeches import intervals, speech


@given(intervals)
def test_fitted_intervals_are_in_order_and_keep_every_text(given_intervals: list[Interval]) -> None:
    fitted = without_overlap(given_intervals, 15.0)
    assert all(each.start < each.end <= 15.0 for each in fitted)
    assert all(one.end <= other.start for one, other in zip(fitted, fitted[1:], strict=False))
    if fitted:
        kept = " ".join(each.text for each in fitted)
        assert all(each.text in kept for each in given_intervals if each.start < 15.0)


def test_a_word_without_length_gets_a_millisecond() -> None:
    fitted = without_overlap([Interval(1.0, 1.0, "a"), Interval(1.0, 2.0, "b")], 3.0)
    assert fitted == (Interval(1.0, 1.001, "a"), Interval(1.001, 2.0, "b"))


def test_what_begins_at_the_end_joins_the_text_before() -> None:
    assert without_overlap([Interval(1, 3, "a"), Interval(3, 4, "b")], 3.0) == (Interval(1, 3, "a b"),)


def test_tiers() -> None:
    found = speech("One two.", "Three.", speakers=("Anna", "Ben")).tiers
    assert [tier.name for tier in found] == ["words", "sentences", "speakers"]
    assert [each.text for each in found[2].intervals] == ["Anna", "Ben"]


CREATED = "2026-01-02T03:04:05+00:00"


def test_pympi_reads_it(tmp_path: Path) -> None:
    elan = pytest.importorskip("pympi.Elan")
    path = tmp_path / "speech.eaf"
    path.write_text(eaf(speech("One & <two>.", "שלום 🙂.").tiers, CREATED), encoding="utf-8")
    document = elan.Eaf(str(path))
    assert sorted(document.get_tier_names()) == ["sentences", "speakers", "words"]
    assert sorted(document.get_annotation_data_for_tier("sentences")) == [
        (0, 1200, "One & <two>."),
        (1200, 2000, "שלום 🙂."),
    ]


def test_it_follows_the_schema() -> None:
    """The rules of EAFv3.0.xsd: the order of elements, ids that are unique and there, and slots in order of time."""
    root = ElementTree.fromstring(eaf(speech("One two.", "Three.").tiers, CREATED))
    assert [child.tag for child in root] == ["HEADER", "TIME_ORDER", "TIER", "TIER", "TIER", "LINGUISTIC_TYPE"]
    assert {"AUTHOR", "DATE", "VERSION"} <= root.attrib.keys()
    times = {slot.attrib["TIME_SLOT_ID"]: int(slot.attrib["TIME_VALUE"]) for slot in root.iter("TIME_SLOT")}
    assert list(times.values()) == sorted(times.values())
    annotations = list(root.iter("ALIGNABLE_ANNOTATION"))
    assert len({each.attrib["ANNOTATION_ID"] for each in annotations}) == len(annotations) == 7
    assert all(times[each.attrib["TIME_SLOT_REF1"]] < times[each.attrib["TIME_SLOT_REF2"]] for each in annotations)
    types = {each.attrib["LINGUISTIC_TYPE_ID"] for each in root.iter("LINGUISTIC_TYPE")}
    assert {tier.attrib["LINGUISTIC_TYPE_REF"] for tier in root.iter("TIER")} <= types


def test_what_xml_cannot_hold_is_left_out_or_becomes_a_space() -> None:
    text = eaf([Tier("words", (Interval(0, 1, "a\x00b\ufffec"),))], CREATED)
    assert next(ElementTree.fromstring(text).iter("ANNOTATION_VALUE")).text == "ab c"


parselmouth = pytest.importorskip("parselmouth")


def opened(folder: Path, text: str):
    path = folder / "speech.TextGrid"
    path.write_text(text, encoding="utf-8")
    return parselmouth.read(str(path))


def grid_labels(grid, tier: int) -> list[tuple[float, float, str]]:
    count = parselmouth.praat.call(grid, "Get number of intervals", tier)
    return [
        (
            round(parselmouth.praat.call(grid, "Get start time of interval", tier, each), 3),
            round(parselmouth.praat.call(grid, "Get end time of interval", tier, each), 3),
            parselmouth.praat.call(grid, "Get label of interval", tier, each),
        )
        for each in range(1, count + 1)
    ]


def test_praat_opens_it(tmp_path: Path) -> None:
    found = speech('She said "no".', "Été, שלום 🙂.", speakers=("Anna", "Ben"))
    grid = opened(tmp_path, textgrid(found.tiers, found.duration))
    assert parselmouth.praat.call(grid, "Get number of tiers") == 3
    assert [parselmouth.praat.call(grid, "Get tier name", each) for each in (1, 2, 3)] == [
        "words",
        "sentences",
        "speakers",
    ]
    assert grid_labels(grid, 2) == [(0, 1.2, 'She said "no".'), (1.2, 2.4, "Été, שלום 🙂."), (2.4, 3.4, "")]
    assert grid.xmax == 3.4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(intervals)
def test_praat_opens_whatever_a_recogniser_gives(tmp_path: Path, given_intervals: list[Interval]) -> None:
    tier = Tier("words", without_overlap(given_intervals, 15.0))
    grid = opened(tmp_path, textgrid([tier], 15.0))
    assert [each for each in grid_labels(grid, 1) if each[2]] == [tuple(each) for each in tier.intervals]


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

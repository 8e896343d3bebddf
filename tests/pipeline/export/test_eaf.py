from pathlib import Path
from xml.etree import ElementTree

import pytest

from pipeline.export.formats.eaf import eaf
from pipeline.export.tiers import Interval, Tier
from tests.pipeline.report.speeches import speech

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


def test_what_xml_cannot_hold_becomes_a_space() -> None:
    text = eaf([Tier("words", (Interval(0, 1, "a\x00b"),))], CREATED)
    assert next(ElementTree.fromstring(text).iter("ANNOTATION_VALUE")).text == "a b"

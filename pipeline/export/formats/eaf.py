"""ELAN 3.0: tiers of words, sentences, speakers and mentions."""

from collections.abc import Sequence
from xml.etree import ElementTree

from pipeline.export.formats import SpeechFormat
from pipeline.export.tiers import Tier, xml_text

_SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_TYPE = "default-lt"


def eaf(tiers: Sequence[Tier], created: str) -> str:
    """The tiers as an ELAN document, which asks for the recording when it is opened. `created` is an ISO 8601 time."""
    ElementTree.register_namespace("xsi", _INSTANCE)
    document = ElementTree.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": "rostrum",
            "DATE": created,
            "FORMAT": "3.0",
            "VERSION": "3.0",
            f"{{{_INSTANCE}}}noNamespaceSchemaLocation": _SCHEMA,
        },
    )
    header = ElementTree.SubElement(document, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    last = ElementTree.SubElement(header, "PROPERTY", NAME="lastUsedAnnotationId")
    last.text = str(sum(len(tier.intervals) for tier in tiers))
    slots = _time_slots(ElementTree.SubElement(document, "TIME_ORDER"), tiers)
    number = 0
    for tier in tiers:
        element = ElementTree.SubElement(document, "TIER", LINGUISTIC_TYPE_REF=_TYPE, TIER_ID=tier.name)
        for each in tier.intervals:
            number += 1
            _annotation(element, number, slots, each.text)
    ElementTree.SubElement(
        document, "LINGUISTIC_TYPE", GRAPHIC_REFERENCES="false", LINGUISTIC_TYPE_ID=_TYPE, TIME_ALIGNABLE="true"
    )
    ElementTree.indent(document, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(document, encoding="unicode") + "\n"


def _time_slots(order: ElementTree.Element, tiers: Sequence[Tier]) -> list[str]:
    """Add a time slot for every start and end, and return their names: start and end of each annotation in turn."""
    times = [round(at * 1000) for tier in tiers for each in tier.intervals for at in (each.start, each.end)]
    names = [""] * len(times)
    for number, place in enumerate(sorted(range(len(times)), key=times.__getitem__), start=1):
        names[place] = f"ts{number}"
        ElementTree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=names[place], TIME_VALUE=str(times[place]))
    return names


def _annotation(tier: ElementTree.Element, number: int, slots: Sequence[str], text: str) -> None:
    annotation = ElementTree.SubElement(tier, "ANNOTATION")
    aligned = ElementTree.SubElement(
        annotation,
        "ALIGNABLE_ANNOTATION",
        ANNOTATION_ID=f"a{number}",
        TIME_SLOT_REF1=slots[2 * number - 2],
        TIME_SLOT_REF2=slots[2 * number - 1],
    )
    ElementTree.SubElement(aligned, "ANNOTATION_VALUE").text = xml_text(text)


FORMAT = SpeechFormat(".eaf", lambda speech: eaf(speech.tiers, speech.created))

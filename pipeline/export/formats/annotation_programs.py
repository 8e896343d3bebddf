"""Tiers of words, sentences, speakers and mentions for the programs ELAN, Praat, EXMARaLDA and Audacity."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from pipeline.export.formats import FolderFormat, SpeechFormat, write, xml_document, xml_text
from pipeline.export.speech import AnnotatedSpeech, Interval, Tier, annotated_speeches, joined, without_overlap
from pipeline.grouping import grouped
from pipeline.run.finished import FinishedRun

MEMBERS = {
    "eaf": "ELAN 3.0: tiers of words, sentences, speakers and mentions.",
    "exb": "EXMARaLDA basic transcription: a tier of words for each speaker, and one of mentions.",
    "textgrid": "Praat TextGrid: tiers of words, sentences, speakers and mentions.",
    "audacity": "Audacity label tracks: one file per speech and tier.",
}
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
    slots = _eaf_time_slots(ElementTree.SubElement(document, "TIME_ORDER"), tiers)
    number = 0
    for tier in tiers:
        element = ElementTree.SubElement(document, "TIER", LINGUISTIC_TYPE_REF=_TYPE, TIER_ID=tier.name)
        for interval in tier.intervals:
            number += 1
            _eaf_annotation(element, number, slots, interval.text)
    ElementTree.SubElement(
        document, "LINGUISTIC_TYPE", GRAPHIC_REFERENCES="false", LINGUISTIC_TYPE_ID=_TYPE, TIME_ALIGNABLE="true"
    )
    return xml_document(document)


def _eaf_time_slots(order: ElementTree.Element, tiers: Sequence[Tier]) -> list[str]:
    """Add a time slot for every start and end, and return their names: start and end of each annotation in turn."""
    times = [round(at * 1000) for tier in tiers for interval in tier.intervals for at in (interval.start, interval.end)]
    names = [""] * len(times)
    for number, index in enumerate(sorted(range(len(times)), key=times.__getitem__), start=1):
        names[index] = f"ts{number}"
        ElementTree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=names[index], TIME_VALUE=str(times[index]))
    return names


def _eaf_annotation(tier: ElementTree.Element, number: int, slots: Sequence[str], text: str) -> None:
    annotation = ElementTree.SubElement(tier, "ANNOTATION")
    aligned = ElementTree.SubElement(
        annotation,
        "ALIGNABLE_ANNOTATION",
        ANNOTATION_ID=f"a{number}",
        TIME_SLOT_REF1=slots[2 * number - 2],
        TIME_SLOT_REF2=slots[2 * number - 1],
    )
    ElementTree.SubElement(aligned, "ANNOTATION_VALUE").text = xml_text(text)


def exb(speech: AnnotatedSpeech) -> str:
    """The speech as a basic transcription of EXMARaLDA: for each speaker a tier whose events are words."""
    tiers = _exb_tiers(speech)
    root = ElementTree.Element("basic-transcription")
    head = ElementTree.SubElement(root, "head")
    about = ElementTree.SubElement(head, "meta-information")
    ElementTree.SubElement(about, "project-name").text = "rostrum"
    ElementTree.SubElement(about, "transcription-name").text = xml_text(speech.id)
    ElementTree.SubElement(about, "referenced-file", url="")
    for name in ("ud-meta-information", "comment", "transcription-convention"):
        ElementTree.SubElement(about, name)
    table = ElementTree.SubElement(head, "speakertable")
    for number, speaker in enumerate(tiers):
        if speaker is not None:
            _exb_speaker(table, f"SPK{number}", speaker)
    body = ElementTree.SubElement(root, "basic-body")
    mentions = without_overlap(joined(speech.mentions), speech.duration)
    items = _exb_timeline(ElementTree.SubElement(body, "common-timeline"), [*tiers.values(), mentions])
    for number, (speaker, intervals) in enumerate(tiers.items()):
        who = {"speaker": f"SPK{number}"} if speaker is not None else {}
        _exb_tier(body, f"TIE{number}", {**who, "category": "v", "type": "t"}, intervals, items)
    if mentions:
        _exb_tier(body, f"TIE{len(tiers)}", {"category": "mention", "type": "d"}, mentions, items)
    return xml_document(root)


def _exb_tiers(speech: AnnotatedSpeech) -> dict[str | None, tuple[Interval, ...]]:
    """The words of each speaker, with a space after each, as EXMARaLDA joins events."""
    own = grouped((word.speaker, Interval(word.start, word.end, f"{word.text} ")) for word in speech.words)
    return {speaker: without_overlap(words, speech.duration) for speaker, words in own.items()}


def _exb_speaker(table: ElementTree.Element, id: str, name: str) -> None:
    """A speaker. All elements are required, also those of which nothing is known."""
    speaker = ElementTree.SubElement(table, "speaker", id=id)
    ElementTree.SubElement(speaker, "abbreviation").text = xml_text(name)
    ElementTree.SubElement(speaker, "sex", value="u")
    for part in ("languages-used", "l1", "l2", "ud-speaker-information", "comment"):
        ElementTree.SubElement(speaker, part)


def _exb_timeline(timeline: ElementTree.Element, tiers: Sequence[Sequence[Interval]]) -> dict[float, str]:
    """Add every start and end to the timeline, in order, and return their names."""
    items: dict[float, str] = {}
    for at in sorted({at for tier in tiers for each in tier for at in (each.start, each.end)}):
        items[at] = f"T{len(items)}"
        ElementTree.SubElement(timeline, "tli", id=items[at], time=f"{at:.3f}")
    return items


def _exb_tier(
    body: ElementTree.Element, id: str, what: dict[str, str], intervals: Sequence[Interval], items: dict[float, str]
) -> None:
    tier = ElementTree.SubElement(body, "tier", {"id": id, **what})
    for interval in intervals:
        event = ElementTree.SubElement(tier, "event", start=items[interval.start], end=items[interval.end])
        event.text = xml_text(interval.text)


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
        lines += [f"    item [{number}]:", *_textgrid_tier(tier, end)]
    return "\n".join(lines) + "\n"


def _textgrid_tier(tier: Tier, end: float) -> Iterator[str]:
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
    for interval in intervals:
        if interval.start > at:
            yield Interval(at, interval.start, "")
        yield interval
        at = interval.end
    if at < end:
        yield Interval(at, end, "")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def audacity(tier: Tier) -> str:
    """One tier as a label track: start and end in seconds, label."""
    return "".join(
        f"{interval.start:.6f}\t{interval.end:.6f}\t{' '.join(interval.text.split())}\n" for interval in tier.intervals
    )


def _audacity_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    for speech in annotated_speeches(run):
        for tier in speech.tiers:
            yield write(folder / f"{run.file_names[speech.id]}.{tier.name}.txt", audacity(tier))


FORMATS = {
    "eaf": SpeechFormat(".eaf", lambda speech: eaf(speech.tiers, speech.created)),
    "exb": SpeechFormat(".exb", exb),
    "textgrid": SpeechFormat(".TextGrid", lambda speech: textgrid(speech.tiers, speech.duration)),
    "audacity": FolderFormat(_audacity_files),
}

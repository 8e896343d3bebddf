"""CTM, STM, SegLST: read back by meeteval where it is installed, and by the formats' own rules."""

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.export.formats.scoring import seglst, stm
from pipeline.formats import (
    Stretch,
    ctm,
    meant_text,
    read_asr,
    read_ctm,
    read_ctm_recordings,
    read_lines,
    read_reference,
    read_rttm,
    read_rttm_recordings,
    read_spoken,
    read_transcriber,
    read_words,
    rttm,
    spoken_text,
)
from pipeline.formats.named_turns import named_turns
from pipeline.records import Turn
from tests.pipeline.report.speeches import speech

SPEECH = speech("We should ban it.", "No, never.", speakers=("Anna Smith", None))
WORDS = {SPEECH.id: SPEECH.words}


def test_ctm_lines() -> None:
    assert ctm(WORDS).splitlines()[:2] == [
        "debate_one/anna 1 0.000 0.400 We 0.900",
        "debate_one/anna 1 0.400 0.400 should 0.900",
    ]


def test_stm_lines() -> None:
    assert stm([SPEECH]).splitlines() == [
        "debate_one/anna 1 Anna_Smith 0.000 1.600 We should ban it.",
        "debate_one/anna 1 unknown 1.600 2.400 No, never.",
    ]


def test_meeteval_reads_all_three(tmp_path: Path) -> None:
    io = pytest.importorskip("meeteval.io")
    (tmp_path / "a.ctm").write_text(ctm(WORDS), encoding="utf-8")
    (tmp_path / "a.stm").write_text(stm([SPEECH]), encoding="utf-8")
    words = list(io.CTM.load(tmp_path / "a.ctm"))
    assert [line.word for line in words] == ["We", "should", "ban", "it.", "No,", "never."]
    assert [float(line.begin_time) for line in words[:2]] == [0.0, 0.4]
    lines = list(io.STM.load(tmp_path / "a.stm"))
    assert [(line.speaker_id, line.transcript) for line in lines] == [
        ("Anna_Smith", "We should ban it."),
        ("unknown", "No, never."),
    ]
    segments = io.SegLST(json.loads(seglst([SPEECH])))
    assert segments[0]["words"] == "We should ban it."
    assert float(segments[1]["end_time"]) == 2.4


def test_seglst_is_json_of_segments() -> None:
    assert json.loads(seglst([SPEECH]))[0] == {
        "session_id": "debate one/anna",
        "speaker": "Anna Smith",
        "start_time": 0.0,
        "end_time": 1.6,
        "words": "We should ban it.",
    }


def test_ctm_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "a.ctm"
    path.write_text(";; a comment\n" + ctm(WORDS), encoding="utf-8")
    words = read_ctm_recordings(path)["debate_one/anna"]
    expected = [word.model_copy(update={"speaker": None}) for word in SPEECH.words]
    assert list(words) == expected
    assert read_ctm(path) == words


def test_of_several_recordings_the_one_with_the_file_s_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "b.ctm"
    path.write_text("a 1 0.0 0.1 one\nb 1 0.5 0.1 two\n", encoding="utf-8")
    assert [word.text for word in read_ctm(path)] == ["two"]
    with pytest.raises(RostrumError, match="none is called c"):
        read_ctm(path.rename(tmp_path / "c.ctm"))


@pytest.mark.parametrize("line", ["a 1 0.0 0.1", "a 1 zero 0.1 word", "a 1 -1 0.1 word", "a 1 nan 0.1 word"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.ctm"
    path.write_text(f"a 1 0.0 0.1 fine\n{line}\n", encoding="utf-8")
    with pytest.raises(RostrumError, match="a.ctm:2: "):
        read_ctm(path)


# As NIST's plan for the Rich Transcription evaluation of 2009 prints it, with a comment and another kind of line.
SAMPLE = """\
;; EXP-ID: example
SPKR-INFO meeting 1 <NA> <NA> <NA> adult_male Ann <NA> <NA>
SPEAKER meeting 1 11.00 0.50 <NA> <NA> Ann <NA> <NA>

SPEAKER other 1 0.10 2.20 <NA> <NA> Bob <NA> <NA>
SPEAKER meeting 1 12.25 1.00 <NA> <NA> <NA> <NA>
"""

milliseconds = st.integers(0, 10**8)
names = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
    lambda name: name != "<NA>" and name.split() == [name]
)
turns = st.builds(
    lambda start, length, speaker: Turn(start=start / 1000, end=(start + length) / 1000, speaker=speaker),
    milliseconds,
    milliseconds,
    st.none() | names,
)


def written(folder: Path, text: str, name: str = "meeting.rttm") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_turns_by_recording(tmp_path: Path) -> None:
    found = read_rttm_recordings(written(tmp_path, SAMPLE))
    assert found == {
        "meeting": (Turn(start=11.0, end=11.5, speaker="Ann"), Turn(start=12.25, end=13.25)),
        "other": (Turn(start=0.1, end=2.3, speaker="Bob"),),
    }


def test_the_recording_that_has_the_files_name(tmp_path: Path) -> None:
    assert len(read_rttm(written(tmp_path, SAMPLE))) == 2
    with pytest.raises(RostrumError, match="contains 2 recordings, and none is called third"):
        read_rttm(written(tmp_path, SAMPLE, "third.rttm"))
    assert read_rttm(written(tmp_path, SAMPLE.splitlines()[4], "third.rttm"))[0].speaker == "Bob"
    assert read_rttm(written(tmp_path, "", "empty.rttm")) == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("SPEAKER meeting 1 1.0", "8 fields"),
        ("SPEAKER meeting 1 one 1.0 <NA> <NA> Ann <NA> <NA>", "must be numbers, not one"),
        ("SPEAKER meeting 1 1.0 -1.0 <NA> <NA> Ann <NA> <NA>", "must not be negative"),
        ("SPEAKER meeting 1 nan 1.0 <NA> <NA> Ann <NA> <NA>", "must not be negative"),
    ],
)
def test_a_bad_line_of_rttm_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = written(tmp_path, f";; first\n{line}\n")
    with pytest.raises(RostrumError, match=complaint) as error:
        read_rttm(path)
    assert f"{path}:2" in str(error.value)


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "meeting.rttm"
    path.write_bytes(b"SPEAKER \xff\xfe")
    with pytest.raises(RostrumError, match="not UTF-8"):
        read_rttm(path)
    with pytest.raises(RostrumError, match="cannot be read"):
        read_rttm(tmp_path / "none.rttm")


@given(st.dictionaries(names, st.lists(turns, min_size=1, max_size=8), max_size=3))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, recordings: dict[str, list[Turn]]) -> None:
    path = tmp_path_factory.mktemp("rttm") / "any.rttm"
    path.write_text(rttm(recordings), encoding="utf-8")
    found = read_rttm_recordings(path)
    assert list(found) == list(recordings)
    for name, wanted in recordings.items():
        assert [turn.speaker for turn in found[name]] == [turn.speaker for turn in wanted]
        for got, want in zip(found[name], wanted, strict=True):
            assert (got.start, got.end) == pytest.approx((want.start, want.end), abs=1e-6)


def test_names_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "any.rttm"
    path.write_text(rttm({"my talk": [Turn(start=0, end=1, speaker="Ann Smith")]}), encoding="utf-8")
    assert read_rttm_recordings(path) == {"my_talk": (Turn(start=0, end=1, speaker="Ann_Smith"),)}


DOCUMENT = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="x" audio_filename="y" version="1" version_date="170101">
<Speakers><Speaker id="spk1" name="Ann B&#233;"/><Speaker id="spk2" name="Bob"/></Speakers>
<Episode><Section type="report" startTime="0" endTime="9.5">
<Turn speaker="spk1" startTime="0" endTime="6.25">
<Sync time="0"/>
we should ban the u_s army .
<Sync time="2.5"/>
{it--it's/it is} not %hes a caf\xe9 <Event desc="noise" type="noise" extent="instantaneous"/>
, uh , at all .
<Sync time="4"/>

</Turn>
<Turn startTime="6.25" endTime="9.5">
<Sync time="6.25"/>
p- perhaps {/not}
</Turn>
</Section></Episode></Trans>
"""


def write(tmp_path: Path, document: str, encoding: str = "iso-8859-1") -> Path:
    path = tmp_path / "a.trs"
    path.write_bytes(document.encode(encoding))
    return path


def test_a_document(tmp_path: Path) -> None:
    assert read_transcriber(write(tmp_path, DOCUMENT)) == (
        Stretch(0.0, 2.5, "Ann Bé", "we should ban the u_s army ."),
        Stretch(2.5, 4.0, "Ann Bé", "{it--it's/it is} not %hes a café , uh , at all ."),
        Stretch(6.25, 9.5, None, "p- perhaps {/not}"),
    )


@pytest.mark.parametrize(
    ("marked", "spoken", "meant"),
    [
        ("we should ban the u_s army .", "we should ban the US army.", "we should ban the US army."),
        ("{it--it's/it is} not", "itit's not", "it is not"),
        ("{gonna/going to} go", "gonna go", "going to go"),
        ("so %hes we", "so uh we", "so we"),
        ("um p- perhaps , uh yes", "um p- perhaps, uh yes", "perhaps, yes"),
        ("the u_k's", "the UK's", "the UK's"),
        ("{/not} said", "said", "not said"),
        ("well-known", "well-known", "well-known"),
    ],
)
def test_what_was_said_and_what_was_meant(marked: str, spoken: str, meant: str) -> None:
    assert spoken_text(marked) == spoken
    assert meant_text(marked) == meant


@given(st.text("ab {}/-%_'.,h", max_size=30))
def test_marks_of_any_kind_are_survived(marked: str) -> None:
    for text in (spoken_text(marked), meant_text(marked)):
        assert text == " ".join(text.split())


@given(st.lists(st.sampled_from(["we", "should", "ban", "cars", "don't", "42"])))
def test_text_without_marks_stays(words: list[str]) -> None:
    text = " ".join(words)
    assert spoken_text(text) == meant_text(text) == text


@pytest.mark.parametrize(
    ("document", "encoding", "message"),
    [
        ("", "utf-8", r"a\.trs:1:1: not a Transcriber file"),
        ("plain text", "utf-8", r"a\.trs:1:1: not a Transcriber file"),
        (DOCUMENT.replace("</Turn>", "", 1), "iso-8859-1", r"a\.trs:\d+:\d+: not a Transcriber file"),
        (DOCUMENT.replace("ISO-8859-1", "UTF-8"), "iso-8859-1", r"a\.trs:10:\d+: not a Transcriber file"),
        (DOCUMENT.replace("ISO-8859-1", "x-unknown"), "iso-8859-1", "the encoding that it declares"),
        (DOCUMENT.replace('"2.5"', '"soon"'), "iso-8859-1", "a time in it is not a number of seconds: soon"),
    ],
)
def test_what_is_no_document_is_one_line(tmp_path: Path, document: str, encoding: str, message: str) -> None:
    with pytest.raises(RostrumError, match=message) as caught:
        read_transcriber(write(tmp_path, document, encoding))
    assert "\n" not in str(caught.value)


def test_a_document_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
    document = f'<!DOCTYPE Trans [<!ENTITY e0 "ha">{entities}]><Trans><Turn>&e9;</Turn></Trans>'
    with pytest.raises(RostrumError, match="defines XML entities"):
        read_transcriber(write(tmp_path, document, "utf-8"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="cannot be read"):
        read_transcriber(tmp_path / "missing.trs")


@pytest.mark.parametrize("time", ["nan", "inf", "1e999", "soon"])
def test_a_time_that_is_no_number_of_seconds(tmp_path: Path, time: str) -> None:
    (tmp_path / "a.trs").write_text(f'<Trans><Turn startTime="{time}" endTime="2">hello</Turn></Trans>')
    with pytest.raises(RostrumError, match=rf"a.trs: a time in it is not a number of seconds: {time}"):
        read_transcriber(tmp_path / "a.trs")


def test_words_may_have_brackets(tmp_path: Path) -> None:
    """The last times of a token count. What has no word or no times is left out, as silences are."""
    (tmp_path / "a.asr").write_text("one[0,0.5] [two][0.5,1] x[1,2][3,4]tail [5,6] ~SIL[6,7] [7,8\n[9,10]x[10,11]")
    found = [(word.text, word.start, word.end) for word in read_asr(tmp_path / "a.asr")]
    assert found == [("one", 0, 0.5), ("[two]", 0.5, 1), ("x[1,2]", 3, 4), ("[9,10]x", 10, 11)]


def test_a_time_of_four_hundred_digits(tmp_path: Path) -> None:
    (tmp_path / "a.asr").write_text(f"one[{'9' * 400},1]")
    with pytest.raises(RostrumError, match="a.asr: a time in it is not a number of seconds: "):
        read_asr(tmp_path / "a.asr")


def test_the_text_of_a_word_document(tmp_path: Path) -> None:
    words = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
        "<w:t>We should</w:t><w:tab/><w:t>ban</w:t></w:r><w:r><w:t xml:space='preserve'> it.</w:t></w:r></w:p><w:p/>"
        "<w:p><w:r><w:t>Thank you.</w:t></w:r></w:p></w:body></w:document>"
    )
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", words)
    assert read_spoken(path) == "We should ban it.\nThank you."


NAMED = [
    ("ANNA BELL: We agree.\n\nBEN: No [applause].\nNot yet. (LAUGHTER)\n\nBELL: Why?", "names in capitals"),
    ("Anna Bell: We agree.\nBen: No .\nNot yet.\nAnna Bell: Why?", "names as they are written"),
    ("[0:01] Anna Bell: We agree.\n[00:00:04] Ben: No .\nNot yet.\n[0:09] Anna Bell: Why?", "times before"),
    ("Anna Bell (00:01): We agree.\nBen (0:04): No .\nNot yet.\nAnna Bell (00:09): Why?", "times behind"),
    ("Anna Bell  0:01\nWe agree.\n\nBen  0:04\nNo .\nNot yet.\n\nAnna Bell  1:00:09\nWhy?", "a line with a time"),
    ("**Anna Bell:** We agree.\n**Ben:** No .\nNot yet.\n**Anna Bell:** Why?", "Markdown"),
]


@pytest.mark.parametrize("text", [pytest.param(text, id=id) for text, id in NAMED])
def test_a_text_that_names_its_speakers_has_turns(tmp_path: Path, text: str) -> None:
    path = tmp_path / "debate.txt"
    path.write_text(text, encoding="utf-8")
    assert [tuple(said) for said in read_reference(path).turns] == [
        ("Anna Bell", "We agree."),
        ("Ben", "No . Not yet."),
        ("Anna Bell", "Why?"),
    ]
    assert read_spoken(path).split() == ["We", "agree.", "No", ".", "Not", "yet.", "Why?"], "names are not said"


@pytest.mark.parametrize(
    "text",
    [
        "Three reasons: it is cheap.\nFirst: it is cheap.\nSecond: it is good.",
        "We say: no.\nand they say: no.\nand they say: no.",
        "At 10:30 we met.\nAt 10:30 we met.",
    ],
)
def test_a_colon_alone_names_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / "speech.txt").write_text(text, encoding="utf-8")
    assert read_reference(tmp_path / "speech.txt").turns == ()
    assert read_spoken(tmp_path / "speech.txt") == text


def test_who_speaks_once_is_named_and_a_clause_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ANNA: Yes.\nHere is why: it helps.\nMAN 3: No.\nANNA: So?", encoding="utf-8")
    assert [speaker for speaker, _ in read_reference(tmp_path / "a.txt").turns] == ["Anna", "Man 3", "Anna"]


SENTENCES = st.from_regex(r"[a-z]{1,9}( [a-z]{1,9}){0,4}\.", fullmatch=True)


@given(st.lists(st.tuples(st.sampled_from(["Anna", "Ben Li", "Q"]), SENTENCES), min_size=1))
def test_turns_are_read_as_they_were_written(turns: list[tuple[str, str]]) -> None:
    every = [*turns, turns[0]]
    text = "".join(f"{name}: {said}\n" for name, said in every)
    assert [tuple(said) for said in named_turns(text)] == every


@pytest.mark.parametrize("content", [b"", b"not a document", b"PK\x03\x04"])
def test_a_file_that_is_no_word_document(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.docx").write_bytes(content)
    with pytest.raises(RostrumError, match="not a Word document"):
        read_spoken(tmp_path / "a.docx")


@pytest.mark.parametrize("hidden", ["\x1b", "\x07", "\x9b", "\u202e", "\u2066"])
def test_words_and_names_have_no_hidden_characters(tmp_path: Path, hidden: str) -> None:
    """What moves a terminal's cursor or turns text around would reach every export and page."""
    (tmp_path / "a.ctm").write_text(f"a 1 0.1 0.3 {hidden}we{hidden} 0.9\n", encoding="utf-8")
    (tmp_path / "a.asr").write_text(f"we{hidden}[0.1,0.4]\n", encoding="utf-8")
    (tmp_path / "a.rttm").write_text(f"SPEAKER a 1 0.0 1.5 <NA> <NA> an{hidden}n <NA> <NA>\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text(f"we {hidden}should\n", encoding="utf-8")
    assert [word.text for name in ("a.ctm", "a.asr") for word in read_words(tmp_path / name)] == ["we", "we"]
    assert [turn.speaker for turn in read_rttm(tmp_path / "a.rttm")] == ["ann"]
    assert read_spoken(tmp_path / "a.txt") == "we should\n"
    assert read_lines(tmp_path / "a.txt") == ("we should",)

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.formats.transcriber import Stretch, meant_text, read_transcriber, spoken_text

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
        (DOCUMENT.replace('"2.5"', '"soon"'), "iso-8859-1", "a time in it is not a number: soon"),
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

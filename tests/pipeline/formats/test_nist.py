"""CTM, STM, SegLST: read back by meeteval where it is installed, and by the formats' own rules."""

import json
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.export.formats.json import seglst
from pipeline.export.formats.nist import stm
from pipeline.formats.nist import ctm, read_ctm, read_ctm_recordings
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

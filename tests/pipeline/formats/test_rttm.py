from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.formats.nist import read_rttm, read_rttm_recordings, rttm
from pipeline.records.speech import Turn

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
def test_a_bad_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
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

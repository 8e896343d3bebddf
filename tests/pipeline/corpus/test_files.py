"""What the watcher of a corpus sees."""

import os
from pathlib import Path

import pytest

from pipeline.corpus.files import snapshot
from pipeline.formats import read_words


@pytest.mark.parametrize(
    "name", ["a.wav", "b/a.MP3", "a.txt", "a.trs", "a.ctm", "a.asr", "a.rttm", "speeches.csv", "a.asr.txt"]
)
def test_every_file_that_a_run_reads_is_seen(tmp_path: Path, name: str) -> None:
    before = snapshot(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("new")
    new = snapshot(tmp_path)
    assert new.keys() - before.keys() == {tmp_path / name}
    (tmp_path / name).write_text("newer")
    assert snapshot(tmp_path) != new


@pytest.mark.parametrize("name", ["a.wav.part", "notes.pdf", ".hidden.wav", ".cache/a.wav"])
def test_other_files_are_not(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert not snapshot(tmp_path)


def test_a_change_of_the_same_size_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.ctm").write_text("one")
    before = snapshot(tmp_path)
    os.utime(tmp_path / "a.ctm", ns=(0, 0))
    assert snapshot(tmp_path) != before


def test_a_single_recording_is_watched_with_the_files_beside_it(tmp_path: Path) -> None:
    for name in ("a.wav", "a.txt", "b.wav"):
        (tmp_path / name).touch()
    assert set(snapshot(tmp_path / "a.wav")) == {tmp_path / "a.wav", tmp_path / "a.txt"}


def test_the_case_of_a_suffix_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "ANNA.CTM").write_text("anna 1 0.50 0.25 phones 0.9\n")
    (word,) = read_words(tmp_path / "ANNA.CTM")
    assert (word.text, word.start, word.end) == ("phones", 0.5, 0.75)
    assert snapshot(tmp_path).keys() == {tmp_path / "ANNA.CTM"}

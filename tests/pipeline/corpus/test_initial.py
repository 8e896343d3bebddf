"""The first manifests of a folder: written once, read back as what they say."""

import csv
from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.corpus.initial import write_first_manifests
from pipeline.corpus.manifest import MANIFESTS, read_manifest
from pipeline.errors import RostrumError

RECORDINGS = ("schools_pro_anna.wav", "schools_con_ben.mp3", "buses/pro_cara.flac", "interview, part 1.mp4")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in RECORDINGS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "schools_pro_anna.txt").write_text("Phones distract.")
    return tmp_path


def test_what_is_written_is_what_is_read(folder: Path) -> None:
    before = {entry.speech.id: entry for entry in open_corpus(folder).entries}
    written = write_first_manifests(folder)
    assert [(each.path.name, len(each.rows)) for each in written] == [
        ("speeches.csv", 4),
        ("motions.csv", 2),
        ("arguments.csv", 0),
    ]
    corpus = open_corpus(folder)
    assert not corpus.problems
    assert {entry.speech.id: (entry.audio, entry.reference) for entry in corpus.entries} == {
        id: (entry.audio, entry.reference) for id, entry in before.items()
    }
    anna = next(entry.speech for entry in corpus.entries if entry.speech.id == "schools_pro_anna")
    assert (anna.motion, anna.stance, anna.speakers) == ("schools", "pro", ("Anna",))
    assert {motion.id: motion.text for motion in corpus.motions.values()} == {"schools": "Schools", "buses": "Buses"}


def test_every_column_is_there_and_explained(folder: Path) -> None:
    for manifest in write_first_manifests(folder):
        lines = manifest.path.read_text(encoding="utf-8").splitlines()
        comments = [line for line in lines if line.startswith("#")]
        header = next(csv.reader(line for line in lines if not line.startswith("#")))
        assert header == [column.name for column in MANIFESTS[manifest.path.name]]
        for column in MANIFESTS[manifest.path.name]:
            assert any(line.startswith(f"# {column.name}: {column.meaning}") for line in comments)


def test_the_example_in_the_comments_is_a_good_row(folder: Path) -> None:
    for manifest in write_first_manifests(folder):
        text = manifest.path.read_text(encoding="utf-8")
        before, _, example = text.partition("# For example: ")
        manifest.path.write_text(f"{text.rstrip()}\n{example.partition(chr(10))[0]}\n", encoding="utf-8")
        read = read_manifest(folder, manifest.path.name)
        assert read
        assert not read.problems
        assert len(read.rows) == len(manifest.rows) + 1


def test_nothing_is_overwritten(folder: Path) -> None:
    mine = "id,file,motion\nmine,schools_pro_anna.wav,phones\nother,schools_con_ben.mp3,phones\n"
    (folder / "speeches.csv").write_text(mine)
    written = write_first_manifests(folder)
    assert [each.path.name for each in written if not each.was_there] == ["motions.csv", "arguments.csv"]
    assert (folder / "speeches.csv").read_text() == mine
    assert list(open_corpus(folder).motions) == ["phones"], "of the table that was there"
    (folder / "motions.csv").write_text("id,text\nphones,We should ban phones.\n")
    assert all(each.was_there for each in write_first_manifests(folder))
    assert (folder / "motions.csv").read_text() == "id,text\nphones,We should ban phones.\n"


def test_a_folder_without_recordings_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.doc").write_text("")
    with pytest.raises(RostrumError, match="no recordings in it"):
        write_first_manifests(tmp_path)
    with pytest.raises(RostrumError, match="not a folder"):
        write_first_manifests(tmp_path / "notes.doc")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.doc"]


def test_names_of_any_kind_survive(tmp_path: Path) -> None:
    names = ['a, "b".wav', "# c.wav", "ä\tö.wav", "x\ny.wav"]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    before = {(entry.speech.id.removeprefix("# "), entry.audio) for entry in open_corpus(tmp_path).entries}
    write_first_manifests(tmp_path)
    corpus = open_corpus(tmp_path)
    assert not corpus.problems
    assert {(entry.speech.id, entry.audio) for entry in corpus.entries} == before

"""What the watcher of a corpus sees."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus.files import Guess, guesses, motion_text, snapshot
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


ANNA, BEN, CARA = (
    Guess("schools", "pro", ("Anna",)),
    Guess("schools", "con", ("Ben",)),
    Guess("buses", "pro", ("Cara",)),
)


@pytest.mark.parametrize(
    "names",
    [
        ["schools_pro_anna", "schools_con_ben", "buses_pro_cara", "buses_con_dan"],
        ["schools-pro-Anna", "schools-con-Ben", "buses-pro-Cara", "buses-con-Dan"],
        ["schools/pro/anna", "schools/con/ben", "buses/pro/cara", "buses/con/dan"],
        ["schools/anna (pro)", "schools/ben (con)", "buses/cara (pro)", "buses/dan (con)"],
        ["pro/schools/anna", "con/schools/ben", "pro/buses/cara", "con/buses/dan"],
        ["final 2024/schools PROP ANNA 1", "final 2024/schools OPP BEN 1", "final 2024/buses PROP CARA 1"]
        + ["final 2024/buses OPP DAN 1"],
        ["anna_affirmative_schools", "ben_negative_schools", "cara_affirmative_buses", "dan_negative_buses"],
        ["schools for anna", "schools against ben", "buses for cara", "buses against dan"],
    ],
)
def test_motion_side_and_speaker(names: list[str]) -> None:
    found = guesses(names)
    assert list(found) == names
    assert list(found.values())[:3] == [ANNA, BEN, CARA]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["interview smith", "waiting for godot"], [Guess(), Guess()]),
        (["pro_anna", "con_ben"], [Guess(None, "pro", ("Anna",)), Guess(None, "con", ("Ben",))]),
        (["schools_pro", "schools_con"], [Guess("schools", "pro"), Guess("schools", "con")]),
        (["schools_pro_1", "schools_con_2"], [Guess("schools", "pro"), Guess("schools", "con")]),
        (["schools_pro_opening", "schools_con_reply"], [Guess("schools", "pro"), Guess("schools", "con")]),
        (
            ["schools_pro_anna_smith2", "schools_con_ben and cara", "schools_con_O'Neil"],
            [
                Guess("schools", "pro", ("Anna Smith",)),
                Guess("schools", "con", ("Ben", "Cara")),
                Guess("schools", "con", ("O'Neil",)),
            ],
        ),
        (["pro and con", "professor_con"], [Guess(), Guess(None, "con", ("Professor",))]),
    ],
)
def test_what_names_do_not_say_stays_empty(names: list[str], expected: list[Guess]) -> None:
    assert list(guesses(names).values()) == expected


def test_a_name_is_not_known_for_one_voice_without_a_side() -> None:
    """A speech with one name is not searched for speakers, so a name is guessed only where a debate is plain to see."""
    assert guesses(["panel_morning", "panel_evening"])["panel_morning"] == Guess()


def test_the_words_of_a_motion() -> None:
    assert motion_text("ban-mobile_phones") == "Ban mobile phones"


@given(st.lists(st.text(alphabet="ab_/- 1proconüfor", min_size=1, max_size=20), max_size=6, unique=True))
def test_any_names(names: list[str]) -> None:
    found = guesses(names)
    assert list(found) == names
    assert all(guess.stance for guess in found.values() if guess.motion or guess.speakers)

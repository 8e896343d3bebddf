"""A voice that was named in one recording gets its name in the others, marked, and never leaves the machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rostrum
from pipeline.arrays import Samples
from pipeline.cli.speakers import speakers
from pipeline.corpus import open_corpus
from pipeline.corpus.voices import FILE, read_register
from pipeline.diarize import Turns
from pipeline.records import SAMPLE_RATE
from pipeline.run.finished import FinishedRun
from pipeline.speakers import Speakers
from tests.sounds import SAMPLES, write

SETTINGS = {"transcribe.model": "tiny.en", "speakers.own_words": "rules"}
ANNA, DAVID, HELEN = "schools_pro_anna.ogg", "schools_con_david.mp3", "transport_con_helen.ogg"


def part(name: str, start: float, seconds: float) -> Samples:
    import soundfile
    from scipy.signal import resample_poly

    samples, rate = soundfile.read(SAMPLES / name, dtype="float32")
    first = round(start * rate)
    return np.asarray(
        resample_poly(samples[first : first + round(seconds * rate)], SAMPLE_RATE, rate), dtype=np.float32
    )


def two_channels(one: Samples, other: Samples) -> Samples:
    """Two people, each in a channel, one after the other."""
    length = len(one) + len(other)
    both = np.random.default_rng(0).normal(0, 1e-4, (length, 2)).astype(np.float32)
    both[: len(one), 0] += one
    both[len(one) :, 1] += other
    return both


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A corpus of two recordings, in which Anna speaks with David, then with Helen, and the folder of its run."""
    folder = tmp_path_factory.mktemp("voices")
    write(folder / "corpus/monday.wav", two_channels(part(ANNA, 1, 10), part(DAVID, 1, 10)))
    write(folder / "corpus/tuesday.wav", two_channels(part(HELEN, 1, 10), part(ANNA, 20, 10)))
    rostrum.run(folder / "corpus", folder / "run", stages=["speakers"], settings=SETTINGS)
    (folder / "corpus/speakers.csv").write_text("recording,voice,name\nmonday,S1,Anna Lee\n")
    rostrum.run(folder / "corpus", folder / "run", stages=["speakers"], settings=SETTINGS)
    return folder


def people(place: Path, recording: str) -> dict[str, tuple[str | None, float | None]]:
    record = FinishedRun(str(place / "run")).of_speech(Speakers, recording)
    assert record
    return {person.voice: (person.name, person.recognised) for person in record.people}


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(speakers, [str(each) for each in arguments], catch_exceptions=False)


@pytest.mark.slow
def test_a_name_is_given_once(place: Path) -> None:
    assert people(place, "monday") == {"S1": ("Anna Lee", None), "S2": (None, None)}
    found = people(place, "tuesday")
    assert found["S1"] == (None, None), "nobody has named Helen"
    name, probability = found["S2"]
    assert name == "Anna Lee"
    assert probability
    assert 0.9 <= probability < 1
    assert read_register(place / "corpus").names == ["Anna Lee"]


@pytest.mark.slow
def test_it_is_marked_as_recognised(place: Path) -> None:
    from pipeline.speakers.show import TABLES, page

    run = FinishedRun(str(place / "run"))
    record = run.of_speech(Speakers, "tuesday")
    assert record
    assert "Anna Lee (recognised, " in page(record)
    table = next(table for table in TABLES if table.name == "speakers")
    assert [row[-1] is not None for row in table.rows(run)] == [False, False, False, True]


@pytest.mark.slow
def test_what_a_voice_sounds_like_is_not_shown_to_what_reads_a_run(place: Path) -> None:
    turns = FinishedRun(str(place / "run")).of_speech(Turns, "monday")
    assert turns
    assert turns.voices == ()
    stored = json.loads((place / "run/monday/diarize.json").read_text())
    assert [voice["speaker"] for voice in stored["data"]["voices"]] == ["S1", "S2"]


@pytest.mark.slow
def test_people_are_listed_added_renamed_and_removed(place: Path, tmp_path: Path) -> None:
    write(tmp_path / "david.wav", part(DAVID, 12, 8))
    (place / "corpus" / FILE).rename(tmp_path / FILE)
    (tmp_path / "monday.wav").touch()
    assert "Anna Lee" in command("list", tmp_path).stdout
    assert command("add", tmp_path, "David", tmp_path / "david.wav").stdout == "David: 1 sample\n"
    assert command("add", tmp_path, "David", tmp_path / "david.wav", "--to", "5").stdout == "David: 2 samples\n"
    assert command("rename", tmp_path, "David", "David Roe").exit_code == 0
    assert read_register(tmp_path).names == ["Anna Lee", "David Roe"]
    assert command("remove", tmp_path, "Anna Lee").exit_code == 0
    assert read_register(tmp_path).names == ["David Roe"]
    (place / "corpus" / FILE).write_bytes((tmp_path / FILE).read_bytes())
    rostrum.run(place / "corpus", place / "run", stages=["speakers"], settings=SETTINGS)
    name, probability = people(place, "monday")["S2"]
    assert name == "David Roe"
    assert probability
    assert probability >= 0.9
    assert read_register(place / "corpus").names == ["Anna Lee", "David Roe"], "speakers.csv still names Anna"


@pytest.mark.slow
def test_who_is_still_named_is_said(place: Path) -> None:
    assert "monday: Anna Lee is named in speakers.csv" in command("remove", place / "corpus", "Anna Lee").stderr


@pytest.mark.slow
def test_voices_can_be_left_out(place: Path, tmp_path: Path) -> None:
    rostrum.run(place / "corpus", tmp_path / "run", stages=["diarize"], settings={"diarize.voices": False})
    assert json.loads((tmp_path / "run/monday/diarize.json").read_text())["data"]["voices"] == []
    assert open_corpus(place / "corpus").entries

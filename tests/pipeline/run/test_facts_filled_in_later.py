"""Who fills in a motion, a side or a name after the first run does not wait for recognition again."""

from pathlib import Path
from typing import Any

import pytest

import rostrum
from pipeline.diarize import Turns
from pipeline.records import TimeSpan, Turn, Word
from pipeline.run.finished import FinishedRun
from pipeline.transcribe import Transcript
from pipeline.transcribe.recogniser import Recognised
from tests.sounds import sine, write

VOICES = {"one.wav": ("S1",), "two.wav": ("S1", "S2")}


class Engine:
    """A recogniser that hears one word in each stretch."""

    IGNORES = frozenset[str]()
    name, device = "made up", "none"

    def weights(self, settings: object) -> dict[str, str]:
        return {}

    def side_by_side(self, settings: object) -> bool:
        return False

    def load(self, settings: object) -> "Engine":
        return self

    def transcribe(self, _: object, stretches: list[tuple[float, float]], *__: object) -> Recognised:
        return Recognised(tuple(Word(text="Yes.", start=start, end=end) for start, end in stretches), (), "en")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two recordings, in which one voice and two voices are found."""
    monkeypatch.setenv("ROSTRUM_TRANSCRIPTS", str(tmp_path / "cache"))
    for module in ("recogniser", "recognition"):
        monkeypatch.setattr(f"pipeline.transcribe.{module}.engine", lambda settings: Engine())
    monkeypatch.setattr("pipeline.diarize.diarization.weights", lambda settings: {})
    monkeypatch.setattr("pipeline.diarize.stage._speech", lambda *_: [(0.0, 1.0), (1.0, 2.0)])
    lengths = {2.0: ("S1",), 2.5: ("S1", "S2")}

    def find_turns(path: Path, *_: object, **__: object) -> Turns:
        import soundfile

        voices = lengths[soundfile.info(path).duration]
        turns = tuple(Turn(start=index, end=index + 1, speaker=voices[index % len(voices)]) for index in range(2))
        return Turns(turns=turns, exclusive=turns, speakers=voices, method="made up")

    monkeypatch.setattr("pipeline.diarize.diarization.find_turns", find_turns)
    for seconds, name in zip(lengths, VOICES, strict=True):
        write(tmp_path / "corpus" / name, sine(seconds))
    return tmp_path / "corpus"


def states(corpus: Path) -> dict[str, dict[str, str]]:
    summary = rostrum.run(corpus, corpus.parent / "run", ["segment"])
    return {item.id: {each.stage: each.state for each in item.outcomes} for item in summary.items if not item.is_motion}


def manifest(corpus: Path, *rows: str) -> None:
    (corpus / "motions.csv").write_text("id,text\nzoos,We should close zoos.\n")
    (corpus / "speeches.csv").write_text("\n".join(("id,file,motion,stance,speaker", *rows)) + "\n")


def test_motion_side_and_name_come_later(corpus: Path) -> None:
    assert states(corpus)["one"]["transcribe"] == "run"
    manifest(corpus, "one,one.wav,zoos,pro,Anna", "two,two.wav,zoos,con,Ben;Cora")
    assert states(corpus) == dict.fromkeys(
        ("one", "two"), dict.fromkeys(("ingest", "diarize", "transcribe", "segment"), "cached")
    )
    run = FinishedRun(corpus.parent / "run")
    words = [run.of_speech(Transcript, name).words for name in ("one", "two")]  # type: ignore[union-attr]
    assert [[word.speaker for word in each] for each in words] == [["Anna", "Anna"], ["S1", "S2"]]
    assert run.of_speech(Turns, "one").speakers == ("Anna",)  # type: ignore[union-attr]


def test_a_name_that_contradicts_what_was_found_counts(corpus: Path) -> None:
    """Two voices were found, and the manifest now says that one person speaks."""
    states(corpus)
    manifest(corpus, "one,one.wav,zoos,pro,Anna", "two,two.wav,zoos,con,Ben")
    assert states(corpus)["two"] == {"ingest": "cached", "diarize": "run", "transcribe": "run", "segment": "run"}


def test_speech_is_where_somebody_speaks_whoever_it_is() -> None:
    turn = Turn(start=0.0, end=2.0, speaker="S1")
    facts: dict[str, Any] = {"turns": (turn,), "exclusive": (turn,), "speakers": ("S1",), "method": "made up"}
    assert Turns(**facts).stretches == [(0.0, 2.0)]
    assert Turns(**facts, speech=(TimeSpan(start=0.5, end=1.5),)).stretches == [(0.5, 1.5)]

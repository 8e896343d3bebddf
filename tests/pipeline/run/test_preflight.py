"""What is said of a run before it begins."""

from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.run import configuration
from pipeline.run.preflight import preflight, refuse_empty
from tests.llm_server import in_turn, serving
from tests.models import needs
from tests.sounds import SAMPLES, write_speech


def notes(folder: Path, stages: list[str] | None, *assignments: str) -> list[str]:
    given = configuration.load(environment={}, assignments=assignments)
    return preflight(open_corpus(folder), stages, given.settings, given.origins)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One recording, of which nothing is known."""
    write_speech(tmp_path / "talk.wav")
    return tmp_path


def test_stages_that_will_do_nothing_are_said_together_with_what_mends_it(folder: Path) -> None:
    found = notes(folder, ["score", "mentions", "counter"], "transcribe.model=base.en", "diarize.mode=vad")
    assert "score has nothing to do: no reference transcript; write what was said into a .txt file" in found[0]
    assert found[1].startswith("mentions, counter have nothing to do: no motion; list the motions in motions.csv")


def test_nobody_expects_a_debate_of_one_recording(folder: Path) -> None:
    assert notes(folder / "talk.wav", None, "diarize.mode=vad") == []


def test_a_setting_that_no_stage_of_the_run_reads(folder: Path) -> None:
    (told,) = notes(folder, ["diarize"], "diarize.mode=vad", "mentions.threshold=0.3")
    assert told == (
        "--set mentions.threshold=0.3 changes nothing: mentions is not part of this run, or has nothing to do"
    )


@needs("base.en", "all-MiniLM-L6-v2")
def test_nothing_to_say_where_all_is_well() -> None:
    assert notes(SAMPLES, ["mentions"], "mentions.threshold=0.3") == []


def test_a_missing_model_is_an_error_only_where_something_needs_it(folder: Path) -> None:
    with pytest.raises(RostrumError, match="no model is called 'tny'; did you mean tiny"):
        notes(folder, ["transcribe"], "transcribe.model=tny", "diarize.mode=vad")
    assert notes(folder, ["diarize"], "diarize.mode=vad", "mentions.encoder=missing")
    with pytest.raises(RostrumError, match="no model is called 'spkr'.*; no model is called 'tny'"):
        notes(folder, ["transcribe"], "transcribe.model=tny", "diarize.mode=full", "diarize.embedding=spkr")


def test_what_is_wrong_with_the_corpus_comes_first(folder: Path) -> None:
    (folder / "arguments.csv").write_text("id,motion,stance,title\n1,phones\n2,phones\n")
    first, *_ = notes(folder, ["diarize"], "diarize.mode=vad")
    expected = f"arguments.csv:2: 2 cells where the header has 4, and 1 more; `rostrum check {folder}` lists them"
    assert first == expected


@needs("base.en", "all-MiniLM-L6-v2")
def test_a_large_language_model_that_does_not_answer_is_named_before_anything_runs() -> None:
    asked = ("keypoints.writer=llm", "llm.model=small")
    with serving(in_turn(), models=("large",)) as server:
        with pytest.raises(RostrumError, match="llm.model small at .*: there is no such model; there are large"):
            notes(SAMPLES, ["keypoints"], *asked, f"llm.url={server.url}")
        (told,) = notes(SAMPLES, ["segment"], f"llm.url={server.url}")
    assert "changes nothing: llm is asked by no stage of this run" in told
    with pytest.raises(RostrumError, match="not a GGUF file; without llm.url"):
        notes(SAMPLES, ["keypoints"], *asked)


def test_a_folder_of_texts_is_a_corpus_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We agree.")
    corpus = open_corpus(tmp_path)
    with pytest.raises(RostrumError, match="add --set transcribe.text=reference"):
        refuse_empty(corpus, configuration.load(environment={}).settings)
    refuse_empty(corpus, configuration.load(environment={}, assignments=["transcribe.text=reference"]).settings)

"""A page credits the models that were at work, not those that might have been."""

from typing import Any

import pytest

from pipeline.report.speech_facts import models_used
from pipeline.run.store import Artifact


def artifact(stage: str, model: dict[str, str], data: dict[str, Any] | None, skipped: str | None = None) -> Artifact:
    return Artifact(
        stage=stage,
        version=1,
        fingerprint="",
        inputs={},
        settings={},
        model=model,
        created="",
        seconds=0.0,
        skipped=skipped,
        data=data,
    )


SPEAKERS = {"silero-vad": "1", "segmentation-3.0": "2", "campplus": "3"}


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("given", set()),
        ("off", set()),
        ("voice activity", {"silero-vad"}),
        ("pyannote.audio", {"segmentation-3.0", "campplus"}),
    ],
)
def test_of_turns(method: str, names: set[str]) -> None:
    assert models_used(artifact("diarize", SPEAKERS, {"method": method})).keys() == names


def test_of_words_and_sentences() -> None:
    whisper = {"tiny.en": "1"}
    assert models_used(artifact("transcribe", whisper, {"device": "cpu"})) == whisper
    assert models_used(artifact("transcribe", whisper, {"device": "none"})) == {}, "the transcript was given"
    cutters = {"punkt": "1", "segmenter": "2"}
    assert models_used(artifact("segment", cutters, {"method": "tagger"})) == {"segmenter": "2"}
    assert models_used(artifact("segment", cutters, {"method": "pauses of 0.5 s"})) == {}


def test_a_skipped_stage_used_none() -> None:
    assert models_used(artifact("mentions", {"encoder": "1"}, None, skipped="no arguments")) == {}
    assert models_used(artifact("mentions", {"encoder": "1"}, {})) == {"encoder": "1"}

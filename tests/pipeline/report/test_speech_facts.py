"""The facts of a speech: its errors by stretch, and the models that were at work, not those that might have been."""

import pytest

from pipeline.diarize.stage import Turns
from pipeline.records import ErrorCounts, Motion, Record
from pipeline.report.speech_facts import STRETCH, models_used, stretches
from pipeline.run.store import Artifact
from pipeline.score.stage import word_errors
from pipeline.segment.stage import Sentences
from pipeline.transcribe.stage import Transcript


def test_stretches_add_up_to_the_whole() -> None:
    said = " ".join(f"w{place}" for place in range(2 * STRETCH + 3))
    heard = " ".join(f"w{place}" for place in range(2 * STRETCH + 3) if place != 4) + " made up"
    errors = word_errors(said, heard, "plain")
    found = stretches(errors)
    assert [each.length for each in found] == [STRETCH, STRETCH, 3]
    assert [each.errors for each in found] == [1, 0, 2]
    assert sum(found, ErrorCounts()) == errors.words


def test_without_a_reference() -> None:
    assert stretches(word_errors("", "made up", "plain")) == (ErrorCounts(insertions=2),)


SPEAKERS = {"silero-vad": "1", "segmentation-3.0": "2", "campplus": "3"}


def used(stage: str, model: dict[str, str], record: Record | None) -> dict[str, str]:
    facts = {"version": 1, "fingerprint": "", "inputs": {}, "settings": {}, "created": "", "seconds": 0.0}
    return models_used(Artifact(stage=stage, model=model, **facts), record)


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("given", set()),
        ("off", set()),
        ("voice activity", {"silero-vad"}),
        ("pyannote.audio", {"segmentation-3.0", "campplus"}),
    ],
)
def test_models_of_turns(method: str, names: set[str]) -> None:
    turns = Turns(turns=(), exclusive=(), speakers=(), method=method)
    assert used("diarize", SPEAKERS, turns).keys() == names


def test_models_of_words_and_sentences() -> None:
    whisper, cutters = {"tiny.en": "1"}, {"punkt": "1", "segmenter": "2"}
    recognised = Transcript(words=(), language="en", recogniser="tiny.en", device="cpu", punctuated=True)
    assert used("transcribe", whisper, recognised) == whisper
    given = recognised.model_copy(update={"device": "none"})
    assert used("transcribe", whisper, given) == {}, "the transcript was given"
    assert used("segment", cutters, Sentences(sentences=(), method="tagger")) == {"segmenter": "2"}
    assert used("segment", cutters, Sentences(sentences=(), method="pauses of 0.5 s")) == {}


def test_a_skipped_stage_used_no_model() -> None:
    assert used("mentions", {"encoder": "1"}, None) == {}
    assert used("mentions", {"encoder": "1"}, Motion(id="zoos", text="Ban zoos")) == {"encoder": "1"}

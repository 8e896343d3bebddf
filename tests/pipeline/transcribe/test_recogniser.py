"""Recognisers are one file each, and the stage takes the one that the settings name."""

import inspect
from pathlib import Path

import pytest

from pipeline.diarize.turns import turns_record
from pipeline.errors import RostrumError
from pipeline.ingest.stage import IngestSettings
from pipeline.records import AudioFile, Motion, Turn
from pipeline.run.configuration import load
from pipeline.stage import stage_named
from pipeline.transcribe.recogniser import ENGINES, Engine, engine
from pipeline.transcribe.stage import TranscribeSettings
from tests.members import add_member
from tests.sounds import write_speech

PARROT = """
    \"\"\"A parrot, which hears the same word in everything.\"\"\"
    from pipeline.transcribe.recogniser import Recognised
    from pipeline.records import Word

    IGNORES = {"beam_size"}

    def weights(settings):
        return {"parrot": "0" * 64}

    def side_by_side(settings):
        return True

    def load(settings):
        return Parrot()

    class Parrot:
        name, device = "parrot", "perch"

        def transcribe(self, read, stretches, prompt, progress):
            words = [(a, b, len(read(a, b)) / 1e6) for a, b in stretches]
            words = [Word(text=prompt or "Polly", start=a, end=b, probability=p) for a, b, p in words]
            return Recognised(tuple(words), (), "en", punctuated=False)
"""


@pytest.fixture
def parrot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    add_member(monkeypatch, tmp_path / "added", "pipeline.transcribe.engines", "parrot.py", PARROT)


@pytest.mark.parametrize("name", ENGINES.names())
def test_every_recogniser_has_what_the_protocol_says(name: str) -> None:
    module = ENGINES.load(name)
    assert set(module.IGNORES) <= TranscribeSettings.model_fields.keys()
    for function in (Engine.weights, Engine.side_by_side, Engine.load):
        expected = [each for each in inspect.signature(function).parameters if each != "self"]
        assert list(inspect.signature(getattr(module, function.__name__)).parameters) == expected
    assert ENGINES.summaries()[name].endswith(".")


@pytest.mark.usefixtures("parrot")
def test_a_second_recogniser_is_one_file_and_a_setting(tmp_path: Path) -> None:
    settings = load(environment={}, assignments=["transcribe.engine=parrot"]).settings.transcribe
    transcribe = stage_named("transcribe")
    assert transcribe.model is not None
    assert transcribe.model(settings) == {"parrot": "0" * 64}
    write_speech(tmp_path / "one.wav")
    recording = stage_named("ingest")(AudioFile(path=tmp_path / "one.wav"), settings=IngestSettings())
    turns = turns_record(
        [Turn(start=0.0, end=1.0, speaker="Jo"), Turn(start=1.5, end=2.0, speaker="Al")], recording.duration, "given"
    )
    found = transcribe(recording, turns, None, None, settings=settings)
    assert [(word.text, word.start, word.end, word.speaker) for word in found.words] == [
        ("Polly", 0.0, 1.0, "Jo"),
        ("Polly", 1.5, 2.0, "Al"),
    ]
    assert found.words[0].probability == 16_000 / 1e6, "it was given the samples of its second"
    assert (found.recogniser, found.device, found.punctuated) == ("parrot", "perch", False)
    primed = settings.model_copy(update={"prompt": "motion"})
    assert (
        transcribe(recording, turns, Motion(id="m", text="We should"), None, settings=primed).words[0].text
        == "We should"
    )


@pytest.mark.usefixtures("parrot")
def test_a_changed_setting_that_a_recogniser_ignores_is_refused() -> None:
    engine(TranscribeSettings(engine="parrot", temperatures=(0.0,)))
    with pytest.raises(RostrumError) as error:
        engine(TranscribeSettings(engine="parrot", beam_size=1))
    assert str(error.value) == "transcribe.beam_size: the recogniser parrot has no such setting; leave it out"


def test_an_unknown_recogniser_is_refused_before_anything_runs() -> None:
    with pytest.raises(RostrumError, match="there is no recogniser 'opena1'; did you mean openai?"):
        load(environment={}, assignments=["transcribe.engine=opena1"])


def test_the_description_of_the_setting_says_which_there_are() -> None:
    assert "openai: Whisper by OpenAI's own package" in (TranscribeSettings.model_fields["engine"].description or "")

"""Which recogniser the settings name, and the windows that it decodes."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Samples
from pipeline.diarize.stage import turns_record
from pipeline.errors import RostrumError
from pipeline.ingest.stage import IngestSettings
from pipeline.records import SAMPLE_RATE, Argument, Arguments, AudioFile, Motion, Speech, Turn, Word
from pipeline.run.configuration import load
from pipeline.stage import stage_named
from pipeline.transcribe.recogniser import Engine, Stretch, Window, engine, windows
from pipeline.transcribe.stage import ENGINES, TranscribeSettings
from tests.members import add_member
from tests.sounds import write, write_speech

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


ECHO = """
    \"\"\"An echo, which says how loud each stretch of speech is.\"\"\"
    from pipeline.transcribe.recogniser import Recognised
    from pipeline.records import Word

    IGNORES = set()

    def weights(settings):
        return {"echo": "0" * 64}

    def side_by_side(settings):
        return True

    def load(settings):
        return Echo()

    class Echo:
        name, device = "echo", "wall"

        def transcribe(self, read, stretches, prompt, progress):
            assert not read(stretches[0][1], stretches[-1][0]).any(), "others speak between the stretches"
            words = []
            for start, end in stretches:
                text, half = f"{read(start, end).max():.1f}", (start + end) / 2
                words += [Word(text=text, start=start, end=half), Word(text=text + ".", start=half, end=end)]
            return Recognised(tuple(words), (), "en", punctuated=False)
"""


def test_each_channel_is_recognised_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its words are its speaker's, and utterances stay whole while both speak."""
    add_member(monkeypatch, tmp_path / "added", "pipeline.transcribe.engines", "echo.py", ECHO)
    levels = np.full((5 * SAMPLE_RATE, 2), (0.2, 0.4), dtype=np.float32)
    recording = stage_named("ingest")(AudioFile(path=write(tmp_path / "two.wav", levels)))
    spoken = [(0.0, 2.0, "Jo"), (3.0, 5.0, "Jo"), (0.5, 2.5, "Al"), (3.5, 4.0, "Al")]
    turns = turns_record([Turn(start=a, end=b, speaker=name) for a, b, name in spoken], recording.duration, "channels")
    settings = load(environment={}, assignments=["transcribe.engine=echo"]).settings.transcribe
    by_channel = turns.model_copy(update={"channels": ("Jo", "Al")})
    found = stage_named("transcribe")(recording, by_channel, None, None, settings=settings)
    assert [(word.speaker, word.text, word.start) for word in found.words] == [
        ("Jo", "0.2", 0.0),
        ("Jo", "0.2.", 1.0),
        ("Al", "0.4", 0.5),
        ("Al", "0.4.", 1.5),
        ("Jo", "0.2", 3.0),
        ("Jo", "0.2.", 4.0),
        ("Al", "0.4", 3.5),
        ("Al", "0.4.", 3.75),
    ]


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
    named, speech = settings.model_copy(update={"prompt": "names"}), Speech(id="one", speakers=("Jo", "Al"))
    item = Argument(id="a", motion="m", stance="pro", title="It helps.", text="In Paris, as Ana Ruiz says, I can see.")
    records = {"speech": speech, "arguments": Arguments(items=(item,))}
    heard = transcribe(recording, turns, Motion(id="m", text="Keep the Euro"), None, settings=named, **records)
    assert heard.words[0].text == "Jo, Al, Euro, Paris, Ana Ruiz."
    assert transcribe(recording, turns, None, None, settings=named).words[0].text == "Polly"


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


PAUSE, LENGTH = 2.0, 30.0


@st.composite
def stretches(draw: st.DrawFn) -> list[Stretch]:
    """Stretches in order, without overlap."""
    steps = draw(st.lists(st.tuples(st.floats(0.1, 20), st.floats(0.2, 45)), min_size=1, max_size=12))
    found, clock = [], 0.0
    for gap, length in steps:
        found.append((clock + gap, clock + gap + length))
        clock += gap + length
    return found


def clocked(start: float, end: float) -> Samples:
    """Samples that say when they were recorded, a thousand a second."""
    return np.arange(round(start * 1000), round(end * 1000)).astype(np.float32) / 1000


def test_no_speech_no_windows() -> None:
    assert windows([], PAUSE, LENGTH) == []


def test_speech_far_apart_is_decoded_together() -> None:
    found = windows([(0, 10), (60, 68), (69, 79), (80, 85)], PAUSE, LENGTH)
    assert [window.stretches for window in found] == [((0, 10), (60, 68)), ((69, 79), (80, 85))]
    assert [window.pieces for window in found] == [((0, 11), (59, 68)), ((69, 85),)]
    assert [window.length for window in found] == [20, 16]


def test_a_stretch_that_is_longer_has_a_window_of_its_own() -> None:
    assert [window.length for window in windows([(0, 10), (10.5, 99), (99.5, 100)], PAUSE, LENGTH)] == [10, 88.5, 0.5]


def test_the_clock_stands_still_where_silence_is_cut_out() -> None:
    window = Window([(5.0, 10.0), (100.0, 104.0)], PAUSE)
    assert [window.recorded(moment) for moment in (0.0, 5.5, 6.5, 11.0)] == [5.0, 10.5, 99.5, 104.0]
    assert window.speech_after(4.0) == pytest.approx(5.0)
    assert window.read(clocked, 5.9, 6.1) == pytest.approx(
        np.concatenate([clocked(10.9, 11.0), clocked(99.0, 99.1)]), abs=2e-3
    )


def test_a_word_is_where_its_middle_is() -> None:
    window = Window([(5.0, 10.0), (100.0, 104.0)], PAUSE)
    before = window.in_recording(Word(text="a", start=5.2, end=6.4, probability=1.0))
    after = window.in_recording(Word(text="b", start=5.8, end=7.4, probability=1.0))
    assert (before.start, before.end) == (10.2, 11.0)
    assert (after.start, after.end) == (99.0, 100.4)


@given(stretches())
def test_all_speech_is_decoded_once_in_order_and_within_length(found: list[Stretch]) -> None:
    packed = windows(found, PAUSE, LENGTH)
    assert [stretch for window in packed for stretch in window.stretches] == found
    assert all(window.length <= LENGTH + 1e-6 or len(window.stretches) == 1 for window in packed)
    pieces = [piece for window in packed for piece in window.pieces]
    assert all(start < end for start, end in pieces)
    assert all(one[1] <= other[0] for one, other in zip(pieces, pieces[1:], strict=False)), "nothing is heard twice"
    for start, end in found:
        assert any(first <= start and end <= last for first, last in pieces)


@given(stretches(), st.floats(0, 1), st.floats(0, 1))
def test_times_run_with_the_recording(found: list[Stretch], one: float, other: float) -> None:
    window = windows(found, PAUSE, LENGTH)[0]
    earlier, later = sorted((one * window.length, other * window.length))
    assert window.recorded(earlier) <= window.recorded(later)
    assert window.recorded(0.0) == found[0][0]
    assert window.recorded(window.length) == pytest.approx(window.stretches[-1][1])


def test_samples_are_those_of_the_recording() -> None:
    recording = np.random.default_rng(0).normal(size=SAMPLE_RATE).astype(np.float32)
    window = Window([(0.1, 0.9)], PAUSE)
    read = window.read(lambda start, end: recording[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)], 0.0, 0.8)
    assert np.array_equal(read, recording[1600:14400])

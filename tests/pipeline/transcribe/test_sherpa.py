"""sherpa: words of models that are not Whisper, with the times and the confidence that they give."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.run.configuration import load
from pipeline.transcribe.engines import sherpa
from pipeline.transcribe.recogniser import engine
from pipeline.transcribe.stage import TranscribeSettings

# A folder of Moonshine base as sherpa-onnx reads it.
MOONSHINE = os.environ.get("ROSTRUM_MOONSHINE")
FAMILIES = {
    "Moonshine": ["encoder_model.ort", "decoder_model_merged.ort"],
    "transducer": ["encoder.int8.onnx", "decoder.onnx", "joiner.int8.onnx"],
    "Canary": ["encoder.int8.onnx", "decoder.int8.onnx"],
}
ZIPFORMER = ["encoder-epoch-99-avg-1.int8.onnx", "encoder-epoch-99-avg-1.onnx", "decoder-epoch-99-avg-1.onnx"]


def folder(path: Path, *files: str) -> Path:
    path.mkdir()
    for name in (*files, "tokens.txt"):
        (path / name).write_text(name)
    return path


@pytest.mark.parametrize("family", FAMILIES)
def test_the_family_is_read_from_the_names_of_the_files(tmp_path: Path, family: str) -> None:
    found, files = sherpa._family(folder(tmp_path / "model", *FAMILIES[family]))
    assert found.name == family
    assert sorted(path.name for path in files.values()) == sorted([*FAMILIES[family], "tokens.txt"])


def test_a_zipformer_with_its_epoch_in_the_names(tmp_path: Path) -> None:
    found, files = sherpa._family(folder(tmp_path / "model", *ZIPFORMER, "joiner-epoch-99-avg-1.onnx"))
    assert found.name == "transducer"
    assert files["encoder"].name == "encoder-epoch-99-avg-1.int8.onnx", "the smaller one"


def test_another_file_is_another_model(tmp_path: Path) -> None:
    pytest.importorskip("sherpa_onnx")
    model = folder(tmp_path / "model", *FAMILIES["Canary"])
    settings = TranscribeSettings(engine="sherpa", model=str(model))
    before = engine(settings).weights(settings)
    os.utime(model / "tokens.txt", (0, 0))
    (model / "tokens.txt").write_text("others")
    assert engine(settings).weights(settings) != before


def test_a_folder_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    for model in (tmp_path / "none", folder(tmp_path / "whisper", "tiny-encoder.onnx", "tiny-decoder.onnx")):
        with pytest.raises(RostrumError, match="no such folder; give the path|no model that is known here"):
            sherpa._family(model)


def test_settings_of_whisper_are_refused() -> None:
    settings = load(environment={}, assignments=["transcribe.engine=sherpa", "transcribe.beam_size=3"]).settings
    with pytest.raises(RostrumError, match="beam_size: the recogniser sherpa has no such setting"):
        engine(settings.of("transcribe"))  # type: ignore[arg-type]


def test_words_of_tokens_with_times() -> None:
    words = sherpa.token_words([" We", " a", "gree", "."], [0.5, 1.0, 1.2, 3.0], [0.0, -0.5, -0.7, -0.3], 5.0)
    assert [(word.text, word.start, word.end, word.probability) for word in words] == [
        ("We", 0.5, 1.0, 1.0),
        ("agree.", 1.0, 4.0, round(float(np.exp(-0.5)), 4)),
    ]


def test_words_without_confidence_have_none() -> None:
    [word] = sherpa.token_words(["\u2581Yes"], [0.1], [], 2.0)
    assert (word.text, word.probability) == ("Yes", None)


@given(st.lists(st.text("abc", min_size=1, max_size=9), max_size=20), st.floats(0.1, 30))
def test_shared_out_words_fill_the_stretch_in_order(texts: list[str], length: float) -> None:
    words = sherpa.shared_out(texts, length)
    assert [word.text for word in words] == texts
    edges = [edge for word in words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert not words or (edges[0] == 0.0 and edges[-1] == pytest.approx(length, abs=0.01))


class Stream:
    def accept_waveform(self, rate: int, samples: Samples) -> None:
        self.seconds = len(samples) / rate


class Result(NamedTuple):
    text: str
    tokens: tuple[str, ...] = ()
    timestamps: tuple[float, ...] = ()
    ys_log_probs: tuple[float, ...] = ()


class Mute:
    """A model that writes nothing for more than 5 s, as Moonshine does at times."""

    def create_stream(self) -> Any:
        return Stream()

    def decode_stream(self, stream: Any) -> None:
        stream.result = Result("" if stream.seconds > 5 else "heard it")


def test_what_a_model_leaves_out_is_decoded_again_in_halves() -> None:
    recogniser = sherpa.SherpaRecogniser("mute", Mute(), has_times=False, settings=TranscribeSettings())
    silence = np.zeros(10 * 16_000, np.float32)
    heard = recogniser.transcribe(lambda a, b: silence[: round((b - a) * 16_000)], [(1.0, 9.0)], None)
    assert [word.text for word in heard.words] == ["heard", "it"] * 2
    assert [word.start for word in heard.words] == sorted(word.start for word in heard.words)
    assert heard.words[0].start == 1.0
    assert heard.words[-1].end == 9.0


def test_silence_stays_silent() -> None:
    recogniser = sherpa.SherpaRecogniser("mute", Mute(), has_times=False, settings=TranscribeSettings())
    assert recogniser.transcribe(lambda start, end: np.zeros(0, np.float32), [], None).words == ()


@pytest.mark.slow
@pytest.mark.skipif(not MOONSHINE, reason="needs Moonshine base in the folder that ROSTRUM_MOONSHINE names")
def test_moonshine_hears_a_sample() -> None:
    from pipeline.diarize.stage import DiarizeSettings, diarize
    from pipeline.ingest.stage import ingest
    from pipeline.records import AudioFile
    from pipeline.score.stage import word_errors
    from pipeline.transcribe.stage import transcribe
    from tests.sounds import SAMPLES

    recording = ingest(AudioFile(path=SAMPLES / "transport_pro_oliver.flac"))
    turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
    found = transcribe(recording, turns, None, None, settings=TranscribeSettings(engine="sherpa", model=str(MOONSHINE)))
    said = (SAMPLES / "transport_pro_oliver.txt").read_text()
    errors = word_errors(said, [word.text for word in found.words], "whisper")
    assert errors.wer is not None
    assert errors.wer < 0.1
    assert found.punctuated
    assert all(word.probability is None for word in found.words)

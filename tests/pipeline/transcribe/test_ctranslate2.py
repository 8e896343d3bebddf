"""The recogniser by CTranslate2: the very weights and the very rules of the recogniser by openai-whisper."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import models
from pipeline.arrays import Samples
from pipeline.diarize.stage import DiarizeSettings
from pipeline.errors import RostrumError
from pipeline.ingest.stage import IngestSettings
from pipeline.models.whisper_checkpoints import from_ctranslate2, write_checkpoint
from pipeline.models.whisper_ctranslate2 import ctranslate2_folder
from pipeline.records import SAMPLE_RATE, AudioFile, Word
from pipeline.stage import stage_named
from pipeline.system.environment import import_torchaudio
from pipeline.system.files import sha256_of
from pipeline.transcribe import whisper_recogniser
from pipeline.transcribe.engines import ctranslate2, openai
from pipeline.transcribe.recogniser import Recogniser, chosen_engine
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper_decoding import Decoding
from tests.models import needs
from tests.sounds import SPEECH, noise, sine, write

TINY = TranscribeSettings(model="tiny.en", engine="ctranslate2")


def transcribed(recogniser: Recogniser, samples: Samples, *stretches: tuple[float, float]) -> tuple[Word, ...]:
    """The words of these stretches; of all of it where there are none."""

    def read(start: float, end: float) -> Samples:
        return samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]

    return recogniser.transcribe(read, stretches or [(0.0, len(samples) / SAMPLE_RATE)], None).words


def texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words]


def spoken(seconds: float) -> Samples:
    """The beginning of a speech, as the stage gets it."""
    return stage_named("ingest")(AudioFile(path=SPEECH), settings=IngestSettings()).samples(0.0, seconds)


def small_checkpoint(path: Path) -> Path:
    """A Whisper model of one layer, all zeros; no official one has its shape."""
    sizes = {"ctx": 1500, "state": 64, "head": 2, "layer": 1}
    dimensions = {"n_mels": 80, "n_vocab": 51864, **{f"n_audio_{name}": size for name, size in sizes.items()}}
    dimensions |= {f"n_text_{name}": size for name, size in {**sizes, "ctx": 448}.items()}
    import whisper

    model = whisper.model.Whisper(whisper.model.ModelDimensions(**dimensions))
    arrays = {name: np.zeros(tensor.shape, np.float32) for name, tensor in model.state_dict().items()}
    write_checkpoint(dimensions, arrays, path)
    return path


class TestConversion:
    @needs("tiny.en")
    def test_the_weights_are_the_very_same(self, tmp_path: Path) -> None:
        """Written back as an OpenAI checkpoint, they are the official file, bit for bit."""
        from_ctranslate2(ctranslate2_folder(models.find("tiny.en")), tmp_path / "back.pt")
        assert sha256_of(tmp_path / "back.pt") == models.find("tiny.en").digest

    @needs("small-8bit")
    def test_small_has_the_alignment_heads_that_its_makers_name(self) -> None:
        """Those of `openai/whisper-small` on HuggingFace's hub, with both recognisers."""
        heads = [[5, 3], [5, 9], [8, 0], [8, 4], [8, 7], [8, 8], [9, 0], [9, 7], [9, 9], [10, 5]]
        config = json.loads((ctranslate2_folder(models.find("small")) / "config.json").read_text())
        assert config["alignment_heads"] == heads
        recogniser = openai.load(TranscribeSettings(model="small", engine="openai"))
        assert recogniser.name == "whisper small-8bit"
        assert recogniser.weights.alignment_heads.indices().T.tolist() == heads

    @needs("tiny.en")
    def test_the_configuration_is_that_of_the_published_conversion(self) -> None:
        """Of faster-whisper-tiny.en on HuggingFace's hub."""
        config = json.loads((ctranslate2_folder(models.find("tiny.en")) / "config.json").read_text())
        assert config["alignment_heads"] == [[1, 0], [2, 0], [2, 5], [3, 0], [3, 1], [3, 2], [3, 3], [3, 4]]
        assert config["suppress_ids_begin"] == [220, 50256]
        assert config["suppress_ids"][:12] == [1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29]
        assert config["suppress_ids"][-6:] == [50257, 50357, 50358, 50359, 50360, 50361]

    def test_it_is_done_once_and_again_only_where_it_is_damaged(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
        found = models.find(small_checkpoint(tmp_path / "own.pt"))
        folder = ctranslate2_folder(found)
        assert folder == tmp_path / "models" / "ctranslate2" / found.digest
        whole, written = sha256_of(folder / "model.bin"), (folder / "model.bin").stat().st_mtime_ns
        assert ctranslate2_folder(found) == folder
        assert (folder / "model.bin").stat().st_mtime_ns == written
        (folder / "model.bin").write_bytes(b"half of it")
        assert sha256_of(ctranslate2_folder(found) / "model.bin") == whole
        assert [path.name for path in folder.parent.iterdir()] == [found.digest]

    def test_what_is_no_whisper_is_an_error_of_one_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
        (tmp_path / "own.pt").write_bytes(b"not a checkpoint")
        with pytest.raises(RostrumError, match="own.pt: cannot be read as weights") as error:
            ctranslate2.load(TranscribeSettings(engine="ctranslate2", model=str(tmp_path / "own.pt")))
        assert "\n" not in str(error.value)

    def test_where_the_model_cache_cannot_be_written_it_goes_into_the_user_s_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "models").write_text("a file where the folder should be")
        monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        found = models.find(small_checkpoint(tmp_path / "own.pt"))
        folder = ctranslate2_folder(found)
        assert folder == tmp_path / "home" / ".cache" / "rostrum" / "models" / "ctranslate2" / found.digest
        monkeypatch.setenv("HOME", str(tmp_path / "models"))
        with pytest.raises(RostrumError, match=f"{tmp_path}/models/ctranslate2: .*; set ROSTRUM_MODELS to a folder"):
            ctranslate2_folder(found)


class TestHuggingFace:
    """Models as HuggingFace's transformers have them."""

    @pytest.fixture
    def theirs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Path]:
        """A model with random weights, and the folder that transformers wrote."""
        import_torchaudio()
        import torch
        from transformers import WhisperConfig, WhisperForConditionalGeneration

        monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
        torch.manual_seed(0)
        sizes = {"d_model": 64, "encoder_layers": 2, "decoder_layers": 1, "vocab_size": 51864, "num_mel_bins": 80}
        heads = {
            f"{half}_{what}": size
            for half in ("encoder", "decoder")
            for what, size in (("attention_heads", 2), ("ffn_dim", 256))
        }
        model = WhisperForConditionalGeneration(WhisperConfig(**sizes, **heads, init_std=0.2)).eval()
        model.save_pretrained(tmp_path / "theirs")
        (tmp_path / "theirs" / "generation_config.json").write_text('{"alignment_heads": [[0, 1]]}')
        return model, tmp_path / "theirs"

    def test_the_converted_model_computes_what_transformers_computes(self, theirs: tuple[Any, Path]) -> None:
        import ctranslate2 as library
        import torch

        model, folder = theirs
        converted = ctranslate2_folder(models.find(folder))
        assert json.loads((converted / "config.json").read_text())["alignment_heads"] == [[0, 1]]
        ours = library.models.Whisper(str(converted), "cpu", compute_type="float32")
        mel = np.random.default_rng(0).normal(size=(1, 80, 3000)).astype(np.float32)
        encoded = ours.encode(library.StorageView.from_array(mel), to_cpu=True)
        with torch.no_grad():
            expected = model.get_encoder()(torch.from_numpy(mel)).last_hidden_state
            start, without_times, end, text = 50257, 50362, 50256, [300, 400, 500]
            tokens = torch.tensor([[start, without_times, *text]])
            logits = model(torch.from_numpy(mel), decoder_input_ids=tokens).logits[0, 1:, :end]
        assert np.allclose(np.array(encoded), expected.numpy(), atol=0.02)
        [aligned] = ours.align(encoded, [start], [text], 3000)
        probabilities = [float(logits.softmax(-1)[place, token]) for place, token in enumerate(text)]
        assert np.allclose(aligned.text_token_probs, probabilities, rtol=0.05)

    def test_only_ctranslate2_reads_it(self, theirs: tuple[Any, Path]) -> None:
        _, folder = theirs
        settings = TranscribeSettings(model=str(folder))
        assert chosen_engine(settings) == "ctranslate2"
        with pytest.raises(RostrumError, match="leave transcribe.engine at auto"):
            openai.load(settings.model_copy(update={"engine": "openai"}))

    def test_what_is_not_whole_is_one_line(self, theirs: tuple[Any, Path]) -> None:
        _, folder = theirs
        (folder / "model.safetensors").write_bytes(b"half of it")
        with pytest.raises(RostrumError, match="model.safetensors: cannot be read as weights"):
            ctranslate2_folder(models.find(folder))


class TestChoice:
    @needs("tiny.en")
    def test_auto_takes_the_faster_one_for_measured_weights_on_a_cpu(self) -> None:
        assert chosen_engine(TranscribeSettings(engine="auto", model="tiny.en", device="cpu")) == "ctranslate2"

    def test_auto_takes_openai_for_weights_of_ones_own(self, tmp_path: Path) -> None:
        own = small_checkpoint(tmp_path / "own.pt")
        assert chosen_engine(TranscribeSettings(engine="auto", model=str(own), device="cpu")) == "openai"

    @needs("tiny.en")
    def test_auto_takes_ctranslate2_for_a_folder_made_for_it(self) -> None:
        folder = ctranslate2_folder(models.find("tiny.en"))
        assert chosen_engine(TranscribeSettings(engine="auto", model=str(folder), device="cpu")) == "ctranslate2"
        assert texts(transcribed(ctranslate2.load(TINY.model_copy(update={"model": str(folder)})), spoken(8)))

    def test_the_engine_named_is_the_engine_taken(self) -> None:
        assert chosen_engine(TranscribeSettings(engine="openai")) == "openai"

    @needs("tiny.en")
    def test_the_artifact_says_which_it_was(self) -> None:
        digest = models.find("tiny.en").digest
        assert ctranslate2.weights(TINY) == {"tiny.en": digest, "ctranslate2": "int8"}
        assert openai.weights(TINY) == {"tiny.en": digest}
        assert ctranslate2.load(TINY).name == "whisper tiny.en, ctranslate2 int8"
        assert openai.load(TINY).name == "whisper tiny.en"

    def test_which_recogniser_is_chosen_is_said_by_its_models(self) -> None:
        """The engine is no part of the fingerprint: the digests of its models are."""
        chosen = [TranscribeSettings(engine=engine, model="tiny.en") for engine in ("openai", "ctranslate2", "auto")]
        assert all(settings.decisive() == chosen[0].decisive() for settings in chosen)
        assert "engine" not in chosen[0].decisive()

    def test_a_precision_that_this_machine_does_not_have_is_refused(self) -> None:
        with pytest.raises(RostrumError, match=r"transcribe\.precision=float16: .* set it to auto"):
            ctranslate2.weights(TINY.model_copy(update={"precision": "float16", "device": "cpu"}))


@pytest.mark.parametrize(
    ("ratio", "logprob", "no_speech", "silence", "doubtful"),
    [
        (1.5, -0.5, 0.1, False, False),
        (2.5, -0.5, 0.1, False, True),
        (1.5, -1.1, 0.1, False, True),
        (1.5, -1.1, 0.7, True, False),
        (2.5, -1.1, 0.7, True, False),
        (2.5, -0.5, 0.7, False, True),
    ],
)
def test_a_decoding_is_doubted_as_whisper_doubts_it(
    ratio: float, logprob: float, no_speech: float, silence: bool, doubtful: bool
) -> None:
    """The rules of `whisper.transcribe.decode_with_fallback`, case by case."""
    decoding = Decoding([], 0.0, logprob, no_speech, ratio)
    assert (decoding.is_silence(TINY), decoding.is_doubtful(TINY)) == (silence, doubtful)


@pytest.mark.slow
@needs("tiny.en")
class TestWords:
    def test_words_and_times_are_those_of_the_openai_recogniser(self) -> None:
        """95 of 100 words that both heard begin and end within 50 ms of one another."""
        samples = spoken(20)
        ours, theirs = (transcribed(engine.load(TINY), samples) for engine in (ctranslate2, openai))
        blocks = SequenceMatcher(None, texts(ours), texts(theirs), autojunk=False).get_matching_blocks()
        pairs = [(ours[b.a + i], theirs[b.b + i]) for b in blocks for i in range(b.size)]
        assert len(pairs) > 0.9 * len(theirs) > 40
        apart = [max(abs(one.start - other.start), abs(one.end - other.end)) for one, other in pairs]
        assert np.mean(np.array(apart) < 0.0501) >= 0.95

    def test_no_word_is_heard_between_speech(self, tmp_path: Path) -> None:
        """Silence, noise, a tone and a chord, eight seconds of each, behind four and a half of speech."""
        chord = sum(sine(8, frequency=pitch, peak=0.1) for pitch in (261.6, 329.6, 392.0))
        sounds = [np.zeros(8 * SAMPLE_RATE, np.float32), noise(8, level=0.02), sine(8, peak=0.1), chord]
        parts = [part for sound in sounds for part in (spoken(4.5), sound)]
        recording = stage_named("ingest")(
            AudioFile(path=write(tmp_path / "gaps.wav", np.concatenate(parts))), settings=IngestSettings()
        )
        turns = stage_named("diarize")(None, recording, None, settings=DiarizeSettings(mode="vad"))
        words = stage_named("transcribe")(recording, turns, None, None, settings=TINY).words
        said = "ladies and gentlemen we should make public transport free of charge"
        assert [text.strip(",.").lower() for text in texts(words)] == said.split() * 4

    def test_the_same_audio_gives_the_same_words_however_many_are_decoded_together(self) -> None:
        apart = TINY.model_copy(update={"condition_on_previous_text": False})
        samples, stretches = spoken(40), [(start, start + 9.0) for start in (0.0, 12.0, 24.0)]
        together = ctranslate2.load(apart.model_copy(update={"max_pause": 30.0}))
        one = transcribed(together, samples, *stretches)
        alone = ctranslate2.CTranslate2Recogniser(replace(together._model, workers=1), together.settings)
        assert transcribed(alone, samples, *stretches) == one

    def test_samples_at_a_temperature_are_the_same_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first decoding is always doubted, and never taken."""
        monkeypatch.setattr(whisper_recogniser, "least_doubtful", lambda *given: (given[-1](1.0, 100), 100))
        recogniser = ctranslate2.load(TINY.model_copy(update={"logprob_threshold": 0.0}))
        samples = spoken(6)
        once = recogniser.transcribe(lambda start, end: samples, [(0.0, 6.0)], None)
        assert [segment.temperature for segment in once.segments] == [1.0]
        with ThreadPoolExecutor(3) as threads:
            begun = [
                threads.submit(recogniser.transcribe, lambda start, end: samples, [(0.0, 6.0)], None) for _ in range(3)
            ]
        assert [each.result() for each in begun] == [once] * 3

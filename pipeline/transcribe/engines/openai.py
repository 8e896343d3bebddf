"""openai: Whisper by OpenAI's own package, openai-whisper.

Its decoder, its fallbacks and its word times, over windows that are packed from the speech that was found.

`whisper.transcribe` moves through a recording by the times that the model writes. Near the end of a clip it can stop
moving. Here voice activity has already found the speech, so that windows begin and end in pauses. They hold as much
speech as they can: the model hears better in context, and a window costs the same however full it is. All beams hear
the same audio and begin with the same tokens. whisper computes both for each beam; here they are computed once, which
changes no more than how floats are rounded.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from whisper.decoding import DecodingOptions, DecodingResult, DecodingTask, PyTorchInference
from whisper.model import MultiHeadAttention, Whisper

from pipeline import models
from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.models.digests import load_tensors
from pipeline.models.whisper_ctranslate2 import size_of
from pipeline.progress import Progress, no_progress
from pipeline.system.device import chosen_device
from pipeline.transcribe.recogniser import ReadSamples, Recognised, Stretch, windows
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper import (
    BEST_OF,
    WINDOW,
    Decoding,
    Heard,
    Piece,
    Prompt,
    TimedWord,
    covered,
    decode_all,
    least_doubtful,
    likeliest_language,
    log_mel,
)

IGNORES = frozenset({"precision"})


class OpenaiRecogniser:
    """A loaded Whisper model, and how to decode with it."""

    def __init__(self, name: str, model: Any, device: str, settings: TranscribeSettings) -> None:
        self.name = f"whisper {name}"
        self._device, self.device = device, device.partition(":")[0]
        self._model = model
        self._settings = settings

    def transcribe(
        self,
        read: ReadSamples,
        stretches: Sequence[Stretch],
        prompt: str | None,
        progress: Progress = no_progress,
    ) -> Recognised:
        """Decode the stretches, with word times."""
        import torch

        torch.manual_seed(0)  # the temperature fallback samples
        settings = self._settings
        packed = windows(stretches, settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), settings.known_language or "en")
        language, probability = self._language(Piece(packed[0]), read)
        decoder = _Decoder(self._model, read, self._device, language, settings, prompt)
        expects_english = settings.known_language is None and probability is None
        words, segments = decode_all(packed, decoder, progress, expects_english=expects_english)
        return Recognised(words, segments, language, probability)

    def translate(
        self, read: ReadSamples, stretches: Sequence[Stretch], language: str, progress: Progress = no_progress
    ) -> Recognised:
        """Decode the stretches into English, with the times at which the model attends to each word's sound."""
        import torch

        torch.manual_seed(0)
        packed = windows(stretches, self._settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), "en")
        decoder = _Decoder(self._model, read, self._device, language, self._settings, None, task="translate")
        return Recognised(*decode_all(packed, decoder, progress, is_translation=True), "en")

    def _language(self, piece: Piece, read: ReadSamples) -> tuple[str, float | None]:
        """The language spoken where speech begins, and its probability; None if the model was not asked."""
        known = self._settings.known_language
        if known or not self._model.is_multilingual:
            return known or "en", None
        _, probabilities = self._model.detect_language(_mel(self._model, piece.samples(read)))

        def decoded_as(code: str) -> Decoding:
            decoder = _Decoder(self._model, read, self._device, code, self._settings, None)
            return decoder.first_decoding(piece)[0]

        return likeliest_language({str(name): float(share) for name, share in probabilities.items()}, decoded_as)


class _Decoder:
    """Decodes one piece after the other, each given the text before it."""

    at_once = 1

    def __init__(
        self,
        model: Any,
        read: ReadSamples,
        device: str,
        language: str,
        settings: TranscribeSettings,
        prompt: str | None,
        task: str = "transcribe",
    ) -> None:
        from whisper.tokenizer import get_tokenizer

        self.model, self.read, self.settings, self.language, self.task = model, read, settings, language, task
        self.fp16 = device.startswith("cuda")
        self.tokenizer = get_tokenizer(
            model.is_multilingual, num_languages=model.num_languages, language=language, task=task
        )
        self.prompt = Prompt(self.tokenizer, prompt, settings)

    def decode(self, pieces: Sequence[Piece]) -> list[Heard]:
        return [self._decode(piece) for piece in pieces]

    def _decode(self, piece: Piece) -> Heard:
        decoding, steps, features = self._with_fallback(piece)
        if decoding.is_silence(self.settings):
            return Heard([], None, piece.length, steps)
        tokens, reached = covered(decoding.tokens, self.tokenizer.timestamp_begin, piece)
        words = self._words(tokens, features, piece.length)
        self.prompt.add(tokens, decoding.temperature)
        return Heard(words, decoding, reached, steps)

    def first_decoding(self, piece: Piece) -> tuple[Decoding, Any]:
        """The first decoding of a piece, doubtful or not, and the encoder's output."""
        heard = _mel(self.model, piece.samples(self.read))
        return self._generate(heard, self.settings.temperatures[0], piece.most_tokens(self.language))

    def _with_fallback(self, piece: Piece) -> tuple[Decoding, int, Any]:
        """The least doubtful decoding, each try at a higher temperature; its steps; and the encoder's output."""
        first, heard = self.first_decoding(piece)

        def decode_again(temperature: float, most_tokens: int) -> Decoding:
            return self._generate(heard, temperature, most_tokens)[0]

        return *least_doubtful(first, piece, self.settings, decode_again), heard

    def _generate(self, heard: Any, temperature: float, most_tokens: int) -> tuple[Decoding, Any]:
        """The decoding of a spectrogram or of the encoder's output; and that output."""
        from whisper import DecodingOptions

        options = DecodingOptions(
            language=self.language,
            task=self.task,
            temperature=temperature,
            sample_len=most_tokens,
            prompt=self.prompt.tokens,
            fp16=self.fp16,
            **({"best_of": BEST_OF} if temperature else {"beam_size": self.settings.beam_size}),
        )
        result = decode(self.model, heard, options)
        decoding = Decoding(
            result.tokens, temperature, result.avg_logprob, result.no_speech_prob, result.compression_ratio
        )
        return decoding, result.audio_features

    def _words(self, tokens: list[int], features: Any, length: float) -> list[TimedWord]:
        """The words of these tokens with their times in the window."""
        from whisper.audio import FRAMES_PER_SECOND
        from whisper.timing import add_word_timestamps

        segment: dict[str, Any] = {"seek": 0, "start": 0.0, "end": length, "tokens": tokens}
        add_word_timestamps(
            segments=[segment],
            model=_AfterEncoder(self.model),
            tokenizer=self.tokenizer,
            mel=features,
            num_frames=round(length * FRAMES_PER_SECOND),
            last_speech_timestamp=0.0,
        )
        return [
            TimedWord(word["word"], float(word["start"]), float(word["end"]), float(word["probability"]))
            for word in segment["words"]
        ]


class _AfterEncoder:
    """A model that reuses the encoder's output, so that timing words does not encode again."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, heard: Any, tokens: Any) -> Any:
        return self._model.decoder(tokens, heard)


def _mel(model: Any, samples: Samples) -> Any:
    return log_mel(samples, model.dims.n_mels).to(model.device)


def weights(settings: TranscribeSettings) -> dict[str, str]:
    """The model's name and the sha256 of the weights that `load` would take."""
    return {settings.model: models.find(settings.model).digest}


def side_by_side(settings: TranscribeSettings) -> bool:
    """False: openai-whisper keeps the state of a decoding in the model itself."""
    return False


def load(settings: TranscribeSettings) -> OpenaiRecogniser:
    """The model of that size, or of that checkpoint."""
    name, model, device = _loaded(settings.model, settings.device)
    return OpenaiRecogniser(name, model, device, settings)


@functools.cache
def _loaded(model: str, device: str) -> tuple[str, Any, str]:
    """(its name, the model, the device it is on); loaded once per process."""
    import torch
    import whisper

    device = chosen_device(device, torch.cuda.device_count(), "transcribe.device", "torch")
    on_disk = models.find(model)
    if on_disk.path.is_dir():
        if not (on_disk.path / f"{on_disk.name}.pt").is_file():
            raise RostrumError(
                f"transcribe.model={model}: the recogniser openai reads OpenAI's checkpoints only; leave "
                "transcribe.engine at auto, or set it to ctranslate2"
            )
        loaded = whisper.load_model(on_disk.name, device=device, download_root=str(on_disk.path))
    else:
        loaded = _load_checkpoint(on_disk.path, device)
    share_audio(loaded)
    return on_disk.name, loaded, device


def _load_checkpoint(path: Path, device: str) -> Any:
    """The model of a checkpoint. Whisper finds alignment heads by a model's name; here they are found by its shape."""
    import whisper

    try:
        model = whisper.load_model(str(path), device=device)
    except Exception as error:
        load_tensors(path)  # has a clearer error for what is not a file of tensors
        raise RostrumError(f"{path}: is not a Whisper checkpoint; give one of OpenAI's, or a model's name") from error
    dims = model.dims
    heads = whisper._ALIGNMENT_HEADS.get(size_of(dims.n_audio_layer, dims.n_text_layer, dims.n_mels, dims.n_vocab))
    if heads:
        model.set_alignment_heads(heads)
    return model


def share_audio(model: Whisper) -> None:
    """Let all beams of the decoder attend to the same audio. whisper copies it for each beam, at each token."""
    for block in model.decoder.blocks:
        block.cross_attn = _SharedAttention(block.cross_attn)


def decode(model: Whisper, heard: Tensor, options: DecodingOptions) -> DecodingResult:
    """As whisper's own, of a spectrogram or the encoder's output."""
    task = DecodingTask(model, options)
    task.inference = task.decoder.inference = _SharedBeginning(model, len(task.initial_tokens))
    return task.run(heard.unsqueeze(0))[0]


class _SharedAttention(nn.Module):
    """Attention of all beams to one recording: their tokens are queries of one sequence."""

    def __init__(self, attention: MultiHeadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: Tensor, xa: Tensor, **others: Any) -> tuple[Tensor, Tensor | None]:
        attended, weights = self.attention(x.reshape(1, -1, x.shape[-1]), xa, **others)
        return attended.reshape(x.shape), weights


class _SharedBeginning(PyTorchInference):  # type: ignore[misc]
    """Reads the tokens before the first new one once, and gives each beam a copy of what was made of them."""

    def logits(self, tokens: Tensor, audio_features: Tensor) -> Tensor:
        begins = not self.kv_cache
        logits: Tensor = super().logits(tokens[:1] if begins else tokens, audio_features)
        if begins:
            for module in self.kv_modules:
                self.kv_cache[module] = self.kv_cache[module].expand(len(tokens), -1, -1)
            logits = logits.repeat(len(tokens), 1, 1)
        return logits

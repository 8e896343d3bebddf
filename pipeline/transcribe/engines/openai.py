"""openai: Whisper by OpenAI's own package, openai-whisper.

Its decoder, its fallbacks and its word times, over windows that are packed from the speech that was found.

`whisper.transcribe` moves through a recording by the times that the model writes. Near the end of a clip it can stop
moving. Here voice activity has already found the speech, so that windows begin and end in pauses. They hold as much
speech as they can: the model hears better in context, and a window costs the same however full it is. All beams hear
the same audio and begin with the same tokens. whisper computes both for each beam; here they are computed once, which
changes no more than how floats are rounded.
"""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn
from whisper.decoding import DecodingOptions, DecodingResult, DecodingTask, PyTorchInference
from whisper.model import MultiHeadAttention, Whisper

from pipeline import models
from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors
from pipeline.models.whisper_ctranslate2 import size_of
from pipeline.system.environment import chosen_device
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper_decoding import Decoding, TimedWord
from pipeline.transcribe.whisper_recogniser import BEST_OF, Task, WhisperRecogniser, log_mel

IGNORES = frozenset({"precision"})


class OpenaiRecogniser(WhisperRecogniser):
    """A loaded model of openai-whisper, and how to recognise with it."""

    def __init__(self, name: str, device: str, weights: Whisper, settings: TranscribeSettings) -> None:
        super().__init__(name, device, settings)
        self.weights = weights

    def begin(self) -> None:
        import torch

        torch.manual_seed(0)  # the temperature fallback samples

    def encode(self, samples: Samples) -> Tensor:
        import torch

        mel = log_mel(samples, self.weights.dims.n_mels).to(self.weights.device)
        with torch.no_grad():
            return cast(Tensor, self.weights.encoder((mel.half() if self._is_half else mel).unsqueeze(0))[0])

    def languages(self, encoded: Tensor) -> Mapping[str, float]:
        _, probabilities = self.weights.detect_language(encoded)
        return {str(code): float(share) for code, share in probabilities.items()}

    def write(self, task: Task, pieces: Sequence[Tensor], temperature: float, most_tokens: int) -> list[Decoding]:
        options = DecodingOptions(
            language=task.language,
            task=task.name,
            temperature=temperature,
            sample_len=most_tokens,
            prompt=task.prompt.tokens,
            without_timestamps=not task.writes_times,
            fp16=self._is_half,
            **({"best_of": BEST_OF} if temperature else {"beam_size": self.settings.beam_size}),
        )
        results = [decode(self.weights, encoded, options) for encoded in pieces]
        return [
            Decoding(each.tokens, temperature, each.avg_logprob, each.no_speech_prob, each.compression_ratio)
            for each in results
        ]

    def timed(self, task: Task, encoded: Tensor, tokens: list[int], seconds: float) -> list[TimedWord]:
        from whisper.audio import FRAMES_PER_SECOND
        from whisper.timing import add_word_timestamps

        segment: dict[str, Any] = {"seek": 0, "start": 0.0, "end": seconds, "tokens": tokens}
        add_word_timestamps(
            segments=[segment],
            model=_AfterEncoder(self.weights),
            tokenizer=task.tokenizer,
            mel=encoded,
            num_frames=round(seconds * FRAMES_PER_SECOND),
            last_speech_timestamp=0.0,
        )
        return [
            TimedWord(word["word"], float(word["start"]), float(word["end"]), float(word["probability"]))
            for word in segment["words"]
        ]

    @property
    def _is_half(self) -> bool:
        """Whether the model computes with 16 bits."""
        return self.device == "cuda"


class _AfterEncoder:
    """A model that reuses the encoder's output, so that timing words does not encode again."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, heard: Any, tokens: Any) -> Any:
        return self._model.decoder(tokens, heard)


def weights(settings: TranscribeSettings) -> dict[str, str]:
    """The model's name and the sha256 of the weights that `load` would take."""
    return {settings.model: models.find(settings.model).digest}


def side_by_side(settings: TranscribeSettings) -> bool:
    """False: openai-whisper keeps the state of a decoding in the model itself."""
    return False


def load(settings: TranscribeSettings) -> OpenaiRecogniser:
    """The model of that size, or of that checkpoint."""
    name, model, device = _loaded(settings.model, settings.device)
    return OpenaiRecogniser(f"whisper {name}", device.partition(":")[0], model, settings)


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

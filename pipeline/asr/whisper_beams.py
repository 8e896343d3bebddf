"""Beams of openai-whisper, which all hear the same audio and begin with the same tokens.

whisper computes both for each beam. Here they are computed once, which changes no more than how floats are rounded.
Import it by `pipeline.asr.engines.openai`.
"""

from typing import Any

from torch import Tensor, nn
from whisper.decoding import DecodingOptions, DecodingResult, DecodingTask, PyTorchInference
from whisper.model import MultiHeadAttention, Whisper


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
        found, weights = self.attention(x.reshape(1, -1, x.shape[-1]), xa, **others)
        return found.reshape(x.shape), weights


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

"""Where somebody speaks: silero's voice activity model over 32 ms frames, block by block.

Its weights are part of its package. Silence, noise, tones and music without a voice give no speech at all.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pipeline.arrays import Samples
from pipeline.records import SAMPLE_RATE

_FRAME = 512
# The model sees the last samples of the frame before.
_CONTEXT = 64
_FRAMES_AT_ONCE = 512


def find_speech(
    samples: Samples | Iterable[Samples],
    *,
    threshold: float = 0.5,
    min_speech: float = 0.25,
    min_silence: float = 0.3,
    padding: float = 0.1,
) -> list[tuple[float, float]]:
    """(start, end) in seconds of every stretch of speech in 16 kHz samples, in order and without overlap.

    A long recording can be given as blocks in order, each but the last a multiple of 512 samples long: no more than one
    of them is held in memory. Speech shorter than `min_speech` seconds is left out, silence shorter than `min_silence`
    does not part two stretches, and each is widened by `padding`.
    """
    blocks = [samples] if isinstance(samples, np.ndarray) else samples
    probabilities, length = speech_probabilities(blocks)
    stretches = _silero().get_speech_timestamps_from_probs(
        probabilities,
        sampling_rate=SAMPLE_RATE,
        threshold=threshold,
        min_speech_duration_ms=round(min_speech * 1000),
        min_silence_duration_ms=round(min_silence * 1000),
        speech_pad_ms=round(padding * 1000),
        audio_length_samples=length,
    )
    return [(stretch["start"] / SAMPLE_RATE, stretch["end"] / SAMPLE_RATE) for stretch in stretches]


def speech_probabilities(blocks: Iterable[Samples]) -> tuple[Sequence[float], int]:
    """The probability of speech in every frame of 512 samples, and how many samples there were."""
    model = _model()
    hidden = cell = np.zeros((1, 1, 128), dtype=np.float32)
    context = np.zeros((1, _CONTEXT), dtype=np.float32)
    probabilities: list[float] = []
    length = 0
    for block in blocks:
        length += len(block)
        frames = _frames(block)
        contexts = np.concatenate([context, frames[:, -_CONTEXT:]])
        context = contexts[-1:]
        inputs = np.concatenate([contexts[:-1], frames], axis=1)
        for first in range(0, len(inputs), _FRAMES_AT_ONCE):
            values, hidden, cell = model.run(
                ["speech_probs", "hn", "cn"],
                {"input": inputs[first : first + _FRAMES_AT_ONCE], "h": hidden, "c": cell},
            )
            probabilities.extend(values.ravel().tolist())
    return probabilities, length


def _frames(block: Samples) -> Samples:
    """The block as rows of one frame each, the last filled up with zeros."""
    padded = np.zeros(-(-len(block) // _FRAME) * _FRAME, dtype=np.float32)
    padded[: len(block)] = block
    return padded.reshape(-1, _FRAME)


@functools.cache
def _model() -> Any:
    """The ONNX session of the model that takes many frames at once; one per process."""
    return _silero().load_silero_vad(sequence=True).session


@functools.cache
def _silero() -> Any:
    """The package of the model. Importing it leaves all of torch with a single thread, which is undone here."""
    import torch

    threads = torch.get_num_threads()
    import silero_vad

    torch.set_num_threads(threads)
    return silero_vad

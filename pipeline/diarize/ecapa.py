"""ECAPA-TDNN, a speaker embedding network (Desplanques et al. 2020), as SpeechBrain has it and trained it on VoxCeleb.

SpeechBrain is not installed with rostrum. Install it to use this embedding.
"""

import functools
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pipeline.errors import RostrumError
from pipeline.models.digests import load_tensors

MELS = 80
DIMENSION = 192
# Its widest convolution is padded with a mirror image of the frames, of which there must be enough.
FEWEST_FRAMES = 10


def load(path: Path) -> nn.Module:
    """The network with the weights of this file, ready to be used."""
    network: nn.Module = _speechbrain("models.ECAPA_TDNN").ECAPA_TDNN(
        MELS,
        channels=[1024, 1024, 1024, 1024, 3072],
        kernel_sizes=[5, 3, 3, 3, 1],
        dilations=[1, 2, 3, 4, 1],
        attention_channels=128,
        lin_neurons=DIMENSION,
    )
    network.load_state_dict(load_tensors(path))
    return network.eval()


def filter_banks(waveform: Tensor) -> Tensor:
    """SpeechBrain's log mel filter banks of 16 kHz samples, frames of 10 ms by 80; their mean is not subtracted yet."""
    banks: Tensor = _banks()(waveform.reshape(1, -1).cpu())[0]
    return banks.to(waveform.device)


def embed(network: nn.Module, frames: Tensor) -> Tensor:
    """The vector of (frames, 80) of filter banks."""
    with torch.inference_mode():
        vector: Tensor = network((frames - frames.mean(0)).unsqueeze(0))[0, 0]
    return vector


@functools.cache
def _banks() -> Any:
    return _speechbrain("features").Fbank(n_mels=MELS)


def _speechbrain(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"speechbrain.lobes.{module}")
    except ImportError as error:
        raise RostrumError("diarize.embedding=ecapa needs SpeechBrain: pip install speechbrain") from error

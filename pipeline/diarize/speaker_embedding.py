"""Speaker embedding networks that pyannote.audio does not load by itself, with the names of their published weights.

CAM++ is Wang et al. 2023, "CAM++: A Fast and Efficient Network for Speaker Verification Using Context-Aware Masking".
ECAPA-TDNN is Desplanques et al. 2020, as SpeechBrain has it and trained it on VoxCeleb. SpeechBrain is not installed
with rostrum. Both take mel filter banks, frames of 10 ms by 80, and give one vector of 192 values.
"""

import functools
from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors

MELS = 80
DIMENSION = 192
# Layers and dilation of the three dense blocks of CAM++.
_BLOCKS = ((12, 1), (24, 2), (16, 2))
_GROWTH = 32
_BOTTLENECK = 128
# Frames over which the mask's local context is taken.
_SEGMENT = 100


class Embedding(NamedTuple):
    """How a network is loaded, which filter banks it takes (their mean is subtracted later), and how it embeds them."""

    load: Callable[[Path], nn.Module]
    filter_banks: Callable[[Tensor], Tensor]
    embed: Callable[[nn.Module, Tensor], Tensor]
    fewest_frames: int


def load_campplus(path: Path) -> "CAMPlusPlus":
    """CAM++ with the weights of this file, ready to be used."""
    network = CAMPlusPlus()
    network.load_state_dict(load_tensors(path))
    network.head.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a quarter faster on a CPU
    return network.eval()


def kaldi_filter_banks(waveform: Tensor) -> Tensor:
    """Kaldi's log mel filter banks of 16 kHz samples."""
    from pipeline.system.environment import import_torchaudio

    kaldi = import_torchaudio().compliance.kaldi
    banks: Tensor = kaldi.fbank(waveform.reshape(1, -1), num_mel_bins=MELS, sample_frequency=16_000, dither=0.0)
    return banks


def embed_with_campplus(network: nn.Module, frames: Tensor) -> Tensor:
    """The vector of (frames, 80) of filter banks."""
    with torch.inference_mode():
        vector: Tensor = network((frames - frames.mean(0)).T.unsqueeze(0))[0]
    return vector


def load_ecapa(path: Path) -> nn.Module:
    """ECAPA-TDNN with the weights of this file, ready to be used."""
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


def _speechbrain_filter_banks(waveform: Tensor) -> Tensor:
    banks: Tensor = _fbank()(waveform.reshape(1, -1).cpu())[0]
    return banks.to(waveform.device)


@functools.cache
def _fbank() -> Any:
    return _speechbrain("features").Fbank(n_mels=MELS)


def _embed_with_ecapa(network: nn.Module, frames: Tensor) -> Tensor:
    with torch.inference_mode():
        vector: Tensor = network((frames - frames.mean(0)).unsqueeze(0))[0, 0]
    return vector


def _speechbrain(module: str) -> Any:
    try:
        return import_module(f"speechbrain.lobes.{module}")
    except ImportError as error:
        raise RostrumError("diarize.embedding=ecapa needs SpeechBrain: pip install speechbrain") from error


# By their names in the catalogue. CAM++ halves the frames and takes a standard deviation over what is left. The widest
# convolution of ECAPA-TDNN is padded with a mirror image of the frames, of which there must be enough.
EMBEDDINGS = {
    "campplus": Embedding(load_campplus, kaldi_filter_banks, embed_with_campplus, fewest_frames=4),
    "ecapa": Embedding(load_ecapa, _speechbrain_filter_banks, _embed_with_ecapa, fewest_frames=10),
}


class CAMPlusPlus(nn.Module):
    """Two-dimensional convolutions over time and frequency, then a dense TDNN whose layers mask by their context."""

    def __init__(self) -> None:
        super().__init__()
        self.head = _Head(channels=32)
        channels = _BOTTLENECK
        convolution = nn.Conv1d(32 * MELS // 8, channels, 5, stride=2, padding=2, bias=False)
        layers: list[tuple[str, nn.Module]] = [
            ("tdnn", _named(("linear", convolution), ("nonlinear", _normalised(channels))))
        ]
        for number, (depth, dilation) in enumerate(_BLOCKS, start=1):
            layers.append((f"block{number}", _DenseBlock(depth, channels, dilation)))
            channels += depth * _GROWTH
            linear = nn.Conv1d(channels, channels // 2, 1, bias=False)
            layers.append((f"transit{number}", _named(("nonlinear", _normalised(channels)), ("linear", linear))))
            channels //= 2
        projection = nn.Conv1d(channels * 2, DIMENSION, 1, bias=False)
        normalisation = _named(("batchnorm", nn.BatchNorm1d(DIMENSION, affine=False)))
        layers += [
            ("out_nonlinear", _normalised(channels)),
            ("stats", _Statistics()),
            ("dense", _named(("linear", projection), ("nonlinear", normalisation))),
        ]
        self.xvector = nn.Sequential(OrderedDict(layers))

    def forward(self, features: Tensor) -> Tensor:
        vectors: Tensor = self.xvector(self.head(features)).squeeze(-1)
        return vectors


def _named(*layers: tuple[str, nn.Module]) -> nn.Sequential:
    return nn.Sequential(OrderedDict(layers))


def _normalised(channels: int) -> nn.Sequential:
    return _named(("batchnorm", nn.BatchNorm1d(channels)), ("relu", nn.ReLU()))


class _Head(nn.Module):
    """Residual blocks that halve the frequencies three times and leave time as it is."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.layer1 = nn.Sequential(_Residual(channels, halve=True), _Residual(channels, halve=False))
        self.layer2 = nn.Sequential(_Residual(channels, halve=True), _Residual(channels, halve=False))
        self.conv2 = nn.Conv2d(channels, channels, 3, stride=(2, 1), padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, features: Tensor) -> Tensor:
        planes = functional.relu(self.bn1(self.conv1(features.unsqueeze(1))))
        planes = self.layer2(self.layer1(planes))
        return functional.relu(self.bn2(self.conv2(planes))).flatten(1, 2)


class _Residual(nn.Module):
    def __init__(self, channels: int, *, halve: bool) -> None:
        super().__init__()
        stride = (2, 1) if halve else (1, 1)
        self.conv1 = nn.Conv2d(channels, channels, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Sequential()
        if halve:
            convolution = nn.Conv2d(channels, channels, 1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(channels))

    def forward(self, planes: Tensor) -> Tensor:
        inner = functional.relu(self.bn1(self.conv1(planes)))
        return functional.relu(self.bn2(self.conv2(inner)) + self.shortcut(planes))


class _DenseBlock(nn.Module):
    """Layers that each see the output of all before them."""

    def __init__(self, depth: int, channels: int, dilation: int) -> None:
        super().__init__()
        for number in range(depth):
            self.add_module(f"tdnnd{number + 1}", _DenseLayer(channels + number * _GROWTH, dilation))

    def forward(self, frames: Tensor) -> Tensor:
        for layer in self.children():
            frames = torch.cat([frames, layer(frames)], dim=1)
        return frames


class _DenseLayer(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.nonlinear1 = _normalised(channels)
        self.linear1 = nn.Conv1d(channels, _BOTTLENECK, 1, bias=False)
        self.nonlinear2 = _normalised(_BOTTLENECK)
        self.cam_layer = _ContextAwareMask(dilation)

    def forward(self, frames: Tensor) -> Tensor:
        masked: Tensor = self.cam_layer(self.nonlinear2(self.linear1(self.nonlinear1(frames))))
        return masked


class _ContextAwareMask(nn.Module):
    """A convolution whose output is masked by what the whole and the second around each frame sound like."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.linear_local = nn.Conv1d(_BOTTLENECK, _GROWTH, 3, padding=dilation, dilation=dilation, bias=False)
        self.linear1 = nn.Conv1d(_BOTTLENECK, _BOTTLENECK // 2, 1)
        self.linear2 = nn.Conv1d(_BOTTLENECK // 2, _GROWTH, 1)

    def forward(self, frames: Tensor) -> Tensor:
        # The context is the same within a segment, and so is the mask: it is computed once for each.
        segments = functional.avg_pool1d(frames, _SEGMENT, _SEGMENT, ceil_mode=True)
        context = frames.mean(-1, keepdim=True) + segments
        mask = torch.sigmoid(self.linear2(functional.relu(self.linear1(context))))
        spread = mask.repeat_interleave(_SEGMENT, dim=-1)[..., : frames.shape[-1]]
        masked: Tensor = self.linear_local(frames) * spread
        return masked


class _Statistics(nn.Module):
    """Mean and standard deviation over time."""

    def forward(self, frames: Tensor) -> Tensor:
        return torch.cat([frames.mean(-1), frames.std(-1)], dim=-1).unsqueeze(-1)

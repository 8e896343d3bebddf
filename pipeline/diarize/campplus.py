"""CAM++, a speaker embedding network (Wang et al. 2023, "CAM++: A Fast and Efficient Network for Speaker Verification
Using Context-Aware Masking"), with the names of its published weights.

It takes mel filter banks of shape (batch, 80, frames) and gives one vector of 192 values for each.
"""

from collections import OrderedDict
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.models.digests import load_tensors

MELS = 80
DIMENSION = 192
# The network halves the frames and takes a standard deviation over what is left.
FEWEST_FRAMES = 4
# Layers and dilation of the three dense blocks.
_BLOCKS = ((12, 1), (24, 2), (16, 2))
_GROWTH = 32
_BOTTLENECK = 128
# Frames over which the mask's local context is taken.
_SEGMENT = 100


def load(path: Path) -> "CAMPlusPlus":
    """The network with the weights of this file, ready to be used."""
    network = CAMPlusPlus()
    network.load_state_dict(load_tensors(path))
    network.head.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a quarter faster on a CPU
    return network.eval()


class CAMPlusPlus(nn.Module):
    """Two-dimensional convolutions over time and frequency, then a dense TDNN whose layers mask by their context."""

    def __init__(self) -> None:
        super().__init__()
        self.head = _Head(channels=32)
        channels = _BOTTLENECK
        layers: list[tuple[str, nn.Module]] = [("tdnn", _tdnn(32 * MELS // 8, channels))]
        for number, (depth, dilation) in enumerate(_BLOCKS, start=1):
            layers.append((f"block{number}", _DenseBlock(depth, channels, dilation)))
            channels += depth * _GROWTH
            layers.append((f"transit{number}", _transit(channels, channels // 2)))
            channels //= 2
        layers += [
            ("out_nonlinear", _normalised(channels)),
            ("stats", _Statistics()),
            ("dense", _embedding(channels * 2)),
        ]
        self.xvector = nn.Sequential(OrderedDict(layers))

    def forward(self, features: Tensor) -> Tensor:
        vectors: Tensor = self.xvector(self.head(features)).squeeze(-1)
        return vectors


def _named(*layers: tuple[str, nn.Module]) -> nn.Sequential:
    return nn.Sequential(OrderedDict(layers))


def _normalised(channels: int) -> nn.Sequential:
    return _named(("batchnorm", nn.BatchNorm1d(channels)), ("relu", nn.ReLU()))


def _tdnn(channels: int, out: int) -> nn.Sequential:
    convolution = nn.Conv1d(channels, out, 5, stride=2, padding=2, bias=False)
    return _named(("linear", convolution), ("nonlinear", _normalised(out)))


def _transit(channels: int, out: int) -> nn.Sequential:
    return _named(("nonlinear", _normalised(channels)), ("linear", nn.Conv1d(channels, out, 1, bias=False)))


def _embedding(channels: int) -> nn.Sequential:
    normalisation = _named(("batchnorm", nn.BatchNorm1d(DIMENSION, affine=False)))
    return _named(("linear", nn.Conv1d(channels, DIMENSION, 1, bias=False)), ("nonlinear", normalisation))


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


def filter_banks(waveform: Tensor) -> Tensor:
    """Kaldi's log mel filter banks of 16 kHz samples, frames of 10 ms by 80; their mean is not subtracted yet."""
    from pipeline.system.environment import import_torchaudio

    kaldi = import_torchaudio().compliance.kaldi
    banks: Tensor = kaldi.fbank(waveform.reshape(1, -1), num_mel_bins=MELS, sample_frequency=16_000, dither=0.0)
    return banks


def embed(network: CAMPlusPlus, frames: Tensor) -> Tensor:
    """The vector of (frames, 80) of filter banks."""
    with torch.inference_mode():
        vector: Tensor = network((frames - frames.mean(0)).T.unsqueeze(0))[0]
    return vector

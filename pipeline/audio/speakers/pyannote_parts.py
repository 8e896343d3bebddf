"""What pyannote.audio is given of ours: speaker embeddings. Import it by `pipeline.audio.speakers.diarization`."""

from pathlib import Path
from types import ModuleType

import torch
from pyannote.audio import Model
from pyannote.audio.core.plda import PLDA
from torch import Tensor
from torch.nn import functional

from pipeline.audio.speakers import campplus, ecapa

# Catalogue names of the embeddings that pyannote does not load by itself, and the modules that do.
OURS: dict[str, ModuleType] = {"campplus": campplus, "ecapa": ecapa}


class SpeakerEmbedding(Model):  # type: ignore[misc]
    """CAM++ or ECAPA as pyannote wants them: waveforms (batch, 1, samples), weights (batch, frames) of who speaks.

    A vector is made of the frames whose weight is above one half; of none or too few of them it is NaN.
    """

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(sample_rate=16_000, num_channels=1)
        self.kind = OURS[name]
        self.network = self.kind.load(path)

    @property
    def dimension(self) -> int:
        return int(self.kind.DIMENSION)

    def forward(self, waveforms: Tensor, weights: Tensor | None = None) -> Tensor:
        vectors = torch.full((len(waveforms), self.dimension), torch.nan, device=waveforms.device)
        banks = None
        for index, waveform in enumerate(waveforms):
            # A window's waveform comes once for each of its speakers, one after another.
            if banks is None or not torch.equal(waveform, waveforms[index - 1]):
                banks = self.kind.filter_banks(waveform)
            frames = banks if weights is None else banks[_spoken(weights[index], len(banks))]
            if len(frames) >= self.kind.FEWEST_FRAMES:
                vectors[index] = self.kind.embed(self.network, [frames])[0]
        return vectors


def _spoken(weights: Tensor, frames: int) -> Tensor:
    """Which filter bank frames have a weight above one half."""
    return functional.interpolate(weights[None, None], size=frames, mode="nearest")[0, 0] > 0.5


class NoPLDA(PLDA):  # type: ignore[misc]
    """pyannote demands a PLDA also where its clustering does not use one."""

    def __init__(self) -> None:
        pass

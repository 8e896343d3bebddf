"""What pyannote.audio is given of ours: speaker embeddings by CAM++. Import it by `pipeline.audio.diarization`."""

from pathlib import Path

import torch
from pyannote.audio import Model
from pyannote.audio.core.plda import PLDA
from torch import Tensor
from torch.nn import functional

from pipeline.audio import campplus

# The network halves the frames and takes a standard deviation over what is left.
_FEWEST_FRAMES = 4


class CAMPlusPlusEmbedding(Model):  # type: ignore[misc]
    """CAM++ as pyannote wants an embedding: waveforms (batch, 1, samples), weights (batch, frames) of who speaks.

    A vector is made of the frames whose weight is above one half; of none or too few of them it is NaN.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(sample_rate=16_000, num_channels=1)
        self.network = campplus.load(path)

    @property
    def dimension(self) -> int:
        return campplus.DIMENSION

    def forward(self, waveforms: Tensor, weights: Tensor | None = None) -> Tensor:
        vectors = torch.full((len(waveforms), campplus.DIMENSION), torch.nan, device=waveforms.device)
        banks = None
        for index, waveform in enumerate(waveforms):
            # A window's waveform comes once for each of its speakers, one after another.
            if banks is None or not torch.equal(waveform, waveforms[index - 1]):
                banks = campplus.filter_banks(waveform)
            frames = banks if weights is None else banks[_spoken(weights[index], len(banks))]
            if len(frames) >= _FEWEST_FRAMES:
                vectors[index] = campplus.embed(self.network, [frames])[0]
        return vectors


def _spoken(weights: Tensor, frames: int) -> Tensor:
    """Which filter bank frames have a weight above one half."""
    return functional.interpolate(weights[None, None], size=frames, mode="nearest")[0, 0] > 0.5


class NoPLDA(PLDA):  # type: ignore[misc]
    """pyannote demands a PLDA also where its clustering does not use one."""

    def __init__(self) -> None:
        pass

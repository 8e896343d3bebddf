"""The record of `ingest`."""

import numpy as np

from pipeline.arrays import Samples
from pipeline.records import SAMPLE_RATE, Attachment, Record, Seconds


class Recording(Record):
    """16 kHz mono audio, and measurements of the original.

    `channels` has each channel of the original by itself, if they are not all the same.
    """

    audio: Attachment
    channels: Attachment | None = None
    duration: Seconds
    source_sha256: str
    source_rate: int
    source_channels: int
    loudness_lufs: float | None
    clipped_share: float
    snr_db: float | None

    def figures(self) -> dict[str, float]:
        measured = {"loudness": self.loudness_lufs, "snr": self.snr_db, "clipped": self.clipped_share}
        return {"duration": self.duration, **{name: value for name, value in measured.items() if value is not None}}

    def samples(self, start: float = 0.0, end: float | None = None) -> Samples:
        """Samples from `start` to `end` seconds. Only these are read from the file."""
        return _read(self.audio, start, end)[:, 0]

    def channel_samples(self, start: float = 0.0, end: float | None = None) -> Samples:
        """The same of every channel: (samples, channels). One channel where the original has no different ones."""
        return _read(self.channels or self.audio, start, end)


def _read(file: Attachment, start: float, end: float | None) -> Samples:
    """The samples (samples, channels) of a file."""
    import soundfile

    stop = None if end is None else round(end * SAMPLE_RATE)
    first = round(start * SAMPLE_RATE)
    samples, _ = soundfile.read(file.path, start=first, stop=stop, dtype="float32", always_2d=True)
    return np.asarray(samples, dtype=np.float32)

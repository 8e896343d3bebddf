"""The record of `ingest`."""

import numpy as np

from pipeline.arrays import Samples
from pipeline.records import SAMPLE_RATE, Attachment, Record, Seconds


class Recording(Record):
    """16 kHz mono audio, and measurements of the original."""

    audio: Attachment
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
        import soundfile

        stop = None if end is None else round(end * SAMPLE_RATE)
        samples, _ = soundfile.read(self.audio.path, start=round(start * SAMPLE_RATE), stop=stop, dtype="float32")
        return np.asarray(samples, dtype=np.float32)

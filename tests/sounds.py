"""Audio for tests: made here, or cut from the project's own samples."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Samples

SAMPLES = Path(__file__).parents[1] / "audio_samples"
SPEECH = SAMPLES / "transport_pro_oliver.flac"


def sine(seconds: float, rate: int = 16_000, frequency: float = 440.0, peak: float = 0.5) -> Samples:
    clock = np.arange(round(seconds * rate)) / rate
    return (peak * np.sin(2 * np.pi * frequency * clock)).astype(np.float32)


def noise(seconds: float, rate: int = 16_000, level: float = 0.1, seed: int = 0) -> Samples:
    return np.random.default_rng(seed).normal(0, level, round(seconds * rate)).astype(np.float32)


@cache
def speech() -> tuple[Samples, int]:
    """(samples, rate) of somebody speaking."""
    import soundfile

    samples, rate = soundfile.read(SPEECH, dtype="float32")
    return samples, rate


def write(path: Path, samples: Samples, rate: int = 16_000, **options: Any) -> Path:
    """Write by libsndfile; the suffix says the format."""
    import soundfile

    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, rate, **options)
    return path


def write_speech(path: Path, start: float = 0.0, seconds: float = 2.0) -> Path:
    """A clip of somebody speaking."""
    samples, rate = speech()
    return write(path, samples[round(start * rate) : round((start + seconds) * rate)], rate)


def encode(path: Path, samples: Samples, rate: int, codec: str, layout: str = "mono") -> Path:
    """Write with FFmpeg: containers that libsndfile cannot make. Several channels are the columns of `samples`."""
    import av

    pcm = (np.clip(samples, -1, 1) * 32767).astype(np.int16).reshape(1, -1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.layout = layout
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        fifo = av.AudioFifo()
        converter = av.AudioResampler(format=stream.codec_context.format, layout=layout, rate=rate)
        for converted in converter.resample(frame):
            fifo.write(converted)
        size = stream.codec_context.frame_size or 1024
        while chunk := fifo.read(size, partial=True):
            container.mux(stream.encode(chunk))
        container.mux(stream.encode(None))
    return path

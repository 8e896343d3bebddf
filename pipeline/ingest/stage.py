"""Decodes an audio file, and measures how loud, clipped and noisy it is, block by block."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import Field

from pipeline.arrays import Floats, Samples
from pipeline.errors import RostrumError, StorageError
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, Attachment, AudioFile, Record, Seconds, file_digest
from pipeline.settings import StageSettings
from pipeline.stage import stage
from pipeline.system import scratch
from pipeline.system.logs import logger

if TYPE_CHECKING:
    from pipeline.ingest.decode import Audio


class IngestSettings(StageSettings):
    """How recordings are decoded and measured."""

    max_hours: float = Field(24.0, gt=0, le=1000, description="Refuse recordings longer than this many hours.")


# FLAC has no more channels than this. Of a recording with more, only their mean is kept.
_MOST_CHANNELS = 8
# Channels are the same if what they do not have in common is so many decibels below what they have: a voice in a stereo
# recording of a room. Microphones that each hear their own speaker better than others differ by more.
_SAME_DB = -20.0


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


@stage(version=2, pace=0.01)  # 2: keeps the channels
def ingest(audio: AudioFile, *, settings: IngestSettings, progress: Progress = no_progress) -> Recording:
    """Decode any audio file to 16 kHz mono and measure its level, clipping and noise on the way.

    Channels that are not all the same are kept beside their mean.
    """
    from pipeline.ingest.decode import missing_seconds, open_audio

    source_sha256, source = audio.digest(), open_audio(audio.path)
    many = 1 < source.channels <= _MOST_CHANNELS
    with _new_flac() as (path, append), _new_flac(source.channels) if many else nullcontext() as each:
        channels = _Channels(source.rate, source.channels, each[1]) if each else None
        decoded = _decode(source, audio.path, append, channels, settings.max_hours, progress)
        if file_digest(audio.path) != source_sha256:  # it was changed, or is another one on this worker
            raise StorageError(f"{audio.path}: is another file than when the run began; run again")
    if missing := missing_seconds(audio.path, decoded.duration):
        message = "%s: ends after %.1f s; %.1f s are missing by its header, copy it again"
        logger.warning(message, audio.path, decoded.duration, missing)
    if each and channels and not channels.differ:
        each[0].unlink()
    return Recording(
        audio=Attachment.of(path, temporary=True),
        channels=Attachment.of(each[0], temporary=True) if each and channels and channels.differ else None,
        source_sha256=source_sha256,
        **decoded._asdict(),
    )


@contextmanager
def ingested(
    path: Path, settings: IngestSettings | None = None, progress: Progress = no_progress
) -> Iterator[Recording]:
    """An audio file as the pipeline takes it in, for as long as it is looked at."""
    recording = ingest(AudioFile(path=path), settings=settings or IngestSettings(), progress=progress)
    try:
        yield recording
    finally:
        recording.discard()


class _Decoded(NamedTuple):
    """The facts of a decoded file, by their names in a Recording."""

    duration: float
    source_rate: int
    source_channels: int
    loudness_lufs: float | None
    clipped_share: float
    snr_db: float | None


class _Channels:
    """Resamples each channel by itself, and measures how much they differ."""

    def __init__(self, rate: int, count: int, append: Callable[[Samples], None]) -> None:
        from pipeline.ingest.decode import Resampler

        self._resamplers = [Resampler(rate) for _ in range(count)]
        self._append = append
        self._common = self._apart = 0.0

    def push(self, block: Samples, mean: Samples) -> None:
        """Take a block (frames, channels), and the mean of its channels."""
        self._common += float(np.square(mean, dtype=np.float64).sum())
        self._apart += float(np.square(block - mean[:, None], dtype=np.float64).mean(axis=1).sum())
        resampled = [each.push(channel) for each, channel in zip(self._resamplers, block.T, strict=True)]
        self._append(np.stack(resampled, axis=1))

    def finish(self) -> None:
        """Append what is left, once no more blocks come."""
        self._append(np.stack([each.finish() for each in self._resamplers], axis=1))

    @property
    def differ(self) -> bool:
        """Whether the channels are not all the same."""
        return self._apart > 10 ** (_SAME_DB / 10) * self._common


def _decode(
    source: "Audio",
    path: Path,
    append: Callable[[Samples], None],
    channels: _Channels | None,
    max_hours: float,
    progress: Progress,
) -> _Decoded:
    """Decode a file block by block, hand on its 16 kHz samples, and measure them."""
    from pipeline.ingest.decode import Resampler, stated_duration

    stated = stated_duration(path)
    resampler, meter, bytes_heard = Resampler(source.rate), LevelMeter(), _Randomness()
    written = clipped = decoded = 0

    def write(samples: Samples) -> None:
        nonlocal written
        meter.push(samples)
        append(samples)
        written += len(samples)

    for block in source.blocks:
        if not np.isfinite(block).all():
            raise RostrumError(f"{path}: holds samples that are no numbers; export the recording again")
        decoded += block.size
        clipped += int((np.abs(block) >= CLIPPED_AT).sum())
        bytes_heard.push(block[:, 0])
        mean = block.mean(axis=1, dtype=np.float32)
        write(resampler.push(mean))
        if channels:
            channels.push(block, mean)
        if stated:
            progress(min(1.0, written / SAMPLE_RATE / stated), "decoding")
        if written > round(max_hours * 3600 * SAMPLE_RATE):
            raise RostrumError(f"{path}: longer than {max_hours:g} h; raise ingest.max_hours")
    write(resampler.finish())
    if channels:
        channels.finish()
    if not written:
        raise RostrumError(f"{path}: holds no samples; copy the recording again")
    if bytes_heard.are_random:
        raise RostrumError(f"{path}: holds random numbers, no sound: its header or its data are wrong; copy it again")
    share = round(clipped / decoded, 6)
    loudness, noise = meter.loudness(), meter.signal_to_noise()
    return _Decoded(written / SAMPLE_RATE, source.rate, source.channels, loudness, share, noise)


class _Randomness:
    """Whether samples are random bytes: every value as likely as any other, whatever the one before it.

    Files with damaged data are so, and those whose header states a wrong width of samples.
    """

    # The mean square of numbers that are uniform from -1 to 1, and how far a recording's may be from it.
    _UNIFORM, _NEAR, _FEWEST = 1 / 3, 0.02, 10_000

    def __init__(self) -> None:
        self._count = 0
        self._squares = self._neighbours = 0.0

    def push(self, samples: Samples) -> None:
        self._count += len(samples)
        self._squares += float(np.dot(samples, samples))
        self._neighbours += float(np.dot(samples[1:], samples[:-1]))

    @property
    def are_random(self) -> bool:
        if self._count < self._FEWEST:
            return False
        uniform = abs(self._squares / self._count - self._UNIFORM) < self._NEAR
        return uniform and abs(self._neighbours / self._squares) < self._NEAR


@contextmanager
def _new_flac(channels: int = 1) -> Iterator[tuple[Path, Callable[[Samples], None]]]:
    """(a temporary file, a function that appends samples to it). The file is removed after an error."""
    import soundfile

    path, written = scratch.new_file(".flac"), 0
    full = StorageError(f"{path}: cannot be written; make room there, or set TMPDIR to a folder with room")

    def append(samples: Samples) -> None:
        nonlocal written
        try:
            flac.write(np.clip(samples, -1.0, 1.0))
        except soundfile.LibsndfileError as error:
            raise full from error
        written += len(samples)

    try:
        try:
            flac = soundfile.SoundFile(path, "w", SAMPLE_RATE, channels, "PCM_16", format="FLAC")
        except soundfile.LibsndfileError as error:
            raise full from error
        with flac:
            yield path, append
        if soundfile.info(path).frames != written:  # the rest is written as it is closed, which says nothing
            raise full
    except BaseException:
        path.unlink(missing_ok=True)
        raise


HOP = SAMPLE_RATE // 10
CLIPPED_AT = 0.999
# ITU-R BS.1770: blocks of 400 ms overlapping by 75 %, an absolute and a relative gate.
BLOCK_HOPS, ABSOLUTE_GATE, RELATIVE_GATE, OFFSET = 4, -70.0, -10.0, -0.691
QUIET, LOUD = 15, 95


class LevelMeter:
    """Collects 100 ms energies of a 16 kHz signal, plain and K-weighted, from blocks of any length."""

    def __init__(self) -> None:
        from pyloudnorm import Meter

        filters = Meter(SAMPLE_RATE)._filters.values()
        self._filters = [(biquad.b, biquad.a, np.zeros(max(len(biquad.a), len(biquad.b)) - 1)) for biquad in filters]
        self._rest: tuple[Floats, ...] = (np.zeros(0), np.zeros(0))
        self._energies: tuple[list[Floats], ...] = ([], [])

    def push(self, block: Samples) -> None:
        if not len(block):  # scipy's filter would return a broken state for it
            return
        plain = block.astype(np.float64)
        for index, signal in enumerate((plain, self._weighted(plain))):
            signal = np.concatenate([self._rest[index], signal])
            complete = len(signal) // HOP * HOP
            self._energies[index].append((signal[:complete].reshape(-1, HOP) ** 2).mean(axis=1))
            self._rest = (*self._rest[:index], signal[complete:], *self._rest[index + 1 :])

    def _weighted(self, signal: Floats) -> Floats:
        from scipy.signal import lfilter

        for index, (b, a, state) in enumerate(self._filters):
            signal, state = lfilter(b, a, signal, zi=state)
            self._filters[index] = (b, a, state)
        return signal

    def loudness(self) -> float | None:
        """Integrated loudness in LUFS; None where nothing is above the gate or less than 400 ms are there."""
        hops = np.concatenate([*self._energies[1], np.zeros(0)])
        if len(hops) < BLOCK_HOPS:
            return None
        energy = np.convolve(hops, np.ones(BLOCK_HOPS) / BLOCK_HOPS, mode="valid")
        energy = energy[_lufs(energy) > ABSOLUTE_GATE]
        if not len(energy):
            return None
        energy = energy[_lufs(energy) > _lufs(energy.mean()) + RELATIVE_GATE]
        return round(float(_lufs(energy.mean())), 2)

    def signal_to_noise(self) -> float | None:
        """An estimate in dB: the loud tenths of a second (95th percentile) over the quiet ones (15th)."""
        hops = np.concatenate([*self._energies[0], np.zeros(0)])
        if len(hops) < 10:
            return None
        quiet, loud = np.percentile(hops, [QUIET, LOUD])
        if loud <= 0 or quiet <= 0:
            return None
        return round(float(10 * np.log10(loud / quiet)), 1)


def _lufs(energy: Floats | np.float64) -> Floats:
    return np.asarray(OFFSET + 10 * np.log10(np.maximum(energy, 1e-20)))

"""Whisper's transcripts of recordings, as they are or with other people talking in the background."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pipeline.arrays import Samples
from pipeline.evaluation.corpora import ingested
from pipeline.evaluation.wer.data import Recorded
from pipeline.progress import Progress, no_progress

_VOICES_BEHIND = 3


def transcript(audio: Path) -> str:
    """Whisper's transcript of a recording, with default settings."""
    from pipeline.records import Speech
    from pipeline.settings.diarize import DiarizeSettings
    from pipeline.settings.transcribe import TranscribeSettings
    from pipeline.stages.diarize import diarize
    from pipeline.stages.transcribe import transcribe

    with ingested(audio) as recording:
        turns = diarize(Speech(id=audio.stem), recording, None, settings=DiarizeSettings(mode="vad"))
        return transcribe(recording, turns, None, None, settings=TranscribeSettings()).text


def recognised(
    recordings: Sequence[Recorded], levels: Sequence[float], progress: Progress = no_progress
) -> Iterator[tuple[str, str]]:
    """(said, heard) of every recording as it is, and with the recordings after it so many decibels below it."""
    total, done = len(recordings) * (1 + len(levels)), 0
    for number, each in enumerate(recordings):
        progress(done / total, each.audio.name)
        yield each.said, transcript(each.audio)
        for level in levels:
            yield each.said, _transcript_with(each.audio, voices_behind(recordings, number), level)
        done += 1 + len(levels)


def voices_behind(recordings: Sequence[Recorded], number: int) -> list[Path]:
    """The recordings to mix into one of them: the next ones, without itself."""
    others = [*recordings[number + 1 :], *recordings[:number]]
    return [other.audio for other in others[:_VOICES_BEHIND]]


def _transcript_with(audio: Path, others: Sequence[Path], level: float) -> str:
    import soundfile

    voice, rate = _read(audio)
    mixed = with_voices(voice, [_read(other)[0] for other in others], level)
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{audio.stem}.wav"
        soundfile.write(file, mixed, rate)
        return transcript(file)


def _read(audio: Path) -> tuple[Samples, int]:
    import soundfile

    samples, rate = soundfile.read(audio, dtype="float32", always_2d=True)
    return samples.mean(axis=1), rate


def with_voices(voice: Samples, others: Sequence[Samples], level: float) -> Samples:
    """The voice with others in the background, together `level` decibels weaker. Short recordings are repeated."""
    behind = np.sum([np.resize(other, len(voice)) for other in others], axis=0)
    power = float(np.mean(behind**2))
    if not power:
        return voice
    gain = np.sqrt(np.mean(voice**2) / power / 10 ** (level / 10))
    mixed = voice + gain * behind
    return np.asarray(mixed / max(1.0, float(np.abs(mixed).max())), dtype=np.float32)

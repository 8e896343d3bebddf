"""Who speaks when."""

from collections.abc import Iterator
from importlib.metadata import version

import numpy as np

from pipeline.arrays import Samples
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, GivenTurns, Recording, Speech, Turn, Turns
from pipeline.settings.diarize import DiarizeSettings
from pipeline.stages import stage

# 65.536 s, a whole number of the voice activity model's frames.
_BLOCK = 2**20 / SAMPLE_RATE
# Speech much quieter than this is raised to it before the search: the model misses what is barely audible.
_LOUDNESS_LUFS = -23.0
_MAX_GAIN = 100.0


def _models(settings: DiarizeSettings) -> dict[str, str]:
    """Digests of the models that may run: with `auto` the speech decides. Voice activity comes with its package."""
    from pipeline.audio.speakers.diarization import weights

    activity = {"silero-vad": version("silero-vad")} if settings.mode in ("auto", "vad") else {}
    return activity | (weights(settings) if settings.mode in ("auto", "full") else {})


@stage(version=2, model=_models, uses_device=True, pace=0.1)
def diarize(
    speech: Speech,
    recording: Recording,
    given: GivenTurns | None,
    *,
    settings: DiarizeSettings,
    progress: Progress = no_progress,
) -> Turns:
    """Find who speaks when. For a speech with one known speaker, find only where there is speech."""
    from pipeline.audio.speakers.turns import turns_record

    if given is not None and settings.use_given:
        return turns_record(given.turns, recording.duration, "given")
    alone = speech.sole_speaker
    if settings.mode == "off":
        whole = Turn(start=0.0, end=recording.duration, speaker=alone)
        return turns_record([whole], recording.duration, "off")
    if settings.mode == "vad" or (settings.mode == "auto" and alone is not None):
        return _speech_only(recording, alone, settings, progress)

    from pipeline.audio.speakers.diarization import find_turns

    return find_turns(recording.audio.path, settings, speakers=len(speech.speakers) or None, progress=progress)


def _speech_only(recording: Recording, speaker: str | None, settings: DiarizeSettings, progress: Progress) -> Turns:
    from pipeline.audio.speakers.turns import turns_record
    from pipeline.audio.speech_activity import find_speech

    stretches = find_speech(
        _blocks(recording, progress),
        threshold=settings.speech_threshold,
        min_speech=settings.min_speech,
        min_silence=settings.min_silence,
        padding=settings.padding,
    )
    turns = [Turn(start=start, end=end, speaker=speaker) for start, end in stretches]
    return turns_record(turns, recording.duration, "voice activity")


def _blocks(recording: Recording, progress: Progress) -> Iterator[Samples]:
    """The recording a minute at a time, a quiet one raised to the loudness of ordinary speech."""
    gain = np.float32(1.0)
    if recording.loudness_lufs is not None:
        wanted = 10 ** ((_LOUDNESS_LUFS - recording.loudness_lufs) / 20)
        gain = np.float32(np.clip(wanted, 1.0, _MAX_GAIN))
    for start in np.arange(0.0, recording.duration, _BLOCK):
        progress(start / recording.duration, "speech activity")
        yield recording.samples(start, start + _BLOCK) * gain

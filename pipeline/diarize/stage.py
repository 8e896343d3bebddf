"""Finds who speaks when: the settings and the stage."""

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from pipeline.arrays import Samples
from pipeline.diarize.record import VOICE_ACTIVITY, Turns
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, GivenTurns, SpeakerCount, TimeSpan, Turn
from pipeline.settings import StageSettings
from pipeline.stage import stage
from pipeline.system.device import Device


class DiarizeSettings(StageSettings):
    """How speaker turns are found."""

    mode: Literal["auto", "off", "vad", "full"] = Field(
        "auto",
        description="full: find who speaks when. vad: only find when somebody speaks, which is faster. off: the whole "
        "recording is one turn. auto: vad if the corpus names one speaker, else full.",
    )
    use_given: bool = Field(
        True,
        description="Use the speaker turns (.rttm) of the corpus, if there are any, instead of finding turns.",
    )
    channels: Literal["auto", "mix", "speakers"] = Field(
        "auto",
        description="Recordings with several channels. speakers: every channel is the microphone of one speaker, and "
        "is transcribed by itself. mix: the channels are mixed. auto: speakers if the channels have different voices "
        "and hear little of one another, else mix.",
    )
    speech_threshold: float = Field(
        0.5, gt=0, lt=1, description="vad: a frame of 32 ms is speech above this probability."
    )
    min_speech: float = Field(0.25, ge=0, le=60, description="vad: leave out speech shorter than this many seconds.")
    min_silence: float = Field(
        0.3, ge=0, le=60, description="vad: join two turns that are separated by less than this many seconds."
    )
    padding: float = Field(0.1, ge=0, le=60, description="vad: extend every turn by this many seconds at both ends.")
    speakers: int | None = Field(
        None,
        ge=1,
        le=100,
        description="full: the exact number of speakers. Empty: the number of names in the manifest, or unknown.",
    )
    min_speakers: int | None = Field(None, ge=1, le=100, description="full: the lowest number of speakers.")
    max_speakers: int | None = Field(None, ge=1, le=100, description="full: the highest number of speakers.")
    pipeline: str | None = Field(
        None,
        description="full: use this pyannote pipeline, a name on the hub or the path of a local copy. Empty: use the "
        "models of the next two settings.",
    )
    segmentation: str = Field(
        "segmentation-3.0", description="full: pyannote's segmentation model, as a name, a name on the hub or a path."
    )
    embedding: str = Field(
        "campplus",
        description="full: the speaker embedding. campplus, ecapa (needs speechbrain), or a name on the hub or a path "
        "that pyannote can load.",
    )
    voices: bool = Field(
        True,
        description="Keep what each voice sounds like, as a vector, so that people who were named once are recognised "
        "in other recordings.",
    )
    allow_hub: bool = Field(False, description="full: allow downloading models that are not on this machine.")
    segmentation_step: float = Field(
        0.1,
        gt=0,
        le=1,
        description="full: the step of the ten-second window, as a share of its length. Larger steps are faster.",
    )
    embedding_step: float = Field(
        0.5,
        gt=0,
        le=0.5,
        description="full: the step between windows whose voices are compared, as a share of the window. A window in "
        "between takes over the voices of its neighbours. With the value of segmentation_step, every window is "
        "compared, as in pyannote.",
    )
    min_duration_off: float = Field(
        0.0, ge=0, le=60, description="full: fill silences of one speaker that are shorter than this many seconds."
    )
    clustering_threshold: float = Field(
        0.7, gt=0, le=2, description="full: voices with a smaller distance than this are the same speaker."
    )
    min_cluster_size: int = Field(
        12,
        ge=1,
        description="full: a voice that is heard in fewer windows than this joins the nearest other voice, if it is "
        "like one of them.",
    )
    device: Device = Field("auto", description="Where the models run. auto uses the first GPU if there is one.")

    @model_validator(mode="after")
    def _speakers_agree(self) -> "DiarizeSettings":
        if self.speakers and (self.min_speakers or self.max_speakers):
            raise ValueError("diarize.speakers is exact: set it, or diarize.min_speakers and max_speakers, not both")
        if self.min_speakers and self.max_speakers and self.min_speakers > self.max_speakers:
            raise ValueError("diarize.min_speakers is above diarize.max_speakers")
        return self


# 65.536 s, a whole number of the voice activity model's frames.
BLOCK = 2**20 / SAMPLE_RATE
# Speech much quieter than this is raised to it before the search: the model misses what is barely audible.
_LOUDNESS_LUFS = -23.0
_MAX_GAIN = 100.0


def _models(settings: DiarizeSettings) -> dict[str, str]:
    """Digests of the models that may run: with `auto` the speech decides. Voice activity comes with its package."""
    from pipeline.diarize.diarization import weights

    activity = {"silero-vad": version("silero-vad")} if settings.mode != "off" else {}
    return activity | (weights(settings) if settings.mode in ("auto", "full") else {})


@stage(version=5, model=_models, uses_device=True, pace=0.1)  # 4: looks at channels; 5: rare speakers
def diarize(
    names: SpeakerCount | None,
    recording: Recording,
    given: GivenTurns | None,
    *,
    settings: DiarizeSettings,
    progress: Progress = no_progress,
) -> Turns:
    """Find who speaks when. If only one person is known to speak, find only where there is speech.

    Voices are numbered. Their names are not read, so that a name can be filled in later.
    """
    from pipeline.diarize.record import turns_record

    if given is not None and settings.use_given:
        return turns_record(given.turns, recording.duration, "given")
    count = names.count if names else None
    if settings.mode == "off":
        return turns_record([Turn(start=0.0, end=recording.duration)], recording.duration, "off")
    if settings.mode == "vad" or (settings.mode == "auto" and count == 1):
        turns = [Turn(start=start, end=end) for start, end in _speech(recording, settings, progress)]
        return turns_record(turns, recording.duration, VOICE_ACTIVITY)
    if recording.channels is not None and settings.channels != "mix":
        from pipeline.diarize.channels import turns_of_channels

        if by_channel := turns_of_channels(recording, settings, count, progress):
            return by_channel

    from pipeline.diarize.diarization import find_turns

    # Recognition reads where anybody speaks, so that it need not be done again when other turns are found.
    speech = tuple(TimeSpan(start=start, end=end) for start, end in _speech(recording, settings, no_progress))
    diarized = find_turns(recording.audio.path, settings, speakers=count, progress=progress)
    return diarized.model_copy(update={"speech": speech})


def _speech(recording: Recording, settings: DiarizeSettings, progress: Progress) -> list[tuple[float, float]]:
    """(start, end) of every stretch in which somebody speaks."""
    return speech_in(_blocks(recording, progress), settings)


def speech_in(blocks: Iterable[Samples], settings: DiarizeSettings) -> list[tuple[float, float]]:
    """(start, end) of every stretch of speech in blocks of samples, by the settings for voice activity."""
    from pipeline.diarize.speech_activity import find_speech

    return find_speech(
        blocks,
        threshold=settings.speech_threshold,
        min_speech=settings.min_speech,
        min_silence=settings.min_silence,
        padding=settings.padding,
    )


def _blocks(recording: Recording, progress: Progress) -> Iterator[Samples]:
    """The recording a minute at a time, a quiet one raised to the loudness of ordinary speech."""
    gain = np.float32(1.0)
    if recording.loudness_lufs is not None:
        wanted = 10 ** ((_LOUDNESS_LUFS - recording.loudness_lufs) / 20)
        gain = np.float32(np.clip(wanted, 1.0, _MAX_GAIN))
    for start in np.arange(0.0, recording.duration, BLOCK):
        progress(start / recording.duration, "speech activity")
        yield recording.samples(start, start + BLOCK) * gain

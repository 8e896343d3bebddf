"""Finds who speaks when: the settings, the record and the stage."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from pipeline.arrays import Samples
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, GivenTurns, Record, SpeakerCount, TimeSpan, Turn, Word
from pipeline.settings import StageSettings
from pipeline.stage import stage
from pipeline.system.environment import Device


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


class Voice(Record):
    """What the voice of a speaker sounds like: a vector of length 1. `embedding` is the digest of what made it."""

    speaker: str
    vector: tuple[float, ...]
    embedding: str


# Methods that find turns by voice activity: of the whole recording, and of each channel.
VOICE_ACTIVITY, CHANNELS = "voice activity", "voice activity of each channel"


class Turns(Record):
    """Who spoke when. `turns` may overlap. `exclusive` turns do not; by them, words are assigned to speakers.

    `speech` is where anybody speaks, if that was found apart from who speaks. If each speaker has a microphone,
    `channels` has the speaker of each channel; None for one that nobody speaks into. `voices` has what speakers sound
    like, where they were told apart by that.
    """

    turns: tuple[Turn, ...]
    exclusive: tuple[Turn, ...]
    speakers: tuple[str, ...]
    method: str
    speech: tuple[TimeSpan, ...] | None = None
    channels: tuple[str | None, ...] = ()
    voices: tuple[Voice, ...] = ()

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """(start, end) of every stretch of speech, whoever speaks."""
        spans = self.exclusive if self.speech is None else self.speech
        return [(span.start, span.end) for span in spans]

    def stretches_of(self, speaker: str) -> list[tuple[float, float]]:
        """(start, end) of every turn of a speaker, also where others speak at the same time."""
        return [(turn.start, turn.end) for turn in self.turns if turn.speaker == speaker]

    def used(self, model: str) -> bool:
        if self.method in ("given", "off"):
            return False
        return (model == "silero-vad") == (self.method in (VOICE_ACTIVITY, CHANNELS))

    def figures(self) -> dict[str, float]:
        return {"speakers": len(self.speakers), "spoken": sum(turn.duration for turn in self.exclusive)}


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


# Turns that fit a recording, and the speaker of each word.


def turns_record(turns: Iterable[Turn], duration: float, method: str, exclusive: Sequence[Turn] | None = None) -> Turns:
    """The record of these turns, in order and cut to the recording; speakers in order of their first word."""
    fitted = _fitted(turns, duration)
    return Turns(
        turns=fitted,
        exclusive=exclusive_turns(fitted) if exclusive is None else _fitted(exclusive, duration),
        speakers=tuple(dict.fromkeys(turn.speaker for turn in fitted if turn.speaker is not None)),
        method=method,
    )


def exclusive_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns without overlap: who has the floor keeps it to the end of their turn."""
    exclusive: list[Turn] = []
    taken_until = 0.0
    for turn in sorted(turns, key=lambda turn: (turn.start, -turn.end)):
        start = max(turn.start, taken_until)
        if turn.end > start:
            exclusive.append(turn.model_copy(update={"start": start}))
            taken_until = turn.end
    return tuple(exclusive)


def _fitted(turns: Iterable[Turn], duration: float) -> tuple[Turn, ...]:
    ordered = sorted(turns, key=lambda turn: (turn.start, turn.end, turn.speaker or ""))
    cut = (turn.model_copy(update={"end": min(turn.end, duration)}) for turn in ordered)
    return tuple(turn for turn in cut if turn.end > turn.start)


def assign_speakers(words: Sequence[Word], turns: Turns, limit: float) -> tuple[Word, ...]:
    """The words, each with the speaker whose exclusive turns it overlaps most.

    A word that overlaps none gets the speaker of the nearest turn if that is at most `limit` seconds away, else None.
    """
    named = sorted((turn for turn in turns.exclusive if turn.speaker is not None), key=lambda turn: turn.start)
    if not words or not named:
        return tuple(word.model_copy(update={"speaker": None}) for word in words)
    times = np.array([(word.start, word.end) for word in words])
    speakers = list(dict.fromkeys(turn.speaker for turn in named))
    spans = np.array([(turn.start, turn.end) for turn in named])
    speaker_of = np.array([speakers.index(turn.speaker) for turn in named])

    overlap = np.stack([_overlap(times, spans[speaker_of == index]) for index in range(len(speakers))])
    chosen = overlap.argmax(axis=0)
    nearest, distance = _nearest(times, spans)
    apart = overlap.max(axis=0) <= 0
    chosen[apart] = speaker_of[nearest[apart]]
    nobody = apart & (distance > limit)
    return tuple(
        word.model_copy(update={"speaker": None if none else speakers[index]})
        for word, index, none in zip(words, chosen, nobody, strict=True)
    )


def _overlap(times: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """For each (start, end) of `times`, the seconds of it that lie in the spans, which do not overlap one another."""
    # The seconds spoken before a moment grow with it inside a span and stand still between two.
    lengths = spans[:, 1] - spans[:, 0]
    before = np.cumsum(lengths) - lengths
    spoken = np.interp(times.ravel(), spans.ravel(), np.stack([before, before + lengths], axis=1).ravel())
    starts, ends = spoken.reshape(times.shape).T
    return np.asarray(ends - starts)


def _nearest(times: np.ndarray, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The index of the span nearest to each of `times`, and how many seconds lie between them; the earlier on a tie."""
    following = np.searchsorted(spans[:, 0], times[:, 0], side="right")
    earlier, later = np.maximum(following - 1, 0), np.minimum(following, len(spans) - 1)
    gaps = np.stack([_gap(times, spans[earlier]), _gap(times, spans[later])])
    return np.where(gaps[0] <= gaps[1], earlier, later), gaps.min(axis=0)


def _gap(times: np.ndarray, spans: np.ndarray) -> np.ndarray:
    apart = np.maximum(spans[:, 0] - times[:, 1], times[:, 0] - spans[:, 1])
    return np.asarray(np.maximum(0.0, apart))

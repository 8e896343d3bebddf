"""Measures how each sentence sounds."""

import warnings
from collections.abc import Mapping
from importlib.metadata import version
from statistics import median
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from pipeline.diarize import Turns
from pipeline.errors import RostrumError, StorageError
from pipeline.ingest import Recording
from pipeline.records import SAMPLE_RATE, Attachment, Record, Seconds, Timed
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage
from pipeline.system import scratch
from pipeline.transcribe import Transcript


class ProsodySettings(StageSettings):
    """How the prosody of sentences is measured."""

    pitch_floor: float = Field(50.0, ge=50, description="The lowest pitch to find, in Hz.")
    pitch_ceiling: float = Field(500.0, le=2000, description="The highest pitch to find, in Hz.")
    voicing_threshold: float = Field(
        0.5, gt=0, lt=1, description="A frame is voiced above this confidence of the pitch tracker."
    )
    min_pause: float = Field(0.2, gt=0, description="A silence of at least this many seconds is a pause.")
    egemaps: bool = Field(
        False,
        description="Also compute the 88 eGeMAPS features of each sentence. Needs opensmile (pip install opensmile), "
        "whose licence is free for research only.",
    )

    @model_validator(mode="after")
    def _pitch_range(self) -> "ProsodySettings":
        if self.pitch_floor * 1.5 > self.pitch_ceiling:
            raise ValueError("prosody.pitch_ceiling must be at least 1.5 times prosody.pitch_floor")
        return self


class Measures(Timed, Record):
    """Features of a part of a speech: transcript words `first` up to, not including, `last`.

    `normalised` has each value in standard deviations from the mean of the speaker's parts. A feature that is not
    defined here is None in `values`, and `reasons` says why. If there are too few parts, or all are equal, `normalised`
    is None.
    """

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None
    values: dict[str, float | None]
    normalised: dict[str, float | None]
    reasons: dict[str, str]


class WordEmphasis(Record):
    """How much a word is stressed. `pitch`, `energy` and `duration` are in standard deviations from the speaker's mean.

    `emphasis` is the mean of the three.
    """

    emphasis: float | None
    pitch: float | None
    energy: float | None
    duration: float | None
    reason: str | None = None


class SpeakerNorm(Record):
    """A speaker's mean and standard deviation of each feature, over their sentences."""

    speaker: str | None
    count: int
    mean: dict[str, float]
    deviation: dict[str, float]


class Prosody(Record):
    """How a speech sounds: features of each sentence and of each group of words between pauses, emphasis of each word.

    `contours` is an .npz with one array per contour and one frame every 10 ms, NaN where a value is not defined.
    `egemaps`, if a setting asks for it, is an .npz with the features of the eGeMAPS set, one row per sentence.
    """

    sentences: tuple[Measures, ...]
    groups: tuple[Measures, ...]
    words: tuple[WordEmphasis, ...]
    speakers: tuple[SpeakerNorm, ...]
    contours: Attachment
    egemaps: Attachment | None = None

    def figures(self) -> dict[str, float]:
        pitches = [value for sentence in self.sentences if (value := sentence.values.get("f0_median")) is not None]
        return {"pitch": median(pitches)} if pitches else {}


def _models(settings: ProsodySettings) -> dict[str, str]:
    """The pitch model is part of its package, and so is openSMILE's configuration."""
    packages = ["swift-f0", "opensmile"] if settings.egemaps else ["swift-f0"]
    return {name: version(name) for name in packages}


@stage(version=2, model=_models, pace=0.01)  # 2: syllables and filled pauses of the language that is spoken
def prosody(
    recording: Recording,
    transcript: Transcript,
    sentences: Sentences,
    turns: Turns | None,
    *,
    settings: ProsodySettings,
) -> Prosody:
    """Measure pitch, loudness, pace, pauses and voice of every sentence, and the emphasis of every word."""
    from pipeline.prosody.contours import contours
    from pipeline.prosody.prosody import Sound, group_measures, sentence_measures, speaker_norms

    if not transcript.words:
        raise Skip("nobody speaks")
    frames, cycles = contours(
        recording.samples,
        recording.duration,
        bandwidth=min(recording.source_rate, 16_000) / 2,
        floor=settings.pitch_floor,
        ceiling=settings.pitch_ceiling,
        threshold=settings.voicing_threshold,
    )
    sound = Sound.from_transcript(frames, cycles, transcript, turns, settings.min_pause)
    rows = sentence_measures(sound, sentences.sentences)
    return Prosody(
        sentences=rows,
        groups=group_measures(sound, sentences.sentences),
        words=sound.word_emphasis,
        speakers=speaker_norms(rows),
        contours=_attached(frames.arrays()),
        egemaps=_attached(egemaps(recording, sentences)) if settings.egemaps else None,
    )


def _attached(arrays: Mapping[str, Any]) -> Attachment:
    path = scratch.new_file(".npz")
    try:
        np.savez_compressed(path, **arrays)
        return Attachment.of(path, temporary=True)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StorageError(f"{path}: cannot write it: {error.strerror or error}") from error


def egemaps(recording: Recording, sentences: Sentences) -> dict[str, Any]:
    """The extended Geneva Minimalistic Acoustic Parameter Set, by openSMILE, which is free for research only.

    `names` are those of its 88 functionals, `values` has a row of them for each sentence, NaN where one is too short.
    """
    try:
        import opensmile
    except ImportError as error:
        raise RostrumError(
            "prosody.egemaps=true needs openSMILE: pip install opensmile (its licence is free for research only)"
        ) from error
    smile = opensmile.Smile(
        feature_set=opensmile.FeatureSet.eGeMAPSv02, feature_level=opensmile.FeatureLevel.Functionals
    )
    rows = np.full((len(sentences.sentences), len(smile.feature_names)), np.nan, dtype=np.float32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Segment too short")
        for row, sentence in zip(rows, sentences.sentences, strict=True):
            row[:] = smile.process_signal(recording.samples(sentence.start, sentence.end), SAMPLE_RATE).to_numpy()[0]
    return {"names": np.array(smile.feature_names), "values": rows}

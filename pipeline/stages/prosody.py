"""Sentences become Prosody: how each of them sounds."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from pipeline.errors import StorageError
from pipeline.records import Attachment, Prosody, Recording, Sentences, Transcript, Turns
from pipeline.settings.prosody import ProsodySettings
from pipeline.stages import Skip, stage
from pipeline.system import scratch


def _models(settings: ProsodySettings) -> dict[str, str]:
    """The pitch model is part of its package, and so is openSMILE's configuration."""
    packages = ["swift-f0", "opensmile"] if settings.egemaps else ["swift-f0"]
    return {name: version(name) for name in packages}


@stage(version=1, model=_models, pace=0.01)
def prosody(
    recording: Recording,
    transcript: Transcript,
    sentences: Sentences,
    turns: Turns | None,
    *,
    settings: ProsodySettings,
) -> Prosody:
    """Measure pitch, loudness, pace, pauses and voice of every sentence, and the emphasis of every word."""
    from pipeline.audio.voice.contours import contours
    from pipeline.audio.voice.prosody import Sound, group_measures, sentence_measures, speaker_norms

    if not transcript.words:
        raise Skip("nobody speaks")
    found, cycles = contours(
        recording.samples,
        recording.duration,
        bandwidth=min(recording.source_rate, 16_000) / 2,
        floor=settings.pitch_floor,
        ceiling=settings.pitch_ceiling,
        threshold=settings.voicing_threshold,
    )
    sound = Sound.of(found, cycles, transcript, turns, settings.min_pause)
    rows = sentence_measures(sound, sentences.sentences)
    return Prosody(
        sentences=rows,
        groups=group_measures(sound, sentences.sentences),
        words=sound.word_emphasis,
        speakers=speaker_norms(rows),
        contours=_attached(found.arrays()),
        egemaps=_egemaps(recording, sentences) if settings.egemaps else None,
    )


def _egemaps(recording: Recording, sentences: Sentences) -> Attachment:
    from pipeline.audio.voice.egemaps import egemaps

    names, values = egemaps(recording.samples, [(each.start, each.end) for each in sentences.sentences])
    return _attached({"names": np.array(names), "values": values})


def _attached(arrays: Mapping[str, Any]) -> Attachment:
    path = scratch.new_file(".npz")
    try:
        np.savez_compressed(path, **arrays)
        return Attachment.of(path, temporary=True)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StorageError(f"{path}: cannot write it: {error.strerror or error}") from error

"""The vector of a voice: what the speaker embedding makes of what one person says."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pipeline import models
from pipeline.arrays import Floats, Samples
from pipeline.diarize.stage import DiarizeSettings, Voice, diarize
from pipeline.ingest import Recording
from pipeline.records import SpeakerCount, TimeSpan

# A voice is made of so many seconds of what is said, in pieces of this length, the longest first.
_SECONDS, _PIECE = 30.0, 10.0
# Shorter pieces tell little of a voice; they are taken where there are no others.
_SHORT, _SHORTEST = 1.5, 0.1


@functools.lru_cache(maxsize=1)
def embedding_model(embedding: str, allow_hub: bool) -> Any:
    """The network that embeds voices, loaded once: it takes waveforms (voices, 1, samples)."""
    from pipeline.diarize.diarization import import_pyannote

    import_pyannote()
    from pipeline.diarize.pyannote_pipeline import SpeakerEmbedding, load_model
    from pipeline.diarize.speaker_embedding import EMBEDDINGS

    found = models.find(embedding, allow_hub=allow_hub)
    return SpeakerEmbedding(found.name, found.path) if found.name in EMBEDDINGS else load_model(found.path)


def voice_of(
    stretches: Sequence[tuple[float, float]], read: Callable[[float, float], Samples], settings: DiarizeSettings
) -> Floats | None:
    """The vector, of length 1, of whoever speaks in these stretches; None if they are too short for one.

    `read` gives the samples between two times.
    """
    import torch

    network = embedding_model(settings.embedding, settings.allow_hub)
    device = next(network.parameters()).device
    vectors = []
    with torch.inference_mode():
        for start, end in _pieces(stretches):
            samples = torch.from_numpy(read(start, end)).to(device)
            vector = np.asarray(network(samples[None, None])[0].cpu(), dtype=np.float64)
            if np.isfinite(vector).all():
                vectors.append(vector / np.linalg.norm(vector) * (end - start))
    total = np.sum(vectors, axis=0) if vectors else None
    return None if total is None else np.asarray(total / np.linalg.norm(total))


def _pieces(stretches: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The longest stretches, in pieces, until they are long enough for a voice."""
    left = _SECONDS
    for start, end in sorted(stretches, key=lambda stretch: stretch[0] - stretch[1]):
        while left >= _SHORT and end - start >= (_SHORT if left < _SECONDS else _SHORTEST):
            stop = min(end, start + _PIECE, start + left)
            yield start, stop
            left -= stop - start
            start = stop


def voice_record(speaker: str, vector: Floats, settings: DiarizeSettings) -> Voice:
    """The record of a voice, made by what the settings name."""
    from pipeline.diarize.diarization import weights

    embedding = weights(settings)[settings.pipeline or settings.embedding]
    unit = vector / np.linalg.norm(vector)
    return Voice(speaker=speaker, vector=tuple(round(float(x), 4) for x in unit), embedding=embedding)


def voice_in(
    recording: Recording, settings: DiarizeSettings, start: float = 0.0, end: float | None = None
) -> Voice | None:
    """What the only speaker of a recording, or of a part of it, sounds like; None if nobody speaks for long enough."""
    alone = diarize(SpeakerCount(count=1), recording, None, settings=settings.model_copy(update={"mode": "vad"}))
    part = TimeSpan(start=start, end=recording.duration if end is None else end)
    spoken = [both for turn in alone.turns if (both := turn & part)]
    vector = voice_of([(span.start, span.end) for span in spoken], recording.samples, settings)
    return None if vector is None else voice_record("", vector, settings)


def distance(one: Floats, other: Floats) -> float:
    """How far apart two voices are: 0 for the same vector, 1.41 for vectors that have nothing in common."""
    return float(np.linalg.norm(one - other))

"""What a recogniser heard in a recording, kept on this machine, so that the same speech is recognised once.

`rostrum transcribe`, `rostrum run` and runs with other settings for who speaks when all find it here.
"""

import json
import os
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.arrays import Samples
from pipeline.diarize import Turns
from pipeline.errors import RostrumError
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, Word
from pipeline.system.digest_cache import DigestCache
from pipeline.transcribe.recogniser import Stretch, Translator, engine
from pipeline.transcribe.stage import Segment, TranscribeSettings

# The value of $ROSTRUM_TRANSCRIPTS with which nothing is kept, and nothing that was kept is used.
OFF = "off"
# Raised when recognition gives other words for the same speech, settings and models.
_VERSION = 7  # 5: languages are tried, fewer steps; 7: windows together, without times of utterances
# Settings that say what becomes of the words, not which words they are.
_AFTERWARDS = {"max_speaker_gap", "use_corrected", "text", "translate"}
# What ends an utterance: one of these marks, or so many seconds in which its speaker says nothing.
_FULL_STOPS, _PAUSE = (".", "!", "?"), 0.5


class Recognition(BaseModel):
    """The words that were recognised, without speakers, and by what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: tuple[Word, ...]
    segments: tuple[Segment, ...]
    language: str
    language_probability: float | None
    punctuated: bool
    keeps_hesitations: bool
    recogniser: str
    device: str


class _Part(NamedTuple):
    """What is recognised by itself: stretches of a recording, or those of one speaker's channel."""

    stretches: list[Stretch]
    channel: int | None = None
    speaker: str | None = None

    @property
    def seconds(self) -> float:
        return sum(end - start for start, end in self.stretches)

    def read(self, recording: Recording, start: float, end: float) -> Samples:
        """Samples from `start` to `end` seconds. A channel is silent outside of the stretches, where others speak."""
        if self.channel is None:
            return recording.samples(start, end)
        samples = recording.channel_samples(start, end)[:, self.channel]
        spoken = np.zeros(len(samples), dtype=samples.dtype)
        for first, last in self.stretches:
            spoken[round(max(0.0, first - start) * SAMPLE_RATE) : round(max(0.0, last - start) * SAMPLE_RATE)] = 1.0
        return samples * spoken


def _parts(turns: Turns) -> list[_Part]:
    """The channels that somebody speaks into; the whole recording if it has none."""
    spoken = [(channel, speaker) for channel, speaker in enumerate(turns.channels) if speaker is not None]
    by_channel = [_Part(turns.stretches_of(speaker), channel, speaker) for channel, speaker in spoken]
    return by_channel or [_Part(turns.stretches)]


def recognise(
    recording: Recording,
    turns: Turns,
    prompt: str | None,
    settings: TranscribeSettings,
    progress: Progress = no_progress,
    *,
    translated_from: str | None = None,
) -> Recognition:
    """The words of a recording, from the cache if they were recognised before; in English if they are translated.

    If every speaker has a channel, each channel is recognised by itself, and its words have its speaker.
    """
    parts = _parts(turns)
    total = sum(part.seconds for part in parts) or 1.0
    heard, done = [], 0.0
    for part in parts:
        key = _key(recording, part, prompt, settings, translated_from)
        if (recognition := _kept(key)) is None:

            def report(share: float, what: str, *, before: float = done, own: float = part.seconds) -> None:
                progress((before + share * own) / total, what)

            recogniser, read = engine(settings).load(settings), partial(part.read, recording)
            if translated_from is None:
                said = recogniser.transcribe(read, part.stretches, prompt, report)
            elif isinstance(recogniser, Translator):
                said = recogniser.translate(read, part.stretches, translated_from, report)
            else:
                raise RostrumError(f"transcribe.translate: the recogniser {recogniser.name} does not translate")
            recognition = Recognition(**said._asdict(), recogniser=recogniser.name, device=recogniser.device)
            if cache := _cache():
                cache.put({key: recognition.model_dump_json().encode()})
        words = tuple(word.model_copy(update={"speaker": part.speaker}) for word in recognition.words)
        heard.append(recognition.model_copy(update={"words": words}))
        done += part.seconds
    return heard[0] if len(heard) == 1 else _together(heard)


def _together(heard: Sequence[Recognition]) -> Recognition:
    """What was heard in several channels, in one. Its language is that of the channel with the most words."""
    segments = sorted(chain.from_iterable(one.segments for one in heard), key=lambda segment: segment.start)
    most = max(heard, key=lambda one: len(one.words))
    words = _by_utterance(one.words for one in heard)
    return most.model_copy(update={"words": words, "segments": tuple(segments)})


def _by_utterance(words_by_speaker: Iterable[Sequence[Word]]) -> tuple[Word, ...]:
    """The words of several speakers in the order in which their utterances begin.

    An utterance ends at a full stop or a pause. While two speak at once, neither's words part those of the other.
    """
    utterances: list[list[Word]] = []
    for words in words_by_speaker:
        for before, word in zip((None, *words), words, strict=False):
            if before is None or before.text.endswith(_FULL_STOPS) or word.start - before.end >= _PAUSE:
                utterances.append([])
            utterances[-1].append(word)
    utterances.sort(key=lambda said: said[0].start)
    return tuple(chain.from_iterable(utterances))


def is_kept(recording: Recording, turns: Turns, prompt: str | None, settings: TranscribeSettings) -> bool:
    """Whether all of it was recognised before, by the same settings and models."""
    return all(_kept(_key(recording, part, prompt, settings)) for part in _parts(turns))


def _kept(key: str) -> Recognition | None:
    """What was recognised before; None if nothing was."""
    cache = _cache()
    content = cache.get([key]).get(key) if cache else None
    try:
        return Recognition.model_validate_json(content) if content else None
    except ValidationError:  # damaged, or of another version: it is recognised again
        return None


def keeps_recognitions() -> bool:
    """Whether what is recognised is kept on this machine, and used again."""
    return _cache() is not None


def _cache() -> DigestCache | None:
    """The recognised speech in $ROSTRUM_TRANSCRIPTS, else in ~/.cache/rostrum/transcripts. None if it is off."""
    folder = os.environ.get("ROSTRUM_TRANSCRIPTS") or "~/.cache/rostrum/transcripts"
    return None if folder == OFF else DigestCache(Path(folder).expanduser() / "recognised.sqlite", "recognitions")


def _key(
    recording: Recording,
    part: _Part,
    prompt: str | None,
    settings: TranscribeSettings,
    translated_from: str | None = None,
) -> str:
    """Everything that decides which words are recognised, as text."""
    decisive = {name: value for name, value in settings.decisive().items() if name not in _AFTERWARDS}
    weights = engine(settings).weights(settings)
    what: list[Any] = [_VERSION, recording.digest(), part.channel, part.stretches, prompt, decisive, weights]
    what += [] if translated_from is None else ["translated", translated_from]
    return json.dumps(what, sort_keys=True)

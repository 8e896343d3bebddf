"""What a recogniser heard in a recording, kept on this machine, so that the same speech is recognised once.

`rostrum transcribe`, `rostrum run` and runs with other settings for who speaks when all find it here.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import Word
from pipeline.system.digest_cache import DigestCache
from pipeline.transcribe.recogniser import Stretch, engine
from pipeline.transcribe.record import Segment
from pipeline.transcribe.stage import TranscribeSettings

# The value of $ROSTRUM_TRANSCRIPTS with which nothing is kept, and nothing that was kept is used.
OFF = "off"
# Raised when recognition gives other words for the same speech, settings and models.
_VERSION = 2  # 2: tries again only within the steps that a window may take
# Settings that say what becomes of the words, not which words they are.
_AFTERWARDS = {"max_speaker_gap", "use_corrected", "text"}


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


def recognise(
    recording: Recording,
    stretches: Sequence[Stretch],
    prompt: str | None,
    settings: TranscribeSettings,
    progress: Progress = no_progress,
) -> Recognition:
    """The words of these stretches of a recording, from the cache if they were recognised before."""
    if kept := kept_recognition(recording, stretches, prompt, settings):
        return kept
    recogniser = engine(settings).load(settings)
    heard = recogniser.transcribe(recording.samples, stretches, prompt, progress)
    recognition = Recognition(**heard._asdict(), recogniser=recogniser.name, device=recogniser.device)
    key = _key(recording, stretches, prompt, settings)
    if cache := _cache():
        cache.put({key: recognition.model_dump_json().encode()})
    return recognition


def kept_recognition(
    recording: Recording, stretches: Sequence[Stretch], prompt: str | None, settings: TranscribeSettings
) -> Recognition | None:
    """What was recognised before of these stretches, by the same settings and models; None if nothing was."""
    cache = _cache()
    if cache is None:
        return None
    key = _key(recording, stretches, prompt, settings)
    content = cache.get([key]).get(key)
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


def _key(recording: Recording, stretches: Sequence[Stretch], prompt: str | None, settings: TranscribeSettings) -> str:
    """Everything that decides which words are recognised, as text."""
    decisive = {name: value for name, value in settings.decisive().items() if name not in _AFTERWARDS}
    weights = engine(settings).weights(settings)
    return json.dumps([_VERSION, recording.digest(), stretches, prompt, decisive, weights], sort_keys=True)

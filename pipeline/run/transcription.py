"""Transcribes one recording, without a corpus and without a run. Transcripts are cached."""

import hashlib
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.diarize.record import Turns
from pipeline.errors import StorageError
from pipeline.ingest.record import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records.base import Record
from pipeline.records.corpus import AudioFile, Speech
from pipeline.run.configuration import Settings
from pipeline.run.storage import LocalStorage
from pipeline.segment.record import Sentences
from pipeline.stage import stage_named
from pipeline.transcribe.record import Transcript

_LOG = logging.getLogger(__name__)
STAGES = ("ingest", "diarize", "transcribe", "segment")


class Transcription(BaseModel):
    """The speaker turns, words and sentences of a recording."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    duration: float
    turns: Turns
    transcript: Transcript
    sentences: Sentences


def transcribe_recording(path: Path, settings: Settings, progress: Progress = no_progress) -> Transcription:
    """The transcript of a recording, from the cache if it was transcribed before.

    A missing model is an error before the recording is decoded.
    """
    audio = AudioFile(path=path)
    name = _name(audio, settings)
    found = _read(name)
    if found is None:
        found = _made(audio, settings, progress)
        try:
            _cache().write(name, found.model_dump_json().encode())
        except StorageError as error:
            _LOG.warning("the transcript is not cached: %s", error)
    return found


def refuse_missing_models(settings: Settings) -> None:
    """Raise an error if a model is missing that transcribing with these settings needs."""
    from pipeline.run.preflight import check_models

    for name in STAGES:
        check_models(name, settings)


def cached(path: Path, settings: Settings) -> Transcription | None:
    """The cached transcript of a recording, made with these settings and models; None if there is none."""
    return _read(_name(AudioFile(path=path), settings))


def cache_folder() -> Path:
    """The folder of cached transcripts: $ROSTRUM_TRANSCRIPTS, else ~/.cache/rostrum/transcripts."""
    folder = os.environ.get("ROSTRUM_TRANSCRIPTS")
    return Path(folder).expanduser() if folder else Path.home() / ".cache" / "rostrum" / "transcripts"


def _made(audio: AudioFile, settings: Settings, progress: Progress) -> Transcription:
    """Call the stages one after the other."""
    reporters = dict(_reporters(progress))

    def do(name: str, *inputs: Record | None) -> Any:
        stage = stage_named(name)
        reporting = {"progress": reporters[name]} if stage.reports else {}
        return stage(*inputs, settings=settings.of(name), **reporting)

    recording: Recording = do("ingest", audio)
    try:
        turns: Turns = do("diarize", Speech(id=audio.path.stem), recording, None)
        transcript: Transcript = do("transcribe", recording, turns, None, None)
    finally:
        for attachment in recording.attachments():
            attachment.discard()
    sentences: Sentences = do("segment", transcript)
    progress(1.0, "")
    return Transcription(duration=recording.duration, turns=turns, transcript=transcript, sentences=sentences)


def _reporters(progress: Progress) -> Iterator[tuple[str, Progress]]:
    """For each stage a function that reports its progress as a share of all stages. Each counts by its pace."""
    stages = [stage_named(name) for name in STAGES]
    total = sum(stage.pace for stage in stages)
    done = 0.0
    for stage in stages:

        def report(share: float, what: str, *, before: float = done, pace: float = stage.pace) -> None:
            progress((before + share * pace) / total, what)

        yield stage.name, report
        done += stage.pace


def _name(audio: AudioFile, settings: Settings) -> str:
    """The name of the transcript in the cache: a digest of everything that decides it."""
    stages = [stage_named(name) for name in STAGES]
    decisive = {
        stage.name: {
            "version": stage.version,
            "settings": own.decisive() if (own := settings.of(stage.name)) else {},
            "model": _model(stage.name, settings),
        }
        for stage in stages
    }
    content = json.dumps({"recording": audio.digest(), "stages": decisive}, sort_keys=True)
    return f"{hashlib.sha256(content.encode()).hexdigest()}.json"


def _model(name: str, settings: Settings) -> dict[str, str]:
    """Name and digest of the weights that a stage uses."""
    stage = stage_named(name)
    return dict(stage.model(settings.of(name))) if stage.model else {}


def _cache() -> LocalStorage:
    return LocalStorage(cache_folder())


def _read(name: str) -> Transcription | None:
    content = _cache().read(name)
    try:
        return Transcription.model_validate_json(content) if content else None
    except ValidationError:
        return None  # damaged, or written by another version; it is made again


# Transcribes recordings one by one: finds them, decides where each transcript goes, and overwrites no other file.

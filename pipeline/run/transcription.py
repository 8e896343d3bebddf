"""Transcribes one recording, without a corpus and without a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from pipeline.diarize import Turns
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import AudioFile, Record
from pipeline.run.configuration import Settings
from pipeline.segment import Sentences
from pipeline.stage import stage_named
from pipeline.transcribe import TranscribeSettings, Transcript, is_kept

STAGES = ("ingest", "diarize", "transcribe", "segment")


class Transcription(BaseModel):
    """The speaker turns, words and sentences of a recording."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    duration: float
    turns: Turns
    transcript: Transcript
    sentences: Sentences


def transcribe_recording(path: Path, settings: Settings, progress: Progress = no_progress) -> Transcription:
    """The transcript of a recording. Speech that was recognised before is not recognised again.

    A missing model is an error before the recording is decoded.
    """
    return _Stages(settings, progress).transcription(AudioFile(path=path))


def is_recognised(path: Path, settings: Settings) -> bool:
    """Whether the speech of a recording was recognised before, with these settings and models."""
    return _Stages(settings).is_recognised(AudioFile(path=path))


def refuse_missing_models(settings: Settings) -> None:
    """Raise an error if a model is missing that transcribing with these settings needs."""
    from pipeline.run.preflight import check_models

    for name in STAGES:
        check_models(name, settings)


class _Stages:
    """Calls the stages one after the other. Each counts for the progress by its pace."""

    def __init__(self, settings: Settings, progress: Progress = no_progress) -> None:
        # A recording alone has no reference transcript.
        own = settings.of("transcribe")
        assert isinstance(own, TranscribeSettings)
        transcribing = own.model_copy(update={"text": "recognised"})
        self._settings = settings.model_copy(update={"transcribe": transcribing})
        self._reporters = dict(_reporters(progress))

    def transcription(self, audio: AudioFile) -> Transcription:
        recording: Recording = self._do("ingest", audio)
        try:
            turns: Turns = self._do("diarize", None, recording, None)
            transcript: Transcript = self._do("transcribe", recording, turns, None, None, None)
        finally:
            _discard(recording)
        sentences: Sentences = self._do("segment", transcript)
        return Transcription(duration=recording.duration, turns=turns, transcript=transcript, sentences=sentences)

    def is_recognised(self, audio: AudioFile) -> bool:
        recording: Recording = self._do("ingest", audio)
        try:
            turns: Turns = self._do("diarize", None, recording, None)
            settings = self._settings.of("transcribe")
            assert isinstance(settings, TranscribeSettings)
            return is_kept(recording, turns, None, settings)
        finally:
            _discard(recording)

    def _do(self, name: str, *inputs: Record | None) -> Any:
        stage = stage_named(name)
        reporting = {"progress": self._reporters[name]} if stage.reports else {}
        return stage(*inputs, settings=self._settings.of(name), **reporting)


def _discard(recording: Recording) -> None:
    for attachment in recording.attachments():
        attachment.discard()


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

"""Transcribes one recording, without a corpus and without a run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.diarize import Turns
from pipeline.ingest import IngestSettings, Recording, ingested
from pipeline.progress import Progress, no_progress
from pipeline.run.configuration import Settings
from pipeline.segment import Sentences
from pipeline.stage import stage_named
from pipeline.transcribe import TranscribeSettings, Transcript, is_kept, transcribe

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
    report = dict(_reporters(progress))
    with _heard(path, settings, report) as (recording, turns):
        own = _transcribing(settings)
        transcript = transcribe(recording, turns, None, None, None, settings=own, progress=report["transcribe"])
    sentences = stage_named("segment")(transcript, settings=settings.of("segment"))
    return Transcription(duration=recording.duration, turns=turns, transcript=transcript, sentences=sentences)


def is_recognised(path: Path, settings: Settings) -> bool:
    """Whether the speech of a recording was recognised before, with these settings and models."""
    with _heard(path, settings, dict(_reporters(no_progress))) as (recording, turns):
        return is_kept(recording, turns, None, _transcribing(settings))


def refuse_missing_models(settings: Settings) -> None:
    """Raise an error if a model is missing that transcribing with these settings needs."""
    from pipeline.run.inputs import check_models

    for name in STAGES:
        check_models(name, settings)


@contextmanager
def _heard(path: Path, settings: Settings, report: Mapping[str, Progress]) -> Iterator[tuple[Recording, Turns]]:
    """A recording, for as long as it is looked at, and who speaks when in it."""
    with ingested(path, settings.own(IngestSettings), report["ingest"]) as recording:
        diarize = stage_named("diarize")
        yield recording, diarize(None, recording, None, settings=settings.of("diarize"), progress=report["diarize"])


def _transcribing(settings: Settings) -> TranscribeSettings:
    """The settings of `transcribe`. A recording alone has no reference transcript."""
    return settings.own(TranscribeSettings).model_copy(update={"text": "recognised"})


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

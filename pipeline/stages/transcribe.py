"""Speech becomes words with times."""

from typing import Any

from pipeline.audio.assign import assign_speakers
from pipeline.errors import RostrumError
from pipeline.records import GivenTranscript, Motion, Recording, Transcript, Turns
from pipeline.settings import TranscribeSettings
from pipeline.stage import Skip, stage


def _weights(settings: TranscribeSettings) -> dict[str, str]:
    from pipeline.asr import whisper

    return {settings.model: whisper.digest(settings.model)}


@stage(version=1, model=_weights, heavy=True)
def transcribe(
    recording: Recording | None,
    turns: Turns | None,
    motion: Motion | None,
    given: GivenTranscript | None,
    *,
    settings: TranscribeSettings,
) -> Transcript:
    """Decode where somebody speaks, and only there; without a recording, take the transcript that was given."""
    if recording is None or turns is None:
        if given is None:
            raise Skip("no recording and no transcript given")
        return Transcript(words=given.words, language="en", recogniser=given.source, device="none", punctuated=False)
    from pipeline.asr import whisper

    recogniser = whisper.load(settings.model, settings.device)
    recognised = recogniser.transcribe(
        recording.samples, [(turn.start, turn.end) for turn in turns.turns], **_options(settings, motion)
    )
    return Transcript(
        words=assign_speakers(recognised.words, turns, settings.max_speaker_gap),
        language=recognised.language,
        recogniser=f"whisper {recogniser.name}",
        device=recogniser.device,
        punctuated=True,
        segments=recognised.segments,
    )


def _options(settings: TranscribeSettings, motion: Motion | None) -> dict[str, Any]:
    if settings.prompt == "motion" and motion is None:
        raise RostrumError("transcribe.prompt=motion: this speech has no motion; name it in speeches.csv")
    return {
        "language": settings.language,
        "max_pause": settings.max_pause,
        "initial_prompt": motion.text if motion and settings.prompt == "motion" else None,
        "beam_size": settings.beam_size if settings.beam_size > 1 else None,
        "condition_on_previous_text": settings.condition_on_previous_text,
        "temperature": settings.temperatures,
        "compression_ratio_threshold": settings.compression_ratio_threshold,
        "logprob_threshold": settings.logprob_threshold,
        "no_speech_threshold": settings.no_speech_threshold,
    }

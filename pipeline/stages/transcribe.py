"""Speech becomes words with times."""

from typing import TYPE_CHECKING

from pipeline.audio.assign import assign_speakers
from pipeline.errors import RostrumError
from pipeline.records import GivenTranscript, Motion, Recording, Transcript, Turns
from pipeline.settings import TranscribeSettings
from pipeline.stages import Skip, stage

if TYPE_CHECKING:
    from pipeline.asr.whisper import Options


def _weights(settings: TranscribeSettings) -> dict[str, str]:
    from pipeline.asr import whisper

    return {settings.model: whisper.digest(settings.model)}


@stage(version=3, model=_weights, uses_device=True)
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
    stretches = [(turn.start, turn.end) for turn in turns.exclusive]
    recognised = recogniser.transcribe(recording.samples, stretches, _options(settings, motion))
    return Transcript(
        words=assign_speakers(recognised.words, turns, settings.max_speaker_gap),
        language=recognised.language,
        recogniser=f"whisper {recogniser.name}",
        device=recogniser.device,
        punctuated=True,
        segments=recognised.segments,
    )


def _options(settings: TranscribeSettings, motion: Motion | None) -> "Options":
    from pipeline.asr.whisper import Options

    if settings.prompt == "motion" and motion is None:
        raise RostrumError("transcribe.prompt=motion: this speech has no motion; name it in speeches.csv")
    prompt = motion.text if motion and settings.prompt == "motion" else None
    return Options(
        initial_prompt=prompt, **settings.model_dump(exclude={"model", "device", "prompt", "max_speaker_gap"})
    )

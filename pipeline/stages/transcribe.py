"""Speech becomes words with times."""

from pipeline.audio.speakers.assign import assign_speakers
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import Correction, GivenTranscript, Motion, Recording, Transcript, Turns
from pipeline.settings.transcribe import TranscribeSettings
from pipeline.stages import Skip, stage


def _weights(settings: TranscribeSettings) -> dict[str, str]:
    from pipeline.asr.recogniser import engine

    return engine(settings).weights(settings)


def _side_by_side(settings: TranscribeSettings) -> bool:
    from pipeline.asr.recogniser import engine

    return engine(settings).side_by_side(settings)


@stage(
    version=3,
    model=_weights,
    uses_device=True,
    side_by_side=_side_by_side,
    one_of=("recording", "given"),
    pace=0.1,
)
def transcribe(
    recording: Recording | None,
    turns: Turns | None,
    motion: Motion | None,
    given: GivenTranscript | None,
    *,
    settings: TranscribeSettings,
    progress: Progress = no_progress,
) -> Transcript:
    """Transcribe the speaker turns. Uses the given transcript if there is no recording, and a corrected one instead."""
    if given is not None and given.correction is not None and settings.use_corrected:
        return _corrected(given.correction)
    if recording is None or turns is None:
        if given is None or not given.words:
            raise Skip("no recording and no transcript given")
        return Transcript(words=given.words, language="en", recogniser=given.source, device="none", punctuated=False)
    from pipeline.asr.recogniser import engine

    recogniser = engine(settings).load(settings)
    stretches = [(turn.start, turn.end) for turn in turns.exclusive]
    recognised = recogniser.transcribe(recording.samples, stretches, _prompt(settings, motion), progress)
    return Transcript(
        words=assign_speakers(recognised.words, turns, settings.max_speaker_gap),
        language=recognised.language,
        recogniser=recogniser.name,
        device=recogniser.device,
        punctuated=recognised.punctuated,
        segments=recognised.segments,
    )


def _corrected(correction: Correction) -> Transcript:
    """The transcript with the words that a person corrected, and the recognised words beside them."""
    return Transcript(
        words=correction.words or (),
        language=correction.language,
        recogniser=correction.recogniser,
        device="none",
        punctuated=True,
        recognised=correction.recognised,
        sentence_ends=correction.sentence_ends,
    )


def _prompt(settings: TranscribeSettings, motion: Motion | None) -> str | None:
    if settings.prompt == "none":
        return None
    if motion is None:
        raise RostrumError("transcribe.prompt=motion: this speech has no motion; name it in speeches.csv")
    return motion.text

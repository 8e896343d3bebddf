"""A transcript is compared with what was really said."""

from typing import Literal

from pydantic import Field

from pipeline.records import ReferenceTranscript
from pipeline.score.record import WordErrors
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage
from pipeline.transcribe.record import Transcript

# The settings of `score`.


class ScoreSettings(StageSettings):
    """How a transcript is compared with its reference."""

    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="Which differences do not count as errors. whisper: spelling, fillers and numbers, by Whisper's "
        "English rules. plain: case and punctuation. verbatim: none.",
    )


# A transcript is compared with what was really said.

# A reference of a million characters (some twenty hours) and 50 times the transcript is not of this recording.
_LONGEST, _OUT_OF_PROPORTION = 1_000_000, 50


@stage(version=1)
def score(transcript: Transcript, reference: ReferenceTranscript, *, settings: ScoreSettings) -> WordErrors:
    """Count word and character errors against the reference transcript, and keep the alignment.

    For a corrected transcript, the recognised words are compared.
    """
    from pipeline.score.word_errors import word_errors

    said, heard = reference.text, transcript.recognised_text
    if len(said) > max(_LONGEST, _OUT_OF_PROPORTION * len(heard)):
        sizes = f"{len(said):,} characters, the transcript {len(heard):,}"
        raise Skip(f"the reference transcript has {sizes}: it is not of this recording")
    return word_errors(said, heard, settings.normaliser, transcript.language)

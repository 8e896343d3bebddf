"""A transcript is compared with what was really said."""

from pipeline.records import ReferenceTranscript, Transcript, WordErrors
from pipeline.settings.score import ScoreSettings
from pipeline.stages import Skip, stage

# A reference of a million characters (some twenty hours) and 50 times the transcript is not of this recording.
_LONGEST, _OUT_OF_PROPORTION = 1_000_000, 50


@stage(version=1)
def score(transcript: Transcript, reference: ReferenceTranscript, *, settings: ScoreSettings) -> WordErrors:
    """Count word and character errors against the reference transcript, and keep the alignment.

    For a corrected transcript, the recognised words are compared.
    """
    from pipeline.text.word_errors import word_errors

    said, heard = reference.text, transcript.recognised_text
    if len(said) > max(_LONGEST, _OUT_OF_PROPORTION * len(heard)):
        sizes = f"{len(said):,} characters, the transcript {len(heard):,}"
        raise Skip(f"the reference transcript has {sizes}: it is not of this recording")
    return word_errors(said, heard, settings.normaliser, transcript.language)

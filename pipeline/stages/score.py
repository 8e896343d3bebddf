"""A transcript is compared with what was really said."""

from pipeline.records import ReferenceTranscript, Transcript, WordErrors
from pipeline.settings import ScoreSettings
from pipeline.stages import stage


@stage(version=1)
def score(transcript: Transcript, reference: ReferenceTranscript, *, settings: ScoreSettings) -> WordErrors:
    """Count word and character errors against the reference transcript, and keep the alignment.

    Of a corrected transcript, what was recognised is counted.
    """
    from pipeline.text.word_errors import word_errors

    return word_errors(reference.text, transcript.recognised_text, settings.normaliser, transcript.language)

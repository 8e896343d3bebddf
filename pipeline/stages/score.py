"""A transcript is compared with what was really said."""

from pipeline.engine.stage import stage
from pipeline.records import Reference, Transcript, WordErrors
from pipeline.settings import ScoreSettings


@stage(version=1)
def score(transcript: Transcript, reference: Reference, *, settings: ScoreSettings) -> WordErrors:
    """Count word and character errors against the reference transcript, and keep the alignment."""
    from pipeline.text.word_errors import word_errors

    return word_errors(reference.text, transcript.text, settings.normaliser, transcript.language)

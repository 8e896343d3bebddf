"""Compares a transcript with its reference: word and character errors."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from pipeline.records.corpus import ReferenceTranscript
from pipeline.records.speech import ErrorCounts
from pipeline.score.record import AlignedChunk, WordErrors
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage
from pipeline.text.normalise import NormaliserName, normaliser
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

    said, heard = reference.text, transcript.recognised_text
    if len(said) > max(_LONGEST, _OUT_OF_PROPORTION * len(heard)):
        sizes = f"{len(said):,} characters, the transcript {len(heard):,}"
        raise Skip(f"the reference transcript has {sizes}: it is not of this recording")
    return word_errors(said, heard, settings.normaliser, transcript.language)


def word_errors(reference: str, hypothesis: str, name: NormaliserName, language: str = "en") -> WordErrors:
    """Compare a transcript with what was really said. An empty reference gives counts, and no rates.

    >>> word_errors("we should ban it", "we could ban", "plain").words
    ErrorCounts(hits=2, substitutions=1, deletions=1, insertions=0)
    """
    normalise = normaliser(name, language)
    said, heard = normalise(reference), normalise(hypothesis)
    if not said:
        return _without_reference(name, heard)
    import jiwer

    words = jiwer.process_words(said, heard)
    characters = jiwer.process_characters(said, heard)
    return WordErrors(
        normaliser=name,
        words=_counts(words),
        characters=_counts(characters),
        wer=words.wer,
        mer=words.mer,
        wil=words.wil,
        cer=characters.cer,
        reference=tuple(said.split()),
        hypothesis=tuple(heard.split()),
        alignment=tuple(
            AlignedChunk(
                type=chunk.type,
                reference=(chunk.ref_start_idx, chunk.ref_end_idx),
                hypothesis=(chunk.hyp_start_idx, chunk.hyp_end_idx),
            )
            for chunk in words.alignments[0]
        ),
    )


def _counts(output: Any) -> ErrorCounts:
    return ErrorCounts(
        hits=output.hits,
        substitutions=output.substitutions,
        deletions=output.deletions,
        insertions=output.insertions,
    )


def _without_reference(name: str, heard: str) -> WordErrors:
    hypothesis = tuple(heard.split())
    inserted = AlignedChunk(type="insert", reference=(0, 0), hypothesis=(0, len(hypothesis)))
    return WordErrors(
        normaliser=name,
        words=ErrorCounts(insertions=len(hypothesis)),
        characters=ErrorCounts(insertions=len(heard)),
        wer=None,
        mer=None,
        wil=None,
        cer=None,
        reference=(),
        hypothesis=hypothesis,
        alignment=(inserted,) if hypothesis else (),
    )


# Two transcripts of the same speech, word against word.


def aligned_positions(reference: Sequence[str], hypothesis: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of words that stand against each other, equal or substituted, in an alignment of fewest edits."""
    from rapidfuzz.distance import Levenshtein

    return [
        pair
        for edit in Levenshtein.opcodes(reference, hypothesis)
        if edit.tag in ("equal", "replace")
        for pair in zip(range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True)
    ]

"""Word errors of one transcript against one reference, counted by jiwer."""

from typing import Any

from pipeline.records import AlignedChunk, ErrorCounts, WordErrors
from pipeline.text.normalise import NormaliserName, normaliser


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

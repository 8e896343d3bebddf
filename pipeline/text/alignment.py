"""Two transcripts of the same speech, word against word."""

from collections.abc import Sequence


def aligned_positions(reference: Sequence[str], hypothesis: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of words that stand against each other, equal or substituted, in an alignment of fewest edits."""
    from rapidfuzz.distance import Levenshtein

    return [
        pair
        for edit in Levenshtein.opcodes(reference, hypothesis)
        if edit.tag in ("equal", "replace")
        for pair in zip(range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True)
    ]

"""What was said, made up for tests."""

from collections.abc import Iterable
from itertools import accumulate, pairwise

from pipeline.records import Sentence
from pipeline.segment.stage import Sentences


def spoken(lines: Iterable[str]) -> Sentences:
    """A sentence a line that is not empty, two words a second."""
    said = [line for line in lines if line]
    ends = [0, *accumulate(len(line.split()) for line in said)]
    return Sentences(
        sentences=tuple(
            Sentence(text=line, start=first / 2, end=last / 2, first=first, last=last)
            for line, (first, last) in zip(said, pairwise(ends), strict=True)
        ),
        method="lines",
    )

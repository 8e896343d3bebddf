"""A person's marks, carried over to a recogniser's words: where sentences end, which mark follows, what is capital.

The words are aligned first, so that what the recogniser misheard, dropped or made up is not an error of boundaries.
Words that stand against each other are anchors. Whatever stands between two anchors, in either transcript, is one slot.
A slot holds a boundary or not. So a whole sentence that the recogniser dropped is not counted against anybody.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pipeline.arrays import Indices, Mask
from pipeline.records import Word
from pipeline.score import aligned_positions
from pipeline.text.terms import WORD, composed, tokens

NONE, COMMA, FULL_STOP, QUESTION = range(4)
MARKS = ("", ",", ".", "?")
UNKNOWN = -1

_PAUSE = re.compile(r"[.?!,;:](?!\S)|[-–—](?!\S)")


@dataclass(frozen=True)
class WrittenWord:
    """A word as a person wrote it, the mark after it, and whether the sentence ends with it."""

    text: str
    mark: int
    final: bool


@dataclass(frozen=True)
class HumanMarks:
    """A person's marks on the words of a recogniser.

    `slots` says for each word in which slot its end lies (-1: before the first anchor), `boundaries` for each slot
    whether a sentence ends in it. `marks` and `capitals` are for training: a word's mark, and 1, 0 or UNKNOWN.
    """

    slots: Indices
    boundaries: Mask
    marks: Indices
    capitals: Indices

    def boundaries_of(self, ends: Sequence[int]) -> Mask:
        """The slots in which sentences end, if so many words stand before each end."""
        flags = np.zeros_like(self.boundaries)
        slots = self.slots[np.asarray(ends, dtype=np.intp) - 1]
        flags[slots[slots >= 0]] = True
        return flags


def written_words(lines: Sequence[str]) -> list[WrittenWord]:
    """The words of a clean transcript with one sentence per line."""
    return [word for line in lines for word in _of_line(line)]


def _of_line(line: str) -> list[WrittenWord]:
    line = composed(line)
    words = list(WORD.finditer(line))
    following = [*(match.start() for match in words), len(line)][1:]
    return [
        WrittenWord(match[0], _mark(line[match.end() : end], match is words[-1]), match is words[-1])
        for match, end in zip(words, following, strict=False)
    ]


def _mark(between: str, final: bool) -> int:
    """The mark for what stands between a word and the next; a sentence that ends without one has a full stop."""
    if final:
        return QUESTION if "?" in between else FULL_STOP
    return COMMA if _PAUSE.search(between) else NONE


def human_marks(words: Sequence[Word], lines: Sequence[str]) -> HumanMarks:
    """Carry a person's marks over to the recogniser's words."""
    written = written_words(lines)
    heard = [(token, index) for index, word in enumerate(words) for token in tokens(word.text)]
    said = [word.text.lower().replace("’", "'") for word in written]
    anchors = aligned_positions(said, [token for token, _ in heard])
    positions = [heard[position][1] for _, position in anchors]
    groups = [written[first:last] for first, last in pairwise([*(anchor for anchor, _ in anchors), len(written)])]
    marks = np.zeros(len(words), dtype=np.intp)
    np.maximum.at(marks, positions, [max(word.mark for word in group) for group in groups])
    capitals = np.full(len(words), UNKNOWN, dtype=np.intp)
    for (anchor, position), index in zip(anchors, positions, strict=True):
        if said[anchor] == heard[position][0]:
            capitals[index] = written[anchor].text[0].isupper()
    return HumanMarks(
        slots=np.searchsorted(positions, np.arange(len(words)), side="right") - 1,
        boundaries=np.array([any(word.final for word in group) for group in groups], dtype=np.bool_),
        marks=marks,
        capitals=capitals,
    )


def ends_of(words: Sequence[Word], lines: Sequence[str]) -> list[int]:
    """How many words stand before each end of a sentence, by another transcript that has one sentence per line."""
    marks = human_marks(words, lines)
    last_of_slot = {slot: index for index, slot in enumerate(marks.slots.tolist())}
    return [last_of_slot[slot] + 1 for slot in np.flatnonzero(marks.boundaries).tolist()]

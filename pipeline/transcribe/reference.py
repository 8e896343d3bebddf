"""The words of a reference transcript, with the times of the recognised words that they stand against."""

import re
from collections.abc import Sequence
from itertools import accumulate

from pipeline.formats import WORD_SECONDS, even_pace, meant_text
from pipeline.records import ReferenceTranscript, Word
from pipeline.stage import Skip
from pipeline.text.terms import tokens

# A reference with fewer words in common with the recognised ones is of another recording. Short ones are not judged.
_FEWEST_IN_COMMON, _SHORT = 0.2, 50
# A text has punctuation if a sentence ends at least once in so many words.
_LONGEST_SENTENCE = 80

_ENDS = re.compile(r"[.?!…。？！][\"'”’)\]»“]*$")


def reference_words(text: str) -> list[str]:
    """The words that were meant: without fillers and cut-off words, and with capitals if the text has none.

    >>> reference_words("um i s- say no . we agree .")
    ['I', 'say', 'no.', 'We', 'agree.']
    """
    words = meant_text(text).split()
    if any(word != word.lower() for word in words):
        return words
    begins = [True, *(bool(_ENDS.search(word)) for word in words)]
    return [
        word[:1].upper() + word[1:] if first or re.match(r"i(?:['’]\w+)?\W*$", word) else word
        for word, first in zip(words, begins, strict=False)
    ]


def is_punctuated(words: Sequence[str]) -> bool:
    """Whether the words have marks at the ends of sentences."""
    return sum(bool(_ENDS.search(word)) for word in words) * _LONGEST_SENTENCE >= len(words) > 0


def evenly_timed(reference: ReferenceTranscript) -> tuple[Word, ...]:
    """The words of a text that nobody recorded, at 150 words a minute, with their speakers if it names them."""
    turns = reference.turns or ((None, reference.text),)
    return tuple(even_pace((word, speaker) for speaker, text in turns for word in reference_words(text)))


def timed(words: Sequence[str], heard: Sequence[Word]) -> tuple[Word, ...]:
    """The words with the times and speakers of the recognised words that they stand against.

    Words between two such words share the time between them, by their letters. A text of other words is an error.
    """
    anchors = _anchors(words, heard)
    spans: list[tuple[float, float] | None] = [None] * len(words)
    for index, position in anchors.items():
        spans[index] = heard[position].start, heard[position].end
    for first, last in _gaps(spans):
        spans[first:last] = _shared(words[first:last], *_between(spans, first, last))
    speakers = list(accumulate((anchors.get(index, -1) for index in range(len(words))), _last_known))
    return tuple(
        Word(text=text, start=span[0], end=span[1], speaker=heard[max(position, 0)].speaker if heard else None)
        for text, span, position in zip(words, spans, speakers, strict=True)
        if span is not None
    )


def _last_known(before: int, position: int) -> int:
    return before if position < 0 else position


def _anchors(words: Sequence[str], heard: Sequence[Word]) -> dict[int, int]:
    """For a word that was recognised as it is, or as another one in its place, the index of the recognised word."""
    from rapidfuzz.distance import Levenshtein

    said = [(token, index) for index, word in enumerate(words) for token in tokens(word)]
    recognised = [(token, index) for index, word in enumerate(heard) for token in tokens(word.text)]
    edits = Levenshtein.opcodes([token for token, _ in said], [token for token, _ in recognised])
    equal = sum(edit.src_end - edit.src_start for edit in edits if edit.tag == "equal")
    if len(said) >= _SHORT and equal < _FEWEST_IN_COMMON * len(said):
        raise Skip(
            f"{equal} of the {len(said)} words of the reference transcript were recognised: it is of another recording"
        )
    anchors: dict[int, int] = {}
    taken = -1
    for edit in edits:
        if edit.tag not in ("equal", "replace"):
            continue
        for one, other in zip(range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True):
            index, position = said[one][1], recognised[other][1]
            if index not in anchors and position > taken:
                anchors[index] = taken = position
    return anchors


def _gaps(spans: Sequence[object]) -> list[tuple[int, int]]:
    """The stretches of words without a time."""
    gaps: list[tuple[int, int]] = []
    for index, span in enumerate(spans):
        if span is None and gaps and gaps[-1][1] == index:
            gaps[-1] = gaps[-1][0], index + 1
        elif span is None:
            gaps.append((index, index + 1))
    return gaps


def _between(spans: Sequence[tuple[float, float] | None], first: int, last: int) -> tuple[float, float]:
    """The time that a stretch of words without times has: what is between its neighbours, at most an even pace."""
    before = spans[first - 1] if first else None
    after = spans[last] if last < len(spans) else None
    wanted = (last - first) * WORD_SECONDS
    if before is None and after is None:
        return 0.0, wanted
    if before is None and after is not None:
        return max(after[0] - wanted, 0.0), after[0]
    assert before is not None
    end = before[1] + wanted
    return before[1], end if after is None else max(before[1], min(end, after[0]))


def _shared(words: Sequence[str], start: float, end: float) -> list[tuple[float, float]]:
    """Start and end of each word in a stretch of time that they share by their letters."""
    places = [0, *accumulate(map(len, words))]
    seconds = (end - start) / places[-1]
    times = [round(start + place * seconds, 3) for place in places]
    return list(zip(times, times[1:], strict=False))

"""Sentences of a transcript: a cutter says after which words sentences end, `sentences` makes the records."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from pipeline.records import Sentence, Word
from pipeline.text.sentences import punkt

# For the words of one speaker, how many words stand before each end of a sentence, in ascending order; the last is all.
Cutter = Callable[[Sequence[Word]], list[int]]


def cut(words: Sequence[Word], cutter: Cutter) -> list[int]:
    """How many words stand before each end of a sentence. No sentence crosses a change of speaker."""
    return [start + count for start, end, _ in speaker_runs(words) for count in cutter(words[start:end])]


def sentences(words: Sequence[Word], ends: Sequence[int], texts: Sequence[str] | None = None) -> tuple[Sentence, ...]:
    """The words as sentences: each word in exactly one of them, in order.

    `texts` has the words as they are to be written, if not as the recogniser wrote them.
    """
    texts = [word.text for word in words] if texts is None else texts
    return tuple(
        Sentence(
            text=" ".join(texts[first:last]),
            start=min(word.start for word in words[first:last]),
            end=max(word.end for word in words[first:last]),
            first=first,
            last=last,
            speaker=next((word.speaker for word in words[first:last] if word.speaker is not None), None),
        )
        for first, last in pairwise([0, *ends])
    )


def speaker_runs(words: Sequence[Word]) -> Iterator[tuple[int, int, str | None]]:
    """(first, last, speaker) of each stretch of one speaker. A word without speaker goes with the words before it."""
    start, speaker = 0, None
    for index, word in enumerate(words):
        if word.speaker is None or word.speaker == speaker:
            continue
        if speaker is not None:
            yield start, index, speaker
            start = index
        speaker = word.speaker
    if words:
        yield start, len(words), speaker


def cut_at_punctuation(words: Sequence[Word]) -> list[int]:
    """Cut where Punkt ends a sentence. A mark inside of a word ('yes.but') never divides the word."""
    text = " ".join(word.text for word in words)
    sentence_ends = set(punkt.sentence_ends(text))
    starts = accumulate((len(word.text) + 1 for word in words), initial=0)
    word_ends = (start + len(word.text.rstrip()) for start, word in zip(starts, words, strict=False))
    cuts = [count for count, end in enumerate(word_ends, start=1) if end in sentence_ends and count < len(words)]
    return [*cuts, len(words)]


def cut_at_pauses(words: Sequence[Word], pause: float) -> list[int]:
    """Cut where nobody speaks for `pause` seconds or more."""
    return [index for index, (one, other) in enumerate(pairwise(words), start=1) if other.start - one.end >= pause] + [
        len(words)
    ]


def cut_every(words: Sequence[Word], length: int) -> list[int]:
    """Cut every `length` words: the baseline without information."""
    return [*range(length, len(words), length), len(words)]

"""When words begin and end, by the audio frame at which each token was written: the rules of openai-whisper."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.transcribe.whisper import TimedWord

SECONDS_PER_FRAME = 0.02
LONGEST_USUAL_WORD = 0.7
SENTENCE_ENDS = ".。!！?？"
PREPENDED = "\"'“¿([{-"
APPENDED = "\"'.。,，!！?？:：”)]}、"


def word_times(
    tokens: Sequence[int], path: Sequence[tuple[int, int]], probabilities: Sequence[float], tokenizer: Any
) -> list[TimedWord]:
    """The words that these text tokens spell.

    `path` pairs tokens with frames of 20 ms, in order; `probabilities` are those of the tokens.
    """
    from whisper.timing import merge_punctuations

    words = _aligned(tokens, path, probabilities, tokenizer)
    durations = [word.end - word.start for word in words if word.end != word.start]
    usual = min(LONGEST_USUAL_WORD, float(np.median(durations))) if durations else 0.0
    if durations:
        _shorten_at_sentence_ends(words, 2 * usual)
    merge_punctuations(words, PREPENDED, APPENDED)
    timed = [
        TimedWord(word.word, round(word.start, 2), round(word.end, 2), word.probability) for word in words if word.word
    ]
    return _shorten_first(timed, usual)


def _aligned(
    tokens: Sequence[int], path: Sequence[tuple[int, int]], probabilities: Sequence[float], tokenizer: Any
) -> list[Any]:
    """A word begins at the first frame of its first token, and ends where the next one begins."""
    from whisper.timing import WordTiming

    spelled, parts = tokenizer.split_to_word_tokens([*tokens, tokenizer.eot])
    if len(parts) <= 1:
        return []
    token_index, frame = np.array(path).T
    begins = frame[np.diff(token_index, prepend=-1) > 0] * SECONDS_PER_FRAME
    edges = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return [
        WordTiming(word, part, float(begins[first]), float(begins[last]), float(np.mean(probabilities[first:last])))
        for word, part, first, last in zip(spelled, parts, edges[:-1], edges[1:], strict=False)
    ]


def _shorten_at_sentence_ends(words: Sequence[Any], longest: float) -> None:
    """A pause between sentences belongs to neither the punctuation mark nor the word after it."""
    for previous, word in zip(words, words[1:], strict=False):
        if word.end - word.start > longest:
            if word.word in SENTENCE_ENDS:
                word.end = word.start + longest
            elif previous.word in SENTENCE_ENDS:
                word.start = word.end - longest


def _shorten_first(words: list[TimedWord], usual: float) -> list[TimedWord]:
    """The silence before the first word does not belong to it."""
    longest = 2 * usual
    if not words or words[0].end <= 2 * longest:
        return words
    first, *others = words
    too_long = first.end - first.start > longest
    if not too_long and not (others and others[0].end - first.start > 2 * longest):
        return words
    if others and others[0].end - others[0].start > longest:
        boundary = max(others[0].end / 2, others[0].end - longest)
        first = first._replace(end=boundary)
        others[0] = others[0]._replace(start=boundary)
    return [first._replace(start=max(0.0, first.end - longest)), *others]

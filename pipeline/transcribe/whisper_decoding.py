"""In which order speech is decoded by a Whisper model, when a decoding is doubted, how words are written.

Windows of found speech are decoded in pieces of up to 30 s: one piece where a window is no longer. A decoding that is
repetitive or improbable is tried again at a higher temperature. Speech beyond the last word is decoded once more, and
so is speech between two words that the model has skipped. Further tries end where a window has taken 2.4 times
the steps that clear speech of its length takes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol

from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import Word
from pipeline.transcribe.recogniser import ReadSamples, Window
from pipeline.transcribe.stage import DOUBTFUL, OTHER_LANGUAGE, Doubt, Segment, TranscribeSettings

WINDOW = 30.0
# Found speech after the model's last word is decoded again if it is at least so many seconds long.
MISSED_SPEECH = 1.0
# So much found speech without a word, before the last one, was skipped: it is decoded by itself.
SKIPPED_SPEECH = 2.0
# Seconds around skipped speech in which its words may stand already, with times that are wrong.
_AROUND = 10.0
# Whether speech is understood is judged when so many seconds are decoded: two windows that are nearly full. Until then,
# no more than so many pieces are decoded together.
FIRST_MINUTE = 45.0
FIRST_PIECES = 4
# What decoding takes is counted in steps: one for each token. Encoding, and getting ready to sample, takes as long as
# 30.
START_STEPS = 30
# Tokens in a second of clear speech; another try must be able to write nearly as many.
CLEAR_TOKENS = 4
ENOUGH_TOKENS = 3
# The steps of a window, as multiples of those of clear speech. Samples take longer per step: up to four times the
# processor time.
MOST_TIMES_CLEAR = 2.4
# Those of its first decoding. Nobody speaks so fast.
FIRST_TIMES_CLEAR = 1.5
# No decoding has more tokens.
MOST_TOKENS = 224


class Decoding(NamedTuple):
    """What a model wrote, and how sure it was."""

    tokens: list[int]
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float

    def is_silence(self, settings: TranscribeSettings) -> bool:
        silent = self.no_speech_probability > settings.no_speech_threshold
        return silent and self.mean_logprob <= settings.logprob_threshold

    def is_repetitive(self, settings: TranscribeSettings) -> bool:
        return self.compression_ratio > settings.compression_ratio_threshold

    def is_doubtful(self, settings: TranscribeSettings) -> bool:
        """Whether a decoding at a higher temperature is worth trying."""
        improbable = self.mean_logprob < settings.logprob_threshold
        return (self.is_repetitive(settings) or improbable) and not self.is_silence(settings)


class TimedWord(NamedTuple):
    """A word with the space and punctuation that the model wrote. Times count from the beginning of its piece."""

    text: str
    start: float
    end: float
    probability: float


class Heard(NamedTuple):
    """What was heard in a piece, how many seconds of it were decoded, and in how many steps.

    Without speech, `decoding` is None.
    """

    words: Sequence[TimedWord]
    decoding: Decoding | None
    reached: float
    steps: int


@dataclass(frozen=True)
class Piece:
    """Up to 30 s of a window, from `start` on the window's clock. `spent` are the steps that the window has taken.

    A piece that `was_skipped` is decoded once, whatever becomes of it.
    """

    window: Window
    start: float = 0.0
    spent: int = 0
    was_skipped: bool = False

    @property
    def length(self) -> float:
        return min(WINDOW, self.window.length - self.start)

    @property
    def goes_on(self) -> bool:
        """Whether speech goes on after this piece, so that its end may cut off an utterance."""
        return self.window.length - self.start > WINDOW

    @property
    def was_heard(self) -> bool:
        """Whether it was decoded before, as a part of its whole window, and no word was written of it."""
        return self.start > 0 and self.window.length <= WINDOW

    @property
    def is_worth_decoding(self) -> bool:
        left = self.window.length - self.start
        return left > 0 and self.window.speech_after(self.start) >= min(MISSED_SPEECH, self.window.length)

    @property
    def steps_to_spare(self) -> float:
        """The steps that may be spent on this piece, so that what comes after it can be decoded once, clear or not."""
        if self.was_skipped:
            return 0.0
        return self._steps_to_spare_from(self.start + self.length)

    def _steps_to_spare_from(self, moment: float) -> float:
        most = MOST_TIMES_CLEAR * clear_steps(self.window.length)
        return most - self.spent - FIRST_TIMES_CLEAR * clear_steps(self.window.length - moment)

    def most_tokens(self, language: str) -> int:
        """The tokens after which its first decoding is stopped. Other languages may take more of them than English."""
        if language != "en":
            return MOST_TOKENS
        return min(MOST_TOKENS, int(FIRST_TIMES_CLEAR * clear_steps(self.length) - START_STEPS))

    def samples(self, read: ReadSamples) -> Samples:
        return self.window.read(read, self.start, self.start + self.length)

    def following(self, reached: float, steps: int) -> "Piece":
        """The piece to decode next. What is left of this one is part of it, if the window has steps for that."""
        then = self.start + max(reached, MISSED_SPEECH)
        if steps > self._steps_to_spare_from(then):
            then = max(then, self.start + self.length)
        return Piece(self.window, then, self.spent + steps)

    def skipped(self, words: Sequence[Word]) -> "list[Piece]":
        """The speech before the last of these words, and between them, in which the model heard nothing."""
        begins = [self.window.recorded(self.start), *(word.end for word in words)]
        silent = (self.window.between(start, word.start) for start, word in zip(begins, words, strict=False))
        return [
            Piece(window, was_skipped=True) for window in silent if window and window.speech_after(0) >= SKIPPED_SPEECH
        ]


def clear_steps(seconds: float) -> float:
    """The steps that so many seconds of clear speech take. A first decoding takes up to 1.5 times as many."""
    return math.ceil(max(0.0, seconds) / WINDOW) * START_STEPS + CLEAR_TOKENS * max(0.0, seconds)


def least_doubtful(
    first: Decoding, piece: Piece, settings: TranscribeSettings, decode_again: Callable[[float, int], Decoding]
) -> tuple[Decoding, int]:
    """The first decoding that is not doubtful, each try at a higher temperature; and the steps that all took.

    If all are doubtful, or the piece has taken its share of steps, it is the least doubtful one. `decode_again` takes a
    temperature and the most tokens to write.
    """
    tried, steps = [first], START_STEPS + len(first.tokens)
    for temperature in settings.temperatures[1:]:
        most_tokens = min(MOST_TOKENS, int(piece.steps_to_spare) - steps - START_STEPS)
        if not tried[-1].is_doubtful(settings) or most_tokens < ENOUGH_TOKENS * piece.length:
            break
        tried.append(decode_again(temperature, most_tokens))
        steps += START_STEPS + len(tried[-1].tokens)
    if not tried[-1].is_doubtful(settings):
        return tried[-1], steps
    return min(tried, key=lambda each: (each.is_repetitive(settings), -each.mean_logprob)), steps


class Decoder(Protocol):
    """Decodes up to `at_once` pieces of a recording together."""

    @property
    def at_once(self) -> int: ...

    @property
    def settings(self) -> TranscribeSettings: ...

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]: ...


def decode_all(
    windows: Sequence[Window],
    decoder: Decoder,
    progress: Progress = no_progress,
    *,
    expects_english: bool = False,
    is_translation: bool = False,
) -> tuple[tuple[Word, ...], tuple[Segment, ...]]:
    """The words and the decoded segments of these windows, in order.

    If the model `expects_english` without knowing, a first minute that it does not understand is an error. The times of
    a translation's words are not exact: what they seem to leave out is not decoded again.
    """
    words: list[list[Word]] = [[] for _ in windows]
    added: list[Word] = []
    segments: list[list[Segment]] = [[] for _ in windows]
    waiting = [(index, Piece(window)) for index, window in enumerate(windows)]
    total = sum(window.length for window in windows)
    while waiting := [(index, piece) for index, piece in waiting if piece.is_worth_decoding]:
        at_once = min(decoder.at_once, FIRST_PIECES) if expects_english else decoder.at_once
        now, later = waiting[:at_once], waiting[at_once:]
        following = []
        for (index, piece), heard in zip(now, decoder.decode([piece for _, piece in now]), strict=True):
            reached, words_heard = piece.length, [_word(timed, piece) for timed in _joined(heard.words)]
            in_recording = [piece.window.in_recording(word) for word in words_heard]
            if piece.was_skipped:
                added += in_recording if _adds(in_recording, heard, words[index], decoder.settings) else []
                continue
            if piece.was_heard and heard.decoding and heard.decoding.is_repetitive(decoder.settings):
                continue  # the model goes round in what it wrote before
            if heard.decoding:
                reached = heard.reached
                if words_heard and not piece.goes_on and not is_translation:
                    reached = words_heard[-1].end - piece.start
                words[index] += in_recording
                segments[index].append(_segment(heard.decoding, piece, reached))
            if not is_translation:
                following += [(index, skipped) for skipped in piece.skipped(in_recording)]
            following.append((index, piece.following(reached, heard.steps)))
        waiting = following + later
        left = sum(piece.window.length - piece.start for _, piece in waiting if not piece.was_skipped)
        if expects_english and total - left >= FIRST_MINUTE:
            _refuse_foreign_speech(Doubt.of(chain.from_iterable(words), chain.from_iterable(segments)), total - left)
            expects_english = False
        progress(min(1.0, 1 - left / total), "recognising")
    in_order = _in_order(chain.from_iterable(words))
    if added:
        in_order = tuple(sorted((*in_order, *added), key=lambda word: word.start))
    return _in_order(in_order), tuple(chain.from_iterable(segments))


def _adds(words: Sequence[Word], heard: Heard, known: Sequence[Word], settings: TranscribeSettings) -> bool:
    """Whether the words of skipped speech are to be taken: they are clear, and do not stand beside it already."""
    if not words or heard.decoding is None or heard.decoding.is_doubtful(settings):
        return False
    if sum(word.probability or 0.0 for word in words) < DOUBTFUL * len(words):
        return False
    first, last = words[0].start - _AROUND, words[-1].end + _AROUND
    beside = _pairs([word for word in known if first <= word.start <= last])
    own = _pairs(words)
    return len(own & beside) <= len(own) / 2


def _pairs(words: Sequence[Word]) -> set[tuple[str, ...]]:
    """Each two neighbouring words, without case and punctuation; a word that is alone by itself."""
    texts = ["".join(filter(str.isalnum, word.text.lower())) for word in words]
    return set(zip(texts, texts[1:], strict=False)) or {tuple(texts)}


def _refuse_foreign_speech(doubt: Doubt, seconds: float) -> None:
    """Raise an error if a model that knows English only does not understand the beginning of a recording."""
    if doubt.prevails:
        raise RostrumError(
            f"not understood: in the first {seconds:.0f} s of speech {doubt}; {OTHER_LANGUAGE}; to transcribe it as "
            "English, set transcribe.language=en"
        )


def _segment(decoding: Decoding, piece: Piece, reached: float) -> Segment:
    return Segment(
        start=round(piece.window.recorded(piece.start), 2),
        end=round(piece.window.recorded(piece.start + reached), 2),
        temperature=decoding.temperature,
        mean_logprob=round(decoding.mean_logprob, 4),
        no_speech_probability=round(decoding.no_speech_probability, 4),
        compression_ratio=round(decoding.compression_ratio, 3),
    )


def _joined(timed: Sequence[TimedWord]) -> list[TimedWord]:
    """Words as they are written: '-control' joins the 'self' before it. Scripts without spaces stay as they are."""
    words: list[TimedWord] = []
    for word in timed:
        if words and word.text and not (word.text[0].isspace() or word.text[0].isalnum()):
            last = words[-1]
            probability = min(last.probability, word.probability)
            words[-1] = TimedWord(last.text + word.text, last.start, word.end, probability)
        elif word.text.strip():
            words.append(word)
    return words


def _word(timed: TimedWord, piece: Piece) -> Word:
    """The word on the window's clock."""
    start, end = (round(piece.start + min(edge, piece.length), 2) for edge in (timed.start, timed.end))
    return Word(text=timed.text.strip(), start=start, end=end, probability=round(timed.probability, 4))


def _in_order(words: Iterable[Word]) -> tuple[Word, ...]:
    """The words with times that never run backwards: a word begins no earlier than the one before it."""
    ordered: list[Word] = []
    earliest = 0.0
    for word in words:
        start = max(word.start, earliest)
        ordered.append(word.model_copy(update={"start": start, "end": max(word.end, start)}))
        earliest = start
    return tuple(ordered)

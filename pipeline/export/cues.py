"""A speech as subtitles that are short enough to read, and as paragraphs of one speaker each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pipeline.export.speech import AnnotatedSpeech
from pipeline.records.speech import Sentence, Word

# Subtitles: sentences cut into pieces that are short enough to read while they are spoken.

LINE = 42
LINES = 2
LONGEST = 7.0
# A piece is shown for at least so many seconds, unless the next one begins earlier.
_SHORTEST = 1.0


@dataclass(frozen=True)
class Cue:
    """The words that are on the screen together."""

    start: float
    end: float
    words: tuple[Word, ...]
    speaker: str | None

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def lines(self) -> tuple[str, ...]:
        """The text on one line, or on two of nearly the same length."""
        text = self.text
        if len(text) <= LINE:
            return (text,)
        gaps = [place for place, sign in enumerate(text) if sign == " "]
        if not gaps:
            return (text,)
        middle = min(gaps, key=lambda place: abs(place - len(text) / 2))
        return text[:middle], text[middle + 1 :]


def cues(speech: AnnotatedSpeech) -> list[Cue]:
    """The speech's subtitles. None is longer than two lines of 42 characters or seven seconds, and none overlap."""
    pieces = [piece for sentence in _sentences(speech) for piece in _pieces(sentence)]
    starts = [piece[0].start for piece in pieces]
    found: list[Cue] = []
    for piece, following in zip(pieces, [*starts, speech.duration][1:], strict=True):
        start = max(piece[0].start, found[-1].end if found else 0.0)
        end = max(piece[-1].end, min(start + _SHORTEST, following), start + 0.001)
        found.append(Cue(start, min(end, max(following, start + 0.001)), tuple(piece), piece[0].speaker))
    return found


def _sentences(speech: AnnotatedSpeech) -> Iterator[Sequence[Word]]:
    """The words of each sentence, written as in the sentence, which may have added marks and capitals."""
    for sentence in speech.sentences:
        words, written = speech.words[sentence.first : sentence.last], sentence.text.split(" ")
        if len(written) == len(words):
            words = tuple(word.model_copy(update={"text": text}) for word, text in zip(words, written, strict=True))
        yield words


def _pieces(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The words of a sentence in as many pieces as needed. A new one begins when one is full or the speaker changes."""
    piece: list[Word] = []
    for word in words:
        if piece and not _fits(piece, word):
            yield piece
            piece = []
        piece.append(word)
    if piece:
        yield piece


def _fits(piece: Sequence[Word], word: Word) -> bool:
    # A text of this length, broken near its middle, has no line over the limit, unless a word is very long.
    characters = sum(len(each.text) + 1 for each in piece) + len(word.text)
    longest_word = max(len(each.text) for each in [*piece, word])
    full = LINE if longest_word > LINE else LINES * LINE - longest_word
    return characters <= full and word.end - piece[0].start <= LONGEST and word.speaker == piece[0].speaker


def timestamp(seconds: float, point: str) -> str:
    """Hours, minutes, seconds and milliseconds, with the decimal point that the format wants.

    >>> timestamp(62.345, ",")
    '00:01:02,345'
    """
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{point}{rest % 1000:03d}"


# A speech as paragraphs of one speaker each. Long ones are cut at pauses.

# A paragraph with more words is cut at its longest pause. So is one with a silence of at least so many seconds.
_MOST_WORDS = 120
_SILENCE = 3.0
# The name of a speaker whom nobody knows.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Paragraph:
    """Sentences that belong together. `speaker` is empty if the whole speech has one speaker."""

    start: float
    speaker: str
    text: str


def paragraphs(speech: AnnotatedSpeech) -> list[Paragraph]:
    """The speech as paragraphs. A new one begins with each speaker, after a silence, and when one would be too long."""
    several = len({sentence.speaker for sentence in speech.sentences}) > 1
    return [
        Paragraph(piece[0].start, (speaker or UNKNOWN) if several else "", " ".join(each.text for each in piece))
        for speaker, turn in groupby(speech.sentences, key=lambda sentence: sentence.speaker)
        for piece in _paragraph_pieces(list(turn))
    ]


def _paragraph_pieces(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """The sentences in pieces, cut at their longest pause for as long as a piece is too long."""
    place, pause = _longest_pause(sentences)
    if place and (pause >= _SILENCE or sum(each.last - each.first for each in sentences) > _MOST_WORDS):
        yield from _paragraph_pieces(sentences[:place])
        yield from _paragraph_pieces(sentences[place:])
    else:
        yield sentences


def _longest_pause(sentences: Sequence[Sentence]) -> tuple[int, float]:
    """(index of the sentence after the longest pause, its seconds). Of equal pauses, the nearest to the middle."""
    pauses = [
        (round(after.start - before.end, 2), place) for place, (before, after) in enumerate(pairwise(sentences), 1)
    ]
    middle = len(sentences) / 2
    pause, place = max(pauses, key=lambda each: (each[0], -abs(each[1] - middle)), default=(0.0, 0))
    return place, pause

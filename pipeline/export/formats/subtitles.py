"""Subtitles: the sentences in pieces that are short enough to read while they are spoken."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech
from pipeline.records import Word

MEMBERS = {
    "srt": "SubRip subtitles.",
    "vtt": "WebVTT subtitles with speakers.",
    "vtt-words": "WebVTT subtitles with a time for every word.",
}

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
        gaps = [index for index, sign in enumerate(text) if sign == " "]
        if not gaps:
            return (text,)
        middle = min(gaps, key=lambda index: abs(index - len(text) / 2))
        return text[:middle], text[middle + 1 :]


def cues(speech: AnnotatedSpeech) -> list[Cue]:
    """The speech's subtitles. None is longer than two lines of 42 characters or seven seconds, and none overlap."""
    pieces = [piece for sentence in _sentences(speech) for piece in _pieces(sentence)]
    starts = [piece[0].start for piece in pieces]
    shown: list[Cue] = []
    for piece, following in zip(pieces, [*starts, speech.duration][1:], strict=True):
        start = max(piece[0].start, shown[-1].end if shown else 0.0)
        end = max(piece[-1].end, min(start + _SHORTEST, following), start + 0.001)
        shown.append(Cue(start, min(end, max(following, start + 0.001)), tuple(piece), piece[0].speaker))
    return shown


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
    lengths = [len(shown.text) for shown in (*piece, word)]
    characters, longest_word = sum(lengths) + len(piece), max(lengths)
    full = LINE if longest_word > LINE else LINES * LINE - longest_word
    return characters <= full and word.end - piece[0].start <= LONGEST and word.speaker == piece[0].speaker


def srt(speech: AnnotatedSpeech) -> str:
    """The speech as subtitles. With several speakers, each cue begins with the speaker's name."""
    names = len(speech.speakers) > 1
    blocks = []
    for number, cue in enumerate(cues(speech), start=1):
        prefix = f"{cue.speaker}: " if names and cue.speaker else ""
        if number == 1 and speech.doubt:
            prefix = f"[{speech.doubt}]\n{prefix}"
        text = _without_tags(prefix + "\n".join(cue.lines))
        blocks.append(f"{number}\n{timestamp(cue.start, ',')} --> {timestamp(cue.end, ',')}\n{text}\n")
    return "\n".join(blocks)


def _without_tags(text: str) -> str:
    """The text with other brackets. SubRip has no way to write what players take for tags or for another cue's time."""
    return text.replace("-->", "→").replace("<", "‹").replace(">", "›").replace("{\\", "{")


def vtt(speech: AnnotatedSpeech, *, word_times: bool = False) -> str:
    """The speech as WebVTT. With `word_times`, a player can show each word as it is spoken."""
    text_of = _timed if word_times else _plain
    blocks = [
        f"{timestamp(cue.start, '.')} --> {timestamp(cue.end, '.')}\n{_voice(cue)}{text_of(cue)}\n"
        for cue in cues(speech)
    ]
    note = [f"NOTE {speech.doubt}\n"] if speech.doubt else []
    return "\n".join(["WEBVTT\n", *note, *blocks])


def _voice(cue: Cue) -> str:
    return f"<v {_escaped(cue.speaker)}>" if cue.speaker else ""


def _plain(cue: Cue) -> str:
    return "\n".join(_escaped(line) for line in cue.lines)


def _timed(cue: Cue) -> str:
    """The words, each after its time. Times must increase; a word that begins no later than the one before has none."""
    parts, shown = [], round(cue.start * 1000)
    for word in cue.words:
        at = round(word.start * 1000)
        if shown < at < round(cue.end * 1000):
            parts.append(f"<{timestamp(word.start, '.')}>")
            shown = at
        parts.append(f"<c>{_escaped(word.text)}</c> ")
    return "".join(parts).rstrip()


def _escaped(text: str) -> str:
    return html.escape(" ".join(text.split()), quote=False)


def timestamp(seconds: float, point: str) -> str:
    """Hours, minutes, seconds and milliseconds, with the decimal point that the format wants.

    >>> timestamp(62.345, ",")
    '00:01:02,345'
    """
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{point}{rest % 1000:03d}"


FORMATS = {
    "srt": SpeechFormat(".srt", srt),
    "vtt": SpeechFormat(".vtt", vtt),
    "vtt-words": SpeechFormat(".vtt", partial(vtt, word_times=True)),
}

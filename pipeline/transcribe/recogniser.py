"""What a recogniser is, which one the settings name, and the windows of speech that it is given."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import Word
from pipeline.transcribe.stage import ENGINES, Segment, TranscribeSettings

Stretch = tuple[float, float]
# Samples from start to end seconds of the recording: a recogniser asks for what it is about to decode, no more.
ReadSamples = Callable[[float, float], Samples]


class Recognised(NamedTuple):
    """What a recogniser heard. Times count from the beginning of the recording.

    `language_probability` says how sure it was of the language if it detected it. `punctuated` says whether it writes
    punctuation, `keeps_hesitations` whether it writes "um" and "uh".
    """

    words: tuple[Word, ...]
    segments: tuple[Segment, ...]
    language: str
    language_probability: float | None = None
    punctuated: bool = True
    keeps_hesitations: bool = False


class Recogniser(Protocol):
    """A loaded recogniser. `name` is how the transcript calls it, with its model; `device` is where it runs."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    def transcribe(
        self,
        read: ReadSamples,
        stretches: Sequence[Stretch],
        prompt: str | None,
        progress: Progress = no_progress,
    ) -> Recognised:
        """The words of these stretches of a recording; what lies between them is not decoded.

        `read` gives the samples between two times. `prompt` is text that the speech may be about.
        `progress` is told how much of the speech is decoded.
        """
        ...


@runtime_checkable
class Translator(Protocol):
    """A recogniser that also translates. One that does not has `translate` in its `IGNORES`."""

    def translate(
        self, read: ReadSamples, stretches: Sequence[Stretch], language: str, progress: Progress = no_progress
    ) -> Recognised:
        """What is said in these stretches in `language`, in English words with approximate times."""
        ...


class Engine(Protocol):
    """What a module in `pipeline.transcribe.engines` has."""

    # Settings of `transcribe` that make no difference to this recogniser.
    IGNORES: Collection[str]

    def weights(self, settings: TranscribeSettings) -> dict[str, str]:
        """The names and digests of the models that `load` would take. Nothing is loaded.

        A recogniser that shares its models with another one adds an entry of its own, because their results differ.
        """
        ...

    def side_by_side(self, settings: TranscribeSettings) -> bool:
        """Whether threads may transcribe several recordings at once."""
        ...

    def load(self, settings: TranscribeSettings) -> Recogniser:
        """The recogniser, ready to transcribe. Models are loaded once per process."""
        ...


def engine(settings: TranscribeSettings) -> Engine:
    """The engine that the settings name. Refuses a changed setting that it would ignore."""
    chosen = chosen_engine(settings)
    module = cast(Engine, ENGINES.load(chosen))
    for name, field in TranscribeSettings.model_fields.items():
        if name in module.IGNORES and getattr(settings, name) != field.default:
            raise RostrumError(f"transcribe.{name}: the recogniser {chosen} has no such setting; leave it out")
    return module


def chosen_engine(settings: TranscribeSettings) -> str:
    """The name of the recogniser. For auto, it is the faster one where its words are as good."""
    if settings.engine != "auto":
        return settings.engine
    return "ctranslate2" if ENGINES.load("ctranslate2").is_as_good(settings) else "openai"


class Window:
    """Stretches of speech that are decoded together. Its clock stands still where a silence is cut out.

    A silence of up to `max_pause` seconds is part of it. Of a longer one, half of `max_pause` is kept at either side.
    """

    def __init__(self, stretches: Sequence[Stretch], max_pause: float) -> None:
        self.stretches = tuple(stretches)
        self.max_pause = max_pause
        self.pieces = _pieces(stretches, max_pause)

    @cached_property
    def _begins(self) -> list[float]:
        """When each piece begins on the window's clock, and when the last one ends."""
        return list(accumulate((end - start for start, end in self.pieces), initial=0.0))

    @property
    def length(self) -> float:
        return self._begins[-1]

    def recorded(self, moment: float) -> float:
        """The time in the recording of a moment on the window's clock."""
        index = self._piece_at(moment)
        return self.pieces[index][0] + moment - self._begins[index]

    def read(self, read: ReadSamples, start: float, end: float) -> Samples:
        """The samples from `start` to `end` on the window's clock."""
        parts = [
            read(piece + max(start, begin) - begin, piece + min(end, until) - begin)
            for (piece, _), (begin, until) in zip(self.pieces, pairwise(self._begins), strict=True)
            if begin < end and start < until
        ]
        return np.concatenate(parts)

    def speech_after(self, moment: float) -> float:
        """Seconds of speech from a moment on the window's clock to its end."""
        recorded = self.recorded(moment)
        return sum(max(0.0, end - max(start, recorded)) for start, end in self.stretches)

    def between(self, start: float, end: float) -> "Window | None":
        """The speech between two times of the recording; None if there is none."""
        cut = [(max(first, start), min(last, end)) for first, last in self.stretches if first < end and start < last]
        return Window(cut, self.max_pause) if cut else None

    def in_recording(self, word: Word) -> Word:
        """The word with the times of the recording, not the window. It lies in the piece that has its middle."""
        index = self._piece_at(word.middle)
        first, last = self.pieces[index]
        start, end = (
            round(min(max(first, first + time - self._begins[index]), last), 2) for time in (word.start, word.end)
        )
        return word.model_copy(update={"start": start, "end": end})

    def _piece_at(self, moment: float) -> int:
        return min(max(0, bisect_right(self._begins, moment) - 1), len(self.pieces) - 1)


def _pieces(stretches: Sequence[Stretch], max_pause: float) -> tuple[Stretch, ...]:
    """The spans of the recording that are decoded, without overlap."""
    pieces = [stretches[0]]
    for start, end in stretches[1:]:
        first, last = pieces[-1]
        if start - last <= max_pause:
            pieces[-1] = (first, end)
        else:
            pieces[-1] = (first, last + max_pause / 2)
            pieces.append((start - max_pause / 2, end))
    return tuple(pieces)


def windows(stretches: Sequence[Stretch], max_pause: float, length: float) -> list[Window]:
    """Stretches, in order, packed into windows of at most `length` seconds. A longer stretch has one of its own."""
    packed: list[list[Stretch]] = []
    taken = 0.0
    for start, end in sorted(stretches):
        pause = min(start - packed[-1][-1][1], max_pause) if packed else 0.0
        if packed and taken + pause + end - start <= length:
            packed[-1].append((start, end))
            taken += pause + end - start
        else:
            packed.append([(start, end)])
            taken = end - start
    return [Window(group, max_pause) for group in packed]

"""What the export formats have in common: a speech with all that is annotated on it, and its tiers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.records import Sentence, Turn, Word

# No tool shows an interval shorter than this, and some refuse a file that has one.
_SHORTEST_MS = 1


class Interval(NamedTuple):
    """A text from start to end, in seconds."""

    start: float
    end: float
    text: str


class Tier(NamedTuple):
    """Intervals of one kind, in order and without overlap, at whole milliseconds."""

    name: str
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class AnnotatedSpeech:
    """A speech as the formats take it. `turns` may overlap; `mentions` say which argument a stretch carries."""

    id: str
    duration: float
    words: tuple[Word, ...]
    sentences: tuple[Sentence, ...]
    turns: tuple[Turn, ...] = ()
    exclusive: tuple[Turn, ...] = ()
    mentions: tuple[Interval, ...] = ()

    @property
    def speakers(self) -> tuple[str, ...]:
        """In the order in which they are first heard."""
        return tuple(dict.fromkeys(word.speaker for word in self.words if word.speaker is not None))


def tiers(speech: AnnotatedSpeech) -> tuple[Tier, ...]:
    """Words, sentences, speakers and mentions; a tier of which there is nothing is left out."""
    content = {
        "words": [Interval(word.start, word.end, word.text) for word in speech.words],
        "sentences": [Interval(each.start, each.end, each.text) for each in speech.sentences],
        "speakers": [Interval(turn.start, turn.end, turn.speaker or "speech") for turn in speech.exclusive],
        "mentions": _joined(speech.mentions),
    }
    fitted = (Tier(name, without_overlap(intervals, speech.duration)) for name, intervals in content.items())
    return tuple(tier for tier in fitted if tier.intervals)


def without_overlap(intervals: Iterable[Interval], duration: float) -> tuple[Interval, ...]:
    """The intervals in order, each from where the one before ends, none empty, none past the end of the recording.

    Where the recording ends before an interval begins, its text joins that of the one before.
    """
    last = round(duration * 1000)
    fitted: list[tuple[int, int, str]] = []
    for each in sorted(intervals, key=lambda each: (each.start, each.end)):
        begins = max(round(each.start * 1000), fitted[-1][1] if fitted else 0)
        ends = min(max(round(each.end * 1000), begins + _SHORTEST_MS), last)
        if ends > begins:
            fitted.append((begins, ends, each.text))
        elif fitted:
            fitted[-1] = (*fitted[-1][:2], f"{fitted[-1][2]} {each.text}")
    return tuple(Interval(start / 1000, end / 1000, text) for start, end, text in fitted)


def _joined(intervals: Sequence[Interval]) -> list[Interval]:
    """Texts on the same stretch become one."""
    texts: dict[tuple[float, float], list[str]] = {}
    for each in intervals:
        texts.setdefault((each.start, each.end), []).append(each.text)
    return [Interval(start, end, "; ".join(together)) for (start, end), together in texts.items()]


def name_of(text: str) -> str:
    """A name for formats that part their fields by spaces: an underscore for each run of them."""
    return "_".join(text.split())

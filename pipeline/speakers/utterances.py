"""What was said in a recording, voice by voice: the input of everything that finds out who is who."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

# The voice of sentences that nobody is named for.
UNKNOWN_VOICE = ""


@dataclass(frozen=True)
class Utterance:
    """Sentences that one voice says without another one between them.

    `first` is the index of its first sentence in the recording; times are in seconds, None in a text without times.
    """

    voice: str
    sentences: tuple[str, ...]
    first: int
    start: float | None = None
    end: float | None = None

    @property
    def words(self) -> int:
        """How many words it has."""
        return sum(len(sentence.split()) for sentence in self.sentences)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Said:
    """One sentence, and whose it is."""

    voice: str
    text: str
    start: float | None = None
    end: float | None = None


def utterances(sentences: Iterable[Said]) -> tuple[Utterance, ...]:
    """Neighbouring sentences of one voice together.

    >>> [(one.voice, one.first) for one in utterances([Said("a", "Hi."), Said("a", "So."), Said("b", "Yes.")])]
    [('a', 0), ('b', 2)]
    """
    return tuple(_together(list(sentences)))


def _together(sentences: Sequence[Said]) -> Iterator[Utterance]:
    first = 0
    for voice, run in groupby(sentences, key=lambda sentence: sentence.voice):
        group = list(run)
        yield Utterance(voice, tuple(one.text for one in group), first, group[0].start, group[-1].end)
        first += len(group)

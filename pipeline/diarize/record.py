"""The record of `diarize`: who spoke when, and which speaker said each word."""

from collections.abc import Iterable, Sequence

import numpy as np

from pipeline.records import Record, TimeSpan, Turn, Word


class Voice(Record):
    """What the voice of a speaker sounds like: a vector of length 1. `embedding` is the digest of what made it."""

    speaker: str
    vector: tuple[float, ...]
    embedding: str


# Methods that find turns by voice activity: of the whole recording, and of each channel.
VOICE_ACTIVITY, CHANNELS = "voice activity", "voice activity of each channel"


class Turns(Record):
    """Who spoke when. `turns` may overlap. `exclusive` turns do not; by them, words are assigned to speakers.

    `speech` is where anybody speaks, if that was found apart from who speaks. If each speaker has a microphone,
    `channels` has the speaker of each channel; None for one that nobody speaks into. `voices` has what speakers sound
    like, where they were told apart by that.
    """

    turns: tuple[Turn, ...]
    exclusive: tuple[Turn, ...]
    speakers: tuple[str, ...]
    method: str
    speech: tuple[TimeSpan, ...] | None = None
    channels: tuple[str | None, ...] = ()
    voices: tuple[Voice, ...] = ()

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """(start, end) of every stretch of speech, whoever speaks."""
        spans = self.exclusive if self.speech is None else self.speech
        return [(span.start, span.end) for span in spans]

    def stretches_of(self, speaker: str) -> list[tuple[float, float]]:
        """(start, end) of every turn of a speaker, also where others speak at the same time."""
        return [(turn.start, turn.end) for turn in self.turns if turn.speaker == speaker]

    def used(self, model: str) -> bool:
        if self.method in ("given", "off"):
            return False
        return (model == "silero-vad") == (self.method in (VOICE_ACTIVITY, CHANNELS))

    def figures(self) -> dict[str, float]:
        return {"speakers": len(self.speakers), "spoken": sum(turn.duration for turn in self.exclusive)}


def turns_record(turns: Iterable[Turn], duration: float, method: str, exclusive: Sequence[Turn] | None = None) -> Turns:
    """The record of these turns, in order and cut to the recording; speakers in order of their first word."""
    fitted = _fitted(turns, duration)
    return Turns(
        turns=fitted,
        exclusive=exclusive_turns(fitted) if exclusive is None else _fitted(exclusive, duration),
        speakers=tuple(dict.fromkeys(turn.speaker for turn in fitted if turn.speaker is not None)),
        method=method,
    )


def exclusive_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns without overlap: who has the floor keeps it to the end of their turn."""
    exclusive: list[Turn] = []
    taken_until = 0.0
    for turn in sorted(turns, key=lambda turn: (turn.start, -turn.end)):
        start = max(turn.start, taken_until)
        if turn.end > start:
            exclusive.append(turn.model_copy(update={"start": start}))
            taken_until = turn.end
    return tuple(exclusive)


def _fitted(turns: Iterable[Turn], duration: float) -> tuple[Turn, ...]:
    ordered = sorted(turns, key=lambda turn: (turn.start, turn.end, turn.speaker or ""))
    cut = (turn.model_copy(update={"end": min(turn.end, duration)}) for turn in ordered)
    return tuple(turn for turn in cut if turn.end > turn.start)


def assign_speakers(words: Sequence[Word], turns: Turns, limit: float) -> tuple[Word, ...]:
    """The words, each with the speaker whose exclusive turns it overlaps most.

    A word that overlaps none gets the speaker of the nearest turn if that is at most `limit` seconds away, else None.
    """
    named = sorted((turn for turn in turns.exclusive if turn.speaker is not None), key=lambda turn: turn.start)
    if not words or not named:
        return tuple(word.model_copy(update={"speaker": None}) for word in words)
    times = np.array([(word.start, word.end) for word in words])
    speakers = list(dict.fromkeys(turn.speaker for turn in named))
    spans = np.array([(turn.start, turn.end) for turn in named])
    speaker_of = np.array([speakers.index(turn.speaker) for turn in named])

    overlap = np.stack([_overlap(times, spans[speaker_of == index]) for index in range(len(speakers))])
    chosen = overlap.argmax(axis=0)
    nearest, distance = _nearest(times, spans)
    apart = overlap.max(axis=0) <= 0
    chosen[apart] = speaker_of[nearest[apart]]
    nobody = apart & (distance > limit)
    return tuple(
        word.model_copy(update={"speaker": None if none else speakers[index]})
        for word, index, none in zip(words, chosen, nobody, strict=True)
    )


def _overlap(times: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """For each (start, end) of `times`, the seconds of it that lie in the spans, which do not overlap one another."""
    # The seconds spoken before a moment grow with it inside a span and stand still between two.
    lengths = spans[:, 1] - spans[:, 0]
    before = np.cumsum(lengths) - lengths
    spoken = np.interp(times.ravel(), spans.ravel(), np.stack([before, before + lengths], axis=1).ravel())
    starts, ends = spoken.reshape(times.shape).T
    return np.asarray(ends - starts)


def _nearest(times: np.ndarray, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The index of the span nearest to each of `times`, and how many seconds lie between them; the earlier on a tie."""
    following = np.searchsorted(spans[:, 0], times[:, 0], side="right")
    earlier, later = np.maximum(following - 1, 0), np.minimum(following, len(spans) - 1)
    gaps = np.stack([_gap(times, spans[earlier]), _gap(times, spans[later])])
    return np.where(gaps[0] <= gaps[1], earlier, later), gaps.min(axis=0)


def _gap(times: np.ndarray, spans: np.ndarray) -> np.ndarray:
    apart = np.maximum(spans[:, 0] - times[:, 1], times[:, 0] - spans[:, 1])
    return np.asarray(np.maximum(0.0, apart))

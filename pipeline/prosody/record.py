"""The record of `prosody`."""

from statistics import median

from pipeline.records import Attachment, Record, Seconds, Timed


class Measures(Timed, Record):
    """Features of a part of a speech: transcript words `first` up to, not including, `last`.

    `normalised` has each value in standard deviations from the mean of the speaker's parts. A feature that is not
    defined here is None in `values`, and `reasons` says why. If there are too few parts, or all are equal, `normalised`
    is None.
    """

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None
    values: dict[str, float | None]
    normalised: dict[str, float | None]
    reasons: dict[str, str]


class WordEmphasis(Record):
    """How much a word is stressed. `pitch`, `energy` and `duration` are in standard deviations from the speaker's mean.

    `emphasis` is the mean of the three.
    """

    emphasis: float | None
    pitch: float | None
    energy: float | None
    duration: float | None
    reason: str | None = None


class SpeakerNorm(Record):
    """A speaker's mean and standard deviation of each feature, over their sentences."""

    speaker: str | None
    count: int
    mean: dict[str, float]
    deviation: dict[str, float]


class Prosody(Record):
    """How a speech sounds: features of each sentence and of each group of words between pauses, emphasis of each word.

    `contours` is an .npz with one array per contour and one frame every 10 ms, NaN where a value is not defined.
    `egemaps`, if a setting asks for it, is an .npz with the features of the eGeMAPS set, one row per sentence.
    """

    sentences: tuple[Measures, ...]
    groups: tuple[Measures, ...]
    words: tuple[WordEmphasis, ...]
    speakers: tuple[SpeakerNorm, ...]
    contours: Attachment
    egemaps: Attachment | None = None

    def figures(self) -> dict[str, float]:
        pitches = [value for sentence in self.sentences if (value := sentence.values.get("f0_median")) is not None]
        return {"pitch": median(pitches)} if pitches else {}

"""How like an argument a speech is: cosines of passages and titles, and the features that a detector weighs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.arrays import Floats, Floats32, Matrix
from pipeline.matching.matcher import Matcher
from pipeline.text.encoders.sentence_encoder import Encoder

# Several sentences as one unit vector.
PassageVector = Callable[[Encoder, Sequence[str]], Floats32]
Configuration = Literal["title-speech", "arg-speech", "title-sentence", "arg-sentence", "title-window", "arg-window"]
CONFIGURATIONS: tuple[Configuration, ...] = (
    "title-speech",
    "arg-speech",
    "title-sentence",
    "arg-sentence",
    "title-window",
    "arg-window",
)
WINDOW_SIZES = (2, 3, 4)

CONTRASTS = ("title-contrast", "arg-contrast")
LIKENESS = "likeness"
POSITION = "position"
COVERAGE = "arg-coverage"
NEARNESS = "title-nearness"
# By the scores of a key point matcher.
POINT_MARGIN = "point-margin"
POINT_BEST = "point-best"
POINTS = (POINT_MARGIN, POINT_BEST)
FEATURES: tuple[str, ...] = (*CONFIGURATIONS, *CONTRASTS, COVERAGE, LIKENESS, POSITION, NEARNESS, *POINTS)

# Each single configuration does well on some kinds of data only. Their mean does well on all.
_LIKENESS_OF = ("title-window", "arg-window", *CONTRASTS, COVERAGE)
_BEST = 3


@dataclass(frozen=True)
class SpeechVectors:
    """A speech as unit vectors. `units` are its sentences, then windows of 2 to 4 sentences, as `spans` says of each:
    sentences `first` up to, not including, `last`.
    """

    whole: Floats32
    units: Floats32
    spans: tuple[tuple[int, int], ...]

    @property
    def sentences(self) -> Floats32:
        return self.units[: sum(last - first == 1 for first, last in self.spans)]


@dataclass(frozen=True)
class ArgumentVectors:
    """The arguments of a list as unit vectors: the titles, one row per argument; titles with texts as one; and of each
    argument its title and the sentences of its text.
    """

    titles: Floats32
    texts: Floats32
    sentences: tuple[Floats32, ...]


def mean_of_sentences(encoder: Encoder, sentences: Sequence[str]) -> Floats32:
    """The unit vector of a passage: the mean of its sentences' vectors."""
    return _unit(encoder.encode(sentences).mean(axis=0, keepdims=True)).ravel()


def speech_vectors(
    encoder: Encoder, sentences: Sequence[str], passage: PassageVector = mean_of_sentences
) -> SpeechVectors:
    """The vectors of a speech of at least one sentence.

    A window's vector is the mean of its sentences' vectors, so each sentence is embedded once. On debates this tells
    as much as embedding each window.
    """
    vectors = encoder.encode(sentences)
    spans = passages(len(sentences))
    units = _unit(np.stack([vectors[first:last].mean(axis=0) for first, last in spans]))
    return SpeechVectors(passage(encoder, sentences), units, spans)


def argument_vectors(
    encoder: Encoder,
    titles: Sequence[str],
    texts: Sequence[Sequence[str]],
    passage: PassageVector = mean_of_sentences,
) -> ArgumentVectors:
    """The vectors of arguments; `texts` has the sentences of each text. An argument without a text is its title."""
    statements = [[title, *text] for title, text in zip(titles, texts, strict=True)]
    return ArgumentVectors(
        titles=encoder.encode(titles),
        texts=np.stack([passage(encoder, argument) for argument in statements]),
        sentences=tuple(encoder.encode(argument) for argument in statements),
    )


def scores(arguments: ArgumentVectors, speech: SpeechVectors, configuration: Configuration) -> Floats32:
    """The cosine of each argument with the speech, or with that of its sentences or windows that is most like it."""
    ours, theirs = configuration.split("-")
    queries = arguments.titles if ours == "title" else arguments.texts
    if theirs == "speech":
        return np.asarray(queries @ speech.whole)
    units = speech.sentences if theirs == "sentence" else speech.units
    return np.asarray((queries @ units.T).max(axis=1))


def passages(sentences: int) -> tuple[tuple[int, int], ...]:
    """Every sentence of a speech, then its windows: sentences `first` up to, not including, `last`.

    >>> passages(3)
    ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3))
    """
    return tuple((first, first + size) for size in (1, *WINDOW_SIZES) for first in range(sentences - size + 1))


def _unit(vectors: Floats32) -> Floats32:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def feature_table(arguments: ArgumentVectors, speech: SpeechVectors, points: Sequence[Matrix] | None = None) -> Matrix:
    """One row per argument of one list, one column per feature, in the order of FEATURES.

    A speech is similar to all arguments on its motion, so that only differences tell. Similarities are therefore in
    standard deviations from the list's mean, and 0 in a list of one. A contrast is how much more similar the best three
    sentences are to this argument than to the others. Coverage is how well the speech has each of its sentences.
    `likeness` is the mean of windows, contrasts and coverage. `position` is where in the speech the passage most
    similar to the title begins, from 0 to 1. Nearness is the mean similarity of all sentences.

    `points` are a matcher's scores of the sentences (rows), for each argument with its title and the sentences of its
    text. From them come two features: by how much a sentence makes this point more than any other of the list, and how
    well the best sentence makes each of these statements, by score and similarity. Neither is relative to the list's
    mean. Without `points` both are 0.
    """
    similarities = [scores(arguments, speech, name) for name in CONFIGURATIONS]
    contrasts = [_contrast(queries, speech.sentences) for queries in (arguments.titles, arguments.texts)]
    coverage = np.array([(sentences @ speech.units.T).max(axis=1).mean() for sentences in arguments.sentences])
    standing = standardised(np.column_stack([*similarities, *contrasts, coverage]))
    likeness = standing[:, columns(_LIKENESS_OF)].mean(axis=1)
    best = (arguments.titles @ speech.units.T).argmax(axis=1)
    position = np.array([speech.spans[unit][0] for unit in best]) / len(speech.sentences)
    nearness = standardised((arguments.titles @ speech.sentences.T).mean(axis=1, keepdims=True))
    return np.column_stack([standing, likeness, position, nearness, *_of_points(arguments, speech, points)])


def columns(names: Sequence[str]) -> list[int]:
    """The columns of a feature table that have these features."""
    return [FEATURES.index(name) for name in names]


def _contrast(queries: Floats32, sentences: Floats32) -> Floats32:
    """How much more similar the best three sentences are to each argument than to the list's others."""
    similarities = queries @ sentences.T
    contrast = np.sort(similarities - similarities.mean(axis=0), axis=1)
    return np.asarray(contrast[:, -_BEST:].mean(axis=1))


def _of_points(arguments: ArgumentVectors, speech: SpeechVectors, points: Sequence[Matrix] | None) -> Matrix:
    """The features by a matcher's scores, in the order of POINTS."""
    if points is None:
        return np.zeros((len(POINTS), len(arguments.titles)))
    margin = _margin(np.stack([scores.max(axis=1) for scores in points]))
    cosines = (speech.sentences @ sentences.T for sentences in arguments.sentences)
    best = [((scores + cosine) / 2).max(axis=0) for scores, cosine in zip(points, cosines, strict=True)]
    # the title counts as much as all of its statements together: a long text has no more chances than a short one
    return np.stack([margin, [(scores[0] + scores.mean()) / 2 for scores in best]])


def _margin(scores: Matrix) -> Floats:
    """For each argument (row), the most by which a sentence (column) scores higher with it than with any other one.

    In a list of one it is 0.
    """
    if len(scores) == 1:
        return np.zeros(1)
    ordered = np.sort(scores, axis=0)
    others = np.where(np.arange(len(scores))[:, None] == scores.argmax(axis=0), ordered[-2], ordered[-1])
    return np.asarray((scores - others).max(axis=1))


def point_scores(
    matcher: Matcher, motion: str, said: Sequence[str], titles: Sequence[str], texts: Sequence[Sequence[str]]
) -> list[Matrix]:
    """For each argument a matcher's scores of what was said (rows) with its title and the sentences of its text."""
    statements = [[title, *text] for title, text in zip(titles, texts, strict=True)]
    scores = matcher.scores(motion, said, [sentence for argument in statements for sentence in argument])
    ends = np.cumsum([len(argument) for argument in statements])
    return np.split(scores, ends[:-1], axis=1)


def standardised(values: Floats | Floats32) -> Matrix:
    """Each column standardised to mean 0 and standard deviation 1."""
    values = values.astype(np.float64)
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 1e-6, spread, 1))

"""How like an argument a speech is: its title or text against the whole speech, the sentences, windows of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.arrays import Vectors
from pipeline.text.encoders.sentence_encoder import Encoder

# Several sentences as one unit vector.
PassageVector = Callable[[Encoder, Sequence[str]], Vectors]
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


@dataclass(frozen=True)
class SpeechVectors:
    """A speech as unit vectors. `units` are its sentences, then windows of 2 to 4 sentences, as `spans` says of each:
    sentences `first` up to, not including, `last`.
    """

    whole: Vectors
    units: Vectors
    spans: tuple[tuple[int, int], ...]

    @property
    def sentences(self) -> Vectors:
        return self.units[: sum(last - first == 1 for first, last in self.spans)]


@dataclass(frozen=True)
class ArgumentVectors:
    """The arguments of a list as unit vectors: the titles, one row per argument; titles with texts as one; and of each
    argument its title and the sentences of its text.
    """

    titles: Vectors
    texts: Vectors
    sentences: tuple[Vectors, ...]


def mean_of_sentences(encoder: Encoder, sentences: Sequence[str]) -> Vectors:
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
    whole = [[title, *text] for title, text in zip(titles, texts, strict=True)]
    return ArgumentVectors(
        titles=encoder.encode(titles),
        texts=np.stack([passage(encoder, each) for each in whole]),
        sentences=tuple(encoder.encode(each) for each in whole),
    )


def scores(arguments: ArgumentVectors, speech: SpeechVectors, configuration: Configuration) -> Vectors:
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


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)

"""How like an argument a speech is: its title or text against the whole speech, the sentences, windows of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.listening.word_mean import WordMeanEncoder
from pipeline.text.encoder import Encoder

Vectors = NDArray[np.float32]
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
    """The arguments of a list as unit vectors: the titles, a row an argument; titles with texts as one; and of each
    argument its title and the sentences of its text.
    """

    titles: Vectors
    texts: Vectors
    sentences: tuple[Vectors, ...]


def speech_vectors(encoder: Encoder, sentences: Sequence[str]) -> SpeechVectors:
    """A speech of at least one sentence. A window is the mean of its sentences: each sentence is embedded once.

    On debates a window's mean tells as much as the window embedded anew, and costs nothing.
    """
    vectors = encoder.encode(sentences)
    spans = tuple(_spans(len(sentences)))
    units = _unit(np.stack([vectors[first:last].mean(axis=0) for first, last in spans]))
    return SpeechVectors(_passage(encoder, sentences), units, spans)


def argument_vectors(encoder: Encoder, titles: Sequence[str], texts: Sequence[Sequence[str]]) -> ArgumentVectors:
    """Titles, and texts as their sentences; an argument without a text is its title."""
    passages = [[title, *text] for title, text in zip(titles, texts, strict=True)]
    return ArgumentVectors(
        titles=encoder.encode(titles),
        texts=np.stack([_passage(encoder, passage) for passage in passages]),
        sentences=tuple(encoder.encode(passage) for passage in passages),
    )


def scores(arguments: ArgumentVectors, speech: SpeechVectors, configuration: Configuration) -> Vectors:
    """The cosine of each argument with the speech, or with that of its sentences or windows that is most like it."""
    ours, theirs = configuration.split("-")
    queries = arguments.titles if ours == "title" else arguments.texts
    if theirs == "speech":
        return np.asarray(queries @ speech.whole)
    units = speech.sentences if theirs == "sentence" else speech.units
    return np.asarray((queries @ units.T).max(axis=1))


def _passage(encoder: Encoder, sentences: Sequence[str]) -> Vectors:
    """Several sentences as one unit vector: word means take them as one text, sentence encoders one by one."""
    if isinstance(encoder, WordMeanEncoder):
        return encoder.encode([" ".join(sentences)]).ravel()
    return _unit(encoder.encode(sentences).mean(axis=0, keepdims=True)).ravel()


def _spans(sentences: int) -> Iterator[tuple[int, int]]:
    for size in (1, *WINDOW_SIZES):
        for first in range(sentences - size + 1):
            yield first, first + size


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)

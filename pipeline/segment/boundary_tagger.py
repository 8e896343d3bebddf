"""Punctuation and capitals for words that have none: a small network over words in context and their timing."""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline import models
from pipeline.arrays import Floats, Floats32, Indices, Mask
from pipeline.errors import RostrumError
from pipeline.models.stored import check_encoder
from pipeline.records import Word
from pipeline.segment.human_marks import COMMA, FULL_STOP, MARKS, NONE, QUESTION
from pipeline.system.files import write_file
from pipeline.text.encoders.word_vectors import bare, load_contextual
from pipeline.text.sentences import asks, speaker_runs

FORMAT = "rostrum boundary tagger 1"
FILE = "segmenter.safetensors"
REACH = 4
# No mark, a comma, the end of a sentence; and whether the word is written with a capital.
OUTPUTS = 4
CAPITAL = 3

_ENDINGS = ".,?!;:"
# Features of the timing of each word.
FEATURES = 9
# The pause before the first word and after the last one, in seconds; and the longest pause that counts.
_EDGE = 2.0
_LONGEST = 3.0
# By how much the logarithm of a word's duration grows with that of its number of letters, in IBM's debates.
_GROWTH = 1.07
_NEIGHBOURHOOD = 10


class Thresholds(NamedTuple):
    """The probabilities from which on a sentence ends after a word, a comma follows it, and it has a capital."""

    boundary: float = 0.5
    comma: float = 0.5
    capital: float = 0.5


class Inputs(NamedTuple):
    """What the network sees of the words of one speaker: contextual vectors, and timing with neighbours."""

    vectors: Floats32
    timing: Floats32


@dataclass(frozen=True)
class Network:
    """A multilayer perceptron with ReLU. Each layer is a (weights, bias)."""

    layers: tuple[tuple[Floats32, Floats32], ...]

    def __call__(self, rows: Floats32) -> Floats32:
        for weights, bias in self.layers[:-1]:
            rows = np.maximum(rows @ weights + bias, 0.0)
        weights, bias = self.layers[-1]
        return np.asarray(rows @ weights + bias, dtype=np.float32)


@dataclass(frozen=True)
class BoundaryTagger:
    """Networks that vote, how their inputs are scaled, and the thresholds of the decisions."""

    encoder: str
    encoder_digest: str
    encoder_layers: int
    shift: Floats32
    scale: Floats32
    networks: tuple[Network, ...]
    thresholds: Thresholds

    def inputs(self, words: Sequence[Word]) -> Inputs:
        """What the network sees, unscaled."""
        return inputs(words, self.encoder, self.encoder_layers)

    def probabilities(self, given: Inputs) -> Floats32:
        """One row per word: the probability of no mark, a comma, and an end after it; then that it has a capital."""
        rows = stacked(given, self.shift, self.scale)
        mean: Floats32 = np.mean([_probabilities(network(rows)) for network in self.networks], axis=0)
        return mean

    def tag(self, words: Sequence[Word]) -> "Tags":
        """The marks and capitals of words. A sentence ends where the speaker changes."""
        spans = [words[first:last] for first, last, _ in speaker_runs(words)]
        runs = [decide(self.probabilities(self.inputs(span)), self.thresholds, span) for span in spans]
        empty: Indices = np.zeros(0, dtype=np.intp)
        return Tags(
            np.concatenate([empty, *(run.marks for run in runs)]),
            np.concatenate([empty.astype(bool), *(run.capitals for run in runs)]),
        )

    def save(self, path: Path) -> None:
        """Write the tagger as safetensors, whole or not at all; all that is not an array is in its header."""
        from safetensors import numpy as tensors

        arrays = {"shift": self.shift, "scale": self.scale}
        for number, network in enumerate(self.networks):
            for layer, (weights, bias) in enumerate(network.layers):
                arrays |= {f"{number}.{layer}.weights": weights, f"{number}.{layer}.bias": bias}
        facts = {
            "format": FORMAT,
            "encoder": self.encoder,
            "encoder_digest": self.encoder_digest,
            "encoder_layers": self.encoder_layers,
            "thresholds": self.thresholds._asdict(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        write_file(path, tensors.save(contiguous, metadata={"rostrum": json.dumps(facts)}), replace=True)

    @classmethod
    def load(cls, path: Path) -> "BoundaryTagger":
        """A tagger that `save` wrote."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                facts = json.loads(file.metadata()["rostrum"])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 -- it is no dict
            if facts["format"] != FORMAT:
                raise ValueError(facts["format"])
            return cls(
                encoder=facts["encoder"],
                encoder_digest=facts["encoder_digest"],
                encoder_layers=facts["encoder_layers"],
                shift=arrays["shift"],
                scale=arrays["scale"],
                networks=_networks(arrays),
                thresholds=Thresholds(**facts["thresholds"]),
            )
        except FileNotFoundError as error:
            raise RostrumError(f"{path}: no boundary tagger there; make one with: rostrum train segmenter") from error
        except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
            raise RostrumError(f"{path}: not a boundary tagger; make one with: rostrum train segmenter") from error


def _networks(arrays: dict[str, Floats32]) -> tuple[Network, ...]:
    shape = sorted({tuple(map(int, name.split(".")[:2])) for name in arrays if name[0].isdigit()})
    return tuple(
        Network(
            tuple(
                (arrays[f"{number}.{layer}.weights"], arrays[f"{number}.{layer}.bias"])
                for own, layer in shape
                if own == number
            )
        )
        for number in dict.fromkeys(number for number, _ in shape)
    )


class Tags(NamedTuple):
    """One mark per word (as `human_marks` has them), and whether the word has a capital."""

    marks: Indices
    capitals: Mask

    @property
    def ends(self) -> list[int]:
        """How many words stand before each end of a sentence."""
        ends: list[int] = (np.flatnonzero(self.marks >= FULL_STOP) + 1).tolist()
        return ends

    def written(self, words: Sequence[Word]) -> list[str]:
        """The words with their marks and capitals; what the recogniser wrote with a capital keeps it."""
        starts = {0, *self.ends}
        return [
            _written(word.text, MARKS[mark], bool(capital) or index in starts)
            for index, (word, mark, capital) in enumerate(zip(words, self.marks, self.capitals, strict=True))
        ]


def _written(text: str, mark: str, capital: bool) -> str:
    # 'U.' keeps its own full stop
    plain = text if len(text) == 2 and text[0].isupper() else text.rstrip(_ENDINGS) or text
    if plain.split("'")[0] == "i":
        capital = True
    return (plain[:1].upper() + plain[1:] if capital else plain) + ("" if plain.endswith(mark) else mark)


def inputs(words: Sequence[Word], encoder: str, layers: int) -> Inputs:
    """What a network sees of the words of one speaker."""
    vectors = load_contextual(encoder, layers).vectors([word.text for word in words])
    return Inputs(vectors, timing(words))


def stacked(given: Inputs, shift: Floats32, scale: Floats32) -> Floats32:
    """One row per word: its vector and that of the next word, scaled, and the timing around it."""
    width = given.vectors.shape[1]
    vectors = (given.vectors - shift[:width]) / scale[:width]
    times = (given.timing - shift[width:]) / scale[width:]
    following = np.pad(vectors, ((0, 1), (0, 0)))[1:]
    return np.concatenate([vectors, following, with_neighbours(times, REACH)], axis=1)


def _probabilities(outputs: Floats32) -> Floats32:
    marks = np.exp(outputs[:, :CAPITAL] - outputs[:, :CAPITAL].max(axis=1, keepdims=True))
    capital = 1 / (1 + np.exp(-outputs[:, CAPITAL:]))
    return np.concatenate([marks / marks.sum(axis=1, keepdims=True), capital], axis=1)


def decide(probabilities: Floats32, thresholds: Thresholds, words: Sequence[Word]) -> Tags:
    """Marks and capitals by their thresholds. The last word ends a sentence. First words make a sentence a question."""
    ends = probabilities[:, FULL_STOP] >= thresholds.boundary
    ends[-1:] = True
    commas = probabilities[:, COMMA] >= thresholds.comma
    marks = np.where(ends, FULL_STOP, np.where(commas, COMMA, NONE)).astype(np.intp)
    texts = [bare(word.text) for word in words]
    for first, last in pairwise([0, *(np.flatnonzero(ends) + 1).tolist()]):
        if asks(texts[first:last]):
            marks[last - 1] = QUESTION
    return Tags(marks, probabilities[:, CAPITAL] >= thresholds.capital)


# The boundary tagger that a user has: by path, or the one they trained into the model cache.


def timing(words: Sequence[Word]) -> Floats32:
    """One row per word: pauses in absolute and in the speaker's own terms, and how long the word is for its letters."""
    from scipy.stats import rankdata

    if not words:
        return np.zeros((0, FEATURES), dtype=np.float32)
    starts, ends = np.array([(word.start, word.end) for word in words]).T
    after = np.append(np.maximum(starts[1:] - ends[:-1], 0.0), _EDGE)
    before = np.insert(after[:-1], 0, _EDGE)
    log_after, log_before = (np.log(np.minimum(pauses, _LONGEST) + 0.05) for pauses in (after, before))
    log_duration = np.log(np.maximum(ends - starts, 0.0) + 0.02)
    length = _lengthening(words, log_duration)
    rows = [
        log_after,
        log_before,
        after > 0.015,
        before > 0.015,
        length,
        np.append(length[1:], 0.0),
        log_after - _local_mean(log_after),
        rankdata(after) / len(after),
        log_duration,
    ]
    return np.column_stack(rows).astype(np.float32)


def _lengthening(words: Sequence[Word], log_duration: Floats) -> Floats:
    """How much longer a word is than its letters let expect, in the speaker's own tempo and spread."""
    letters = np.array([max(len(bare(word.text)), 1) for word in words])
    unexplained = log_duration - _GROWTH * np.log(letters + 1)
    unexplained = unexplained - unexplained.mean()
    lengthening: Floats = unexplained / max(float(unexplained.std()), 0.2)
    return lengthening


def _local_mean(values: Floats) -> Floats:
    padded = np.pad(values, _NEIGHBOURHOOD, mode="edge")
    return np.convolve(padded, np.full(2 * _NEIGHBOURHOOD + 1, 1 / (2 * _NEIGHBOURHOOD + 1)), mode="valid")


def with_neighbours(rows: Floats32, reach: int) -> Floats32:
    """Each row beside those of the `reach` words before and after it; zeros where there are none."""
    padded = np.pad(rows, ((reach, reach), (0, 0)))
    return np.concatenate([padded[shift : shift + len(rows)] for shift in range(2 * reach + 1)], axis=1)


def tagger_path(given: str | None) -> Path:
    """The tagger's file: the given path, else the one in the model cache."""
    return Path(given).expanduser() if given else models.cache_folder() / FILE


def tagger_digest(given: str | None) -> str | None:
    """The digest of the tagger; None where none was given and none is in the model cache."""
    path = tagger_path(given)
    if not path.exists() and not given:
        return None
    return models.find(path).digest


def load_tagger(given: str | None) -> BoundaryTagger:
    """The tagger. The encoder that it was trained with must be on this machine."""
    path = tagger_path(given)
    return _loaded(path, models.find(path).digest if path.exists() else "")


@functools.lru_cache(maxsize=2)
def _loaded(path: Path, digest: str) -> BoundaryTagger:
    tagger = BoundaryTagger.load(path)
    check_encoder(path, tagger.encoder, tagger.encoder_digest, "segmenter")
    return tagger

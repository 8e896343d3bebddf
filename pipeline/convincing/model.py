"""A trained model of convincingness as one small file, and its judgement of arguments on one topic."""

import hashlib
import json
from dataclasses import dataclass
from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline import models
from pipeline.arrays import Integers, Matrix, Vector
from pipeline.convincing.preference import KernelBlock, Learned, PreferenceModel, PreferencePairs, learn
from pipeline.convincing.representation import (
    CENTRALITY_PHRASE,
    CONTENT_PHRASE,
    VIEWS,
    Scale,
    View,
    described,
)
from pipeline.convincing.stage import Agreement
from pipeline.counter import Reason
from pipeline.errors import RostrumError
from pipeline.system.files import read_file, write_file
from pipeline.text.encoders.sentence_encoder import load_encoder

FORMAT = 1
DEFAULT = "default"
TRAINED = "trained"
# The precision of stored landmarks, which keeps the file small. A model is fitted to numbers rounded to it.
_STORED = np.float16


@dataclass(frozen=True)
class Provenance:
    """Where a model comes from, and how good it was on topics it had not seen and on other collections."""

    view: str
    encoder: str
    encoder_digest: str
    trained_on: str
    licence: str
    pairs: int
    accuracy: float | None = None
    accuracy_low: float | None = None
    accuracy_high: float | None = None
    spearman: float | None = None
    elsewhere: tuple[Agreement, ...] = ()


@dataclass(frozen=True)
class ConvincingModel:
    """Utilities of texts on one topic, probabilities between two of them, and why."""

    learned: Learned
    facts: Provenance

    @property
    def view(self) -> View:
        return VIEWS[self.facts.view]

    def rows(self, texts: list[str]) -> Matrix:
        """The texts of one topic as the model sees them."""
        encoder = load_encoder(self.facts.encoder)
        if encoder.digest != self.facts.encoder_digest:
            raise RostrumError(
                f"the model of convincingness was trained with other weights of {self.facts.encoder}; "
                f"get those by: rostrum models fetch {self.facts.encoder}, or train it anew: rostrum train convincing"
            )
        topic = np.zeros(len(texts), dtype=np.int64)
        return self.learned.scale(described(texts, topic, self.view, encoder))

    def log_odds(self, rows: Matrix) -> Vector:
        """How convincing each is, so that a difference is the log odds of one winning over another."""
        return self.learned.model.temperature * self.learned.model.utilities(rows)

    def reasons(self, winner: Matrix, loser: Matrix, most: int = 3) -> tuple[Reason, ...]:
        """The features that speak most for the winner, in log odds and as a share of all that speaks for it."""
        log_odds = self.learned.model.temperature * self.learned.model.contributions(winner, loser)
        phrases = [*(feature.phrase for feature in self.view.features), CENTRALITY_PHRASE, CONTENT_PHRASE]
        columns = [*log_odds[: len(phrases) - 1], log_odds[len(phrases) - 1 :].sum()]
        parts = [(phrase, float(value)) for phrase, value in zip(phrases, columns, strict=True) if value > 0]
        parts.sort(key=lambda part: -part[1])
        total = sum(value for _, value in parts)
        return tuple(Reason(name=phrase, score=value, share=value / total) for phrase, value in parts[:most])


def train(texts: tuple[str, ...], topic_of: Integers, winner: Integers, loser: Integers, facts: Provenance) -> Learned:
    """The model of these pairs, its numbers rounded as they are stored."""
    view = VIEWS[facts.view]
    rows = described(texts, topic_of, view, load_encoder(facts.encoder))
    pairs = PreferencePairs(winner, loser, topic_of[winner])
    return learn(rows, len(view.columns), pairs, rounded_to=_STORED)


def save(model: ConvincingModel, path: Path) -> None:
    """Write one .npz of plain arrays."""
    preference = model.learned.model
    header = {
        "format": FORMAT,
        "facts": {**vars(model.facts), "elsewhere": [agreement.model_dump() for agreement in model.facts.elsewhere]},
        "temperature": preference.temperature,
        "variance": model.learned.variance,
        "blocks": [[b.columns.start, b.columns.stop, b.variance, b.length_scale] for b in preference.blocks],
    }
    content = BytesIO()
    np.savez_compressed(
        content,
        header=np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8),
        landmarks=preference.landmarks.astype(_STORED),
        weights=preference.weights,
        mean=model.learned.scale.mean,
        spread=model.learned.scale.spread,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content.getvalue(), replace=True)


def load(name_or_path: str = DEFAULT) -> ConvincingModel:
    """The model that comes with rostrum, the one that was trained here, or one by its path."""
    with as_file(_address(name_or_path)) as path:
        try:
            with np.load(BytesIO(read_file(path)), allow_pickle=False) as arrays:
                return _read({name: arrays[name] for name in arrays.files})
        except FileNotFoundError as error:
            raise RostrumError(f"{path}: no such model; make one with: rostrum train convincing") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RostrumError(f"{path}: not a model of this version of `rostrum train convincing`") from error


def digest(name_or_path: str = DEFAULT) -> str:
    """sha256 of the model's file."""
    try:
        return hashlib.sha256(read_file(_address(name_or_path))).hexdigest()
    except OSError as error:
        raise RostrumError(f"{_address(name_or_path)}: cannot read the model: {error.strerror}") from error


def trained_path() -> Path:
    """Where `rostrum train convincing` leaves its model."""
    return models.cache_folder() / "convincing.npz"


def _address(name_or_path: str) -> Any:
    if name_or_path == DEFAULT:
        return files("pipeline.convincing") / "default.npz"
    return trained_path() if name_or_path == TRAINED else Path(name_or_path)


def _read(arrays: dict[str, NDArray[Any]]) -> ConvincingModel:
    header = json.loads(arrays["header"].tobytes())
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']}, not {FORMAT}; train it anew")
    blocks = tuple(
        KernelBlock(slice(start, stop), variance, scale) for start, stop, variance, scale in header["blocks"]
    )
    landmarks = arrays["landmarks"].astype(np.float64)
    preference = PreferenceModel(blocks, landmarks, arrays["weights"], header["temperature"])
    learned = Learned(Scale(arrays["mean"], arrays["spread"]), preference, header["variance"])
    elsewhere = tuple(Agreement(**agreement) for agreement in header["facts"].pop("elsewhere", ()))
    return ConvincingModel(learned, Provenance(**header["facts"], elsewhere=elsewhere))

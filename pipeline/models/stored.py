"""Weights in files: linear models as JSON that a person can read, and tensors, read without running code in them."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.arrays import Floats
from pipeline.errors import RostrumError
from pipeline.models.finding import find
from pipeline.system.files import read_file, write_file

Value = TypeVar("Value", float, Floats)


class FeatureWeight(BaseModel):
    """The weight of a feature, once it is standardised to mean 0 and deviation 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    deviation: float
    weight: float

    def contribution(self, value: Value) -> Value:
        """How much this value, or each of these values, adds to the score of an average example."""
        return self.weight * (value - self.mean) / self.deviation


def feature_weights(names: Sequence[str], scaler: Any, weights: Floats) -> dict[str, FeatureWeight]:
    """The weight of each feature that scikit-learn's `StandardScaler` standardised, rounded as it is stored."""
    return {
        name: FeatureWeight(mean=six_decimals(mean), deviation=six_decimals(deviation), weight=six_decimals(weight))
        for name, mean, deviation, weight in zip(names, scaler.mean_, scaler.scale_, weights, strict=True)
    }


def six_decimals(value: float) -> float:
    """The number as it is stored: the same file from the same data on machines whose last digits differ."""
    return round(float(value), 6) + 0.0


class StoredModel(BaseModel):
    """A model with a file of its own. `noun` is what an error calls it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    noun: ClassVar[str]

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @classmethod
    def read(cls, path: Path) -> Self:
        """A model from its file."""
        try:
            return cls.model_validate_json(read_file(path))
        except OSError as error:
            raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
        except ValidationError as error:
            raise RostrumError(f"{path}: not {cls.noun} ({error.errors()[0]['msg']})") from error

    def write(self, path: Path) -> None:
        """Write the model to its file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, f"{self.model_dump_json(indent=1)}\n".encode(), replace=True)


def check_encoder(file: Path, encoder: str, digest: str, training: str) -> None:
    """Raise an error if the encoder on this machine is not the one that the model in a file was trained on.

    `training` is the command that trains it.
    """
    if find(encoder).digest != digest:
        raise RostrumError(
            f"{file}: trained on another {encoder} than the one on this machine; "
            f"train it again: rostrum train {training} --data DIR"
        )


def load_tensors(path: Path, *, allowed: Sequence[type] = ()) -> Any:
    """The content of a file that `torch.save` made, on the CPU. It may contain objects of the `allowed` classes.

    A file that can only be read by running code in it is an error.
    """
    import torch

    try:
        with torch.serialization.safe_globals(list(allowed)):
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file can raise errors of many kinds
        if "GLOBAL" in str(error):
            raise RostrumError(
                f"{path}: not loaded, because loading it would run code that is in it; if you trust it, convert it to "
                "tensors (docs/models.md says how)"
            ) from error
        raise RostrumError(f"{path}: cannot be read as weights; is it complete, and of the right kind?") from error

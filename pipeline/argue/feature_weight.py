"""The weight of one feature in a linear model that is stored as JSON."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from pipeline.arrays import Floats

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

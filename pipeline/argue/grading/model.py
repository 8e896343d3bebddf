"""A scoring model: a weighted sum of features in a small JSON file that a person can read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pipeline import models
from pipeline.argue.coverage import Terms, smoothed_idf
from pipeline.argue.grading.features import Features
from pipeline.argue.stored_model import FeatureWeight, StoredModel

FILE = "score.json"
TRAINED = "trained"


class HumanAgreement(BaseModel):
    """How far scores agree with people's on prompts left out, and how far a second person agrees with the first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    responses: int
    prompts: int
    kappa: float | None
    pearson: float | None
    second_person_kappa: float | None = None


class ScoringModel(StoredModel):
    """Scores by features. `half_width` is the error that nine of ten answers to prompts left out stay below."""

    noun = "a model of `rostrum train score`"

    format: Literal["rostrum scoring model 1"] = "rostrum scoring model 1"
    trained_on: str
    unit: Literal["words", "stems"]
    stop_words: bool
    references: int
    encoder: str | None
    encoder_digest: str | None
    weights: dict[str, FeatureWeight]
    bias: float
    lowest: float
    highest: float
    half_width: float
    agreement: HumanAgreement
    documents: int
    frequencies: dict[str, int]

    @property
    def terms(self) -> Terms:
        return Terms(self.unit, self.stop_words)

    def idf(self, term: str) -> float:
        """Smoothed inverse document frequency over the answers it was trained on."""
        return smoothed_idf(self.frequencies.get(term, 0), self.documents)

    def contributions(self, features: Features) -> dict[str, float]:
        """What each feature adds to the average score."""
        return {name: weight.contribution(features[name]) for name, weight in self.weights.items()}

    def score(self, contributions: Mapping[str, float]) -> float:
        """The score, within the range of the scores that people gave."""
        return min(max(self.bias + sum(contributions.values()), self.lowest), self.highest)


def trained_path() -> Path:
    """Where `rostrum train score` leaves its model."""
    return models.cache_folder() / FILE


def model_path(name_or_path: str) -> Path:
    """The file of the model that was trained here, or the one of that path."""
    return trained_path() if name_or_path == TRAINED else Path(name_or_path).expanduser()

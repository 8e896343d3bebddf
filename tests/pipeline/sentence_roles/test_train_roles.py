"""What the classifier of sentences learns from, and that the shipped one is what the training makes."""

from pathlib import Path

import numpy as np
import pytest

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.sentence_roles.roles import ENCODER, ArgumentClassifier, load_classifier
from pipeline.sentence_roles.train_roles import ATTRIBUTION, _asides, learn

CLAIMS = ["Zoos harm the animals they keep", "Phones distract pupils from learning", "Taxes make the poor poorer"]
ASIDES = ["Thank you very much", "You have two minutes", "My name is Anna and I am a teacher"]


@pytest.fixture(autouse=True)
def _has_encoder() -> None:
    try:
        models.find(ENCODER)
    except RostrumError as error:
        pytest.skip(str(error))


def test_what_is_learned_tells_claims_from_asides_and_is_stored(tmp_path: Path) -> None:
    learned = learn(CLAIMS * 5, ASIDES * 5)
    learned.write(tmp_path / "argues.json")
    probabilities = ArgumentClassifier.read(tmp_path / "argues.json").probabilities([*CLAIMS, *ASIDES])
    assert min(probabilities[:3]) > max(probabilities[3:])


def test_asides_have_their_braces_filled_in_and_come_again_by_the_seed() -> None:
    once, again = (list(_asides(["We should ban zoos"], np.random.default_rng(3))) for _ in range(2))
    assert once == again
    assert not any("{" in aside for aside in once)
    assert any("ban zoos" in aside for aside in once)


def test_the_shipped_file_names_its_data_and_licences() -> None:
    assert load_classifier().attribution == ATTRIBUTION
    assert "CC-BY-SA 4.0" in ATTRIBUTION

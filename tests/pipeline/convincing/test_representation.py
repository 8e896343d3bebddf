import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.convincing.representation import FEATURES, SPOKEN, SPOKEN_WITHOUT_LENGTH, WRITTEN, as_spoken, surface

TEXT = "I think we must ban it, because 3 studies prove it!\nSEE http://example.org now"


def values(text):
    return dict(zip((feature.name for feature in FEATURES), surface([text])[0], strict=True))


def test_values_by_hand():
    found = values(TEXT)
    words = ["i", "think", "we", "must", "ban", "it", "because", "3", "studies", "prove", "it", "see", "now"]
    assert found["characters"] == pytest.approx(math.log1p(len(TEXT)))
    assert found["words"] == pytest.approx(math.log1p(len(words)))
    assert found["reasons"] == pytest.approx(2 / len(words))
    assert found["modals"] == pytest.approx(1 / len(words))
    assert found["hedges"] == pytest.approx(1 / len(words))
    assert found["first_person"] == pytest.approx(2 / len(words))
    assert found["exclamations"] == pytest.approx(1 / len(TEXT))
    assert found["numbers"] == pytest.approx(1 / len(TEXT))
    assert found["links"] == pytest.approx(math.log1p(1))
    assert found["paragraphs"] == pytest.approx(math.log1p(1))
    assert found["opens_capital"] == 1.0
    assert found["shouted"] == pytest.approx(1 / len(TEXT))


def test_every_feature_says_what_it_is_for():
    assert all(feature.purpose and feature.phrase for feature in FEATURES)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)


def test_spoken_text_has_neither_marks_nor_features_of_writing():
    assert as_spoken(TEXT) == "i think we must ban it because 3 studies prove it see now"
    assert as_spoken(as_spoken(TEXT)) == as_spoken(TEXT)
    assert not any(feature.written for feature in SPOKEN.features)
    assert not any(feature.length for feature in SPOKEN_WITHOUT_LENGTH.features)
    assert len(WRITTEN.features) == len(FEATURES)


def test_spoken_view_does_not_see_how_a_text_is_written():
    shouted = TEXT.upper().replace("HTTP://EXAMPLE.ORG", "www.other.org")
    assert np.array_equal(surface([as_spoken(TEXT)], SPOKEN.features), surface([as_spoken(shouted)], SPOKEN.features))


@given(st.text(max_size=200))
def test_always_finite(text):
    assert np.isfinite(surface([text, as_spoken(text)])).all()

"""Matchers by name: what comes with rostrum, and what is said of names that mean nothing."""

import pytest

from pipeline.argue.keypoints.matchers import PACKAGED_FILE, SECOND_ENCODER, load_matcher, matcher_digests
from pipeline.argue.keypoints.weights import facts_of
from pipeline.errors import RostrumError

TOPIC = "We should adopt longer school breaks"
SAYS = ["Children concentrate better after they have been outside", "Supervising the yard costs schools money"]
POINTS = ["Breaks help pupils to focus", "Longer breaks are expensive"]


def test_the_weights_that_come_with_rostrum_say_what_they_are():
    facts = facts_of(PACKAGED_FILE)
    assert PACKAGED_FILE.stat().st_size < 5_000_000
    assert facts.base == "all-MiniLM-L6-v2"
    assert "CDLA-Sharing-1.0" in facts.attribution
    assert 0 < facts.threshold < 1


def matcher(name):
    try:
        matcher_digests(name)
    except RostrumError as error:
        pytest.skip(f"weights not on this machine: {error}")
    return load_matcher(name)


@pytest.mark.parametrize("name", ["tuned", "ensemble"])
def test_what_comes_with_rostrum_matches_without_shared_words(name):
    scores = matcher(name).scores(TOPIC, SAYS, POINTS)
    assert scores.argmax(axis=1).tolist() == [0, 1]


def test_the_ensemble_is_named_by_all_its_weights():
    matcher("ensemble")
    assert set(matcher_digests("ensemble")) == {"all-MiniLM-L6-v2", "tuned", SECOND_ENCODER}
    assert matcher_digests("token overlap") == matcher_digests("tf-idf") == {}


def test_weights_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    with pytest.raises(RostrumError, match="rostrum train keypoints --data DIR"):
        load_matcher("trained")
    with pytest.raises(RostrumError):
        load_matcher(str(tmp_path / "no.safetensors"))

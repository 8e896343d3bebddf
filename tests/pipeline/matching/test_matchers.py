"""Matchers by name: what comes with rostrum, and what is said of names that mean nothing."""

from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.table import evaluate
from pipeline.matching.matcher import load_matcher, matcher_digests
from pipeline.matching.matchers.encoders import SECOND_ENCODER, TUNED_BGE_WEIGHTS, TUNED_WEIGHTS
from pipeline.matching.weights import MatcherHeader, header_of
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER
from tests.members import add_member
from tests.pipeline.keypoints.evaluate.test_table import write

TOPIC = "We should adopt longer school breaks"
SAYS = ["Children concentrate better after they have been outside", "Supervising the yard costs schools money"]
POINTS = ["Breaks help pupils to focus", "Longer breaks are expensive"]


@pytest.mark.parametrize(("file", "base"), [(TUNED_WEIGHTS, DEFAULT_ENCODER), (TUNED_BGE_WEIGHTS, SECOND_ENCODER)])
def test_the_weights_that_come_with_rostrum_say_what_they_are(file, base):
    header = header_of(file, MatcherHeader)
    assert file.stat().st_size < 1_000_000
    assert header.base == base
    assert "CDLA-Sharing-1.0" in header.attribution
    assert 0 < header.threshold < 1


def matcher(name):
    try:
        matcher_digests(name)
    except RostrumError as error:
        pytest.skip(f"weights not on this machine: {error}")
    return load_matcher(name)


@pytest.mark.parametrize("name", ["tuned", "tuned-bge", "ensemble"])
def test_what_comes_with_rostrum_matches_without_shared_words(name):
    scores = matcher(name).scores(TOPIC, SAYS, POINTS)
    assert scores.argmax(axis=1).tolist() == [0, 1]


def test_the_ensemble_is_named_by_all_its_weights():
    matcher("ensemble")
    assert set(matcher_digests("ensemble")) == {DEFAULT_ENCODER, "tuned", SECOND_ENCODER, "tuned-bge"}
    assert matcher_digests("token overlap") == matcher_digests("tf-idf") == {}


def test_weights_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    with pytest.raises(RostrumError, match="rostrum train keypoints --data DIR"):
        load_matcher("trained")
    with pytest.raises(RostrumError):
        load_matcher(str(tmp_path / "no.safetensors"))


def test_a_mistyped_matcher_gets_a_suggestion():
    with pytest.raises(RostrumError, match="there is no key point matcher 'ensembel'; did you mean ensemble?"):
        load_matcher("ensembel")


def test_a_kind_that_needs_a_model_is_followed_by_one(tmp_path):
    with pytest.raises(RostrumError, match="nowhere/cross"):
        matcher_digests("cross-encoder:nowhere/cross")


def test_a_matcher_is_one_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = '''
        """same length: whether argument and key point have as many words."""
        from dataclasses import dataclass

        import numpy as np

        from pipeline.matching.matcher import MatcherKind, no_models

        @dataclass(frozen=True)
        class SameLength:
            name: str = "same length"
            digest: str = ""
            threshold: float = 0.5

            def scores(self, topic, arguments, key_points):
                ours, theirs = (np.array([len(text.split()) for text in texts]) for texts in (arguments, key_points))
                return (ours[:, None] == theirs[None, :]).astype(float)

        MATCHERS = (MatcherKind("same length", lambda model: SameLength(), no_models, order=15),)
    '''
    add_member(monkeypatch, tmp_path / "added", "pipeline.matching.matchers", "same_length.py", source)
    assert load_matcher("same length").scores(TOPIC, ["One two"], ["Three four", "Five"]).tolist() == [[1.0, 0.0]]
    assert matcher_digests("same length") == {}
    folder = write(tmp_path / "data", "dev")
    shown = [row["method"] for row in evaluate(folder, encoder="tf-idf").rows if row.get("scorer") == "leaderboard"]
    assert shown[:4] == ["random", "token overlap", "same length", "tf-idf"]

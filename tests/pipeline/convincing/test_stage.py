import pytest

from pipeline.convincing import model as models
from pipeline.convincing.model import save
from pipeline.convincing.stage import ConvincingSettings, Ranking, convincing
from pipeline.records import Motion
from pipeline.stage import Skip
from tests.pipeline.convincing.made_up import MadeUpEncoder, made_up_model
from tests.pipeline.convincing.test_debate import key_point, key_points, mention, mentions, sentences

MOTION = Motion(id="m", text="We should.")
STRONG = "because studies prove it because research shows a reason"
TALKS = {
    "for": sentences(STRONG, "maybe i think", "it was there"),
    "against": sentences("some say no", "well we saw it because studies prove it", "and then more"),
}


@pytest.fixture
def settings(monkeypatch, tmp_path):
    monkeypatch.setattr(models, "load_encoder", lambda name: MadeUpEncoder())
    save(made_up_model(), tmp_path / "model.npz")
    return ConvincingSettings(model=str(tmp_path / "model.npz"), context=0)


def test_mentions_and_key_points_are_ranked_together(settings):
    found = convincing(
        MOTION,
        TALKS,
        {"for": mentions(mention("a", "pro", 0.9, 0)), "against": mentions(mention("b", "con", 0.8, 0))},
        key_points(key_point("k", "con", "against", 1)),
        {},
        settings=settings,
    )
    assert isinstance(found, Ranking)
    assert [point.of for point in found.points] == ["a", "k", "b"]
    assert {side.stance for side in found.sides} == {"pro", "con"}
    assert found.accuracy == 0.8
    assert "made-up topics" in found.model


def test_nothing_to_compare_is_skipped_with_a_reason(settings):
    with pytest.raises(Skip, match="fewer than two"):
        convincing(MOTION, TALKS, {}, None, {}, settings=settings)


def test_its_wiring():
    assert convincing.scope == "motion"
    assert {each.name: (each.many, each.optional) for each in convincing.inputs} == {
        "motion": (False, False),
        "sentences": (True, False),
        "mentions": (True, False),
        "keypoints": (False, True),
        "prosody": (True, False),
        "speeches": (False, True),
        "people": (True, False),
    }

import pytest

from pipeline.convincing import model as models
from pipeline.convincing.debate import Point, ranking
from pipeline.convincing.record import Agreement, Ranking
from pipeline.convincing.show import page
from pipeline.records.speech import Passage
from pipeline.report.formatting import share
from tests.pipeline.convincing.made_up import MadeUpEncoder, made_up_model

STRONG = "because studies prove it because research shows a reason therefore"
MIDDLE = "because studies prove it well we saw it"
WEAK = "maybe i think"


@pytest.fixture(autouse=True)
def _encoder(monkeypatch):
    monkeypatch.setattr(models, "load_encoder", lambda name: MadeUpEncoder())


def point(text, stance="pro", lively=None, of="a1"):
    said = Passage(text=text, start=1.0, end=2.0)
    return Point("mention", of, f"Title of {of}", stance, "speech", None, said, lively)


def test_points_come_in_order_and_pairs_agree_with_it():
    found = ranking("m", [point(WEAK, of="w"), point(STRONG, of="s"), point(MIDDLE, of="m")], made_up_model(), 0.25)
    assert [each.of for each in found.points] == ["s", "m", "w"]
    assert [each.place for each in found.points] == [1, 2, 3]
    assert len(found.pairs) == 3
    assert all(pair.first < pair.second and 0.5 <= pair.probability <= 1 for pair in found.pairs)
    assert all(pair.reasons for pair in found.pairs)
    assert found.points[0].strength == pytest.approx((found.pairs[0].probability + found.pairs[1].probability) / 2)
    assert sum(each.strength for each in found.points) == pytest.approx(1.5)


def test_without_prosody_there_are_no_figures_with_delivery():
    found = ranking("m", [point(WEAK), point(STRONG)], made_up_model(), 0.25)
    assert found.points[0].place_with_delivery is None
    assert found.pairs[0].probability_with_delivery is None


def test_delivery_can_turn_the_order_around():
    points = [point(STRONG, lively=-3.0, of="dull"), point(MIDDLE, lively=3.0, of="lively")]
    found = ranking("m", points, made_up_model(), delivery_weight=5.0)
    assert [each.of for each in found.points] == ["dull", "lively"]
    assert [each.place_with_delivery for each in found.points] == [2, 1]
    pair = found.pairs[0]
    assert pair.probability_with_delivery < 0.5 < pair.probability
    unweighted = ranking("m", points, made_up_model(), delivery_weight=0.0)
    assert unweighted.pairs[0].probability_with_delivery == pytest.approx(unweighted.pairs[0].probability)


def test_sides_are_compared_where_both_have_points():
    one_sided = ranking("m", [point(STRONG), point(WEAK)], made_up_model(), 0.25)
    assert one_sided.sides == ()
    points = [point(STRONG), point(MIDDLE), point(WEAK, stance="con"), point(WEAK + " no", stance=None)]
    pro, con = ranking("m", points, made_up_model(), 0.25).sides
    assert (pro.stance, pro.points, con.points) == ("pro", 2, 1)
    assert pro.strength > 0.5
    assert pro.strength + con.strength == pytest.approx(1.0)


def test_judgements_across_stances_are_marked():
    points = [point(STRONG), point(MIDDLE, stance="con"), point(WEAK, stance=None)]
    found = ranking("m", points, made_up_model(), 0.25)
    assert [(each.first, each.second) for each in found.pairs if each.across_stances] == [(0, 1)]
    assert "across sides" in page(found)


def test_the_page_promises_what_was_measured_elsewhere():
    found = ranking("m", [point(STRONG), point(WEAK)], made_up_model(), 0.25)
    assert share(0.8) in page(found)
    here = Agreement(
        collection="Others",
        across_stances=False,
        pairs=9,
        accuracy=0.6,
        accuracy_low=0.5,
        accuracy_high=0.7,
        confidence=None,
    )
    measured = [here, here.model_copy(update={"accuracy": 0.68}), here.model_copy(update={"across_stances": True})]
    shown = page(found.model_copy(update={"elsewhere": tuple(measured)}))
    assert f"{share(0.6)} to {share(0.68)} of pairs; guessing gives {share(0.5)}." in shown
    assert f"opposite sides, it agreed with people on {share(0.6)}" in shown
    assert share(0.8) not in shown


def test_a_single_point_and_none():
    alone = ranking("m", [point(STRONG)], made_up_model(), 0.25)
    assert (alone.points[0].place, alone.points[0].strength, alone.pairs) == (1, 0.5, ())
    assert page(Ranking(**{**vars(alone), "points": ()})) == "No points to compare."


def test_the_page_says_what_it_is_worth():
    found = ranking("m", [point(STRONG, lively=0.5), point(WEAK + " | <b>", stance="con")], made_up_model(), 0.25)
    text = page(found)
    assert "opinion of a model" in text
    assert "80\u00a0% of pairs (95\u00a0% interval 75 to 85\u00a0%)" in text
    assert "<b>" not in text
    assert "of the difference" in text

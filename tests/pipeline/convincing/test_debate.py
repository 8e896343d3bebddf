import pytest

from pipeline.convincing import model as models
from pipeline.convincing.debate import Point, delivery, passage, points_of, ranking
from pipeline.convincing.show import page
from pipeline.convincing.stage import Agreement, Ranking
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints
from pipeline.mentions.stage import Carrier, Mention, Mentions
from pipeline.prosody.stage import Measures, Prosody
from pipeline.records import Attachment, Passage, Sentence
from pipeline.report.formatting import share
from pipeline.segment.stage import Sentences
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
    assert [each.rank for each in found.points] == [1, 2, 3]
    assert len(found.pairs) == 3
    assert all(pair.first < pair.second and 0.5 <= pair.probability <= 1 for pair in found.pairs)
    assert all(pair.reasons for pair in found.pairs)
    assert found.points[0].strength == pytest.approx((found.pairs[0].probability + found.pairs[1].probability) / 2)
    assert sum(each.strength for each in found.points) == pytest.approx(1.5)


def test_without_prosody_there_are_no_figures_with_delivery():
    found = ranking("m", [point(WEAK), point(STRONG)], made_up_model(), 0.25)
    assert found.points[0].rank_with_delivery is None
    assert found.pairs[0].probability_with_delivery is None


def test_delivery_can_turn_the_order_around():
    points = [point(STRONG, lively=-3.0, of="dull"), point(MIDDLE, lively=3.0, of="lively")]
    found = ranking("m", points, made_up_model(), delivery_weight=5.0)
    assert [each.of for each in found.points] == ["dull", "lively"]
    assert [each.rank_with_delivery for each in found.points] == [2, 1]
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
    assert (alone.points[0].rank, alone.points[0].strength, alone.pairs) == (1, 0.5, ())
    assert page(Ranking(**{**vars(alone), "points": ()})) == "No points to compare."


def test_the_page_says_what_it_is_worth():
    found = ranking("m", [point(STRONG, lively=0.5), point(WEAK + " | <b>", stance="con")], made_up_model(), 0.25)
    text = page(found)
    assert "the opinion of a ranking model that learned from " in text
    assert "80\u00a0% of pairs (95\u00a0% interval 75 to 85\u00a0%)" in text
    assert "<b>" not in text
    assert "of the difference" in text


def sentences(*texts, speakers=None):
    speakers = speakers or [None] * len(texts)
    items = tuple(
        Sentence(text=text, start=float(i), end=i + 0.9, first=i, last=i + 1, speaker=who)
        for i, (text, who) in enumerate(zip(texts, speakers, strict=True))
    )
    return Sentences(sentences=items, method="made up")


def mention(argument, stance, probability, sentence, mentioned=True):
    said = Passage(text="x", start=0.0, end=1.0)
    carrier = Carrier(first=sentence, last=sentence + 1, said=said, similarity=0.5, entailment=None)
    return Mention(
        argument=argument,
        title=f"Title of {argument}",
        stance=stance,
        side="own",
        likeness=1.0,
        probability=probability,
        mentioned=mentioned,
        carriers=(carrier,),
        counter=None,
        counter_title=None,
    )


def mentions(*items):
    return Mentions(motion="m", mentions=items, encoder="e", detector="shipped", trained_on="made up", threshold=0.5)


def key_point(name, stance, speech, sentence, matches=1):
    said = Passage(text="x", start=0.0, end=1.0)
    match = KeyPointMatch(speech=speech, sentence=sentence, speaker=None, said=said, score=0.9)
    return KeyPoint(
        id=name,
        text=f"Text of {name}",
        stance=stance,
        source=speech,
        sentence=sentence,
        matches=(match,) * matches,
        speeches=1,
        speakers=1,
        minutes=0.1,
        answers=(),
    )


def key_points(*points):
    return KeyPoints(motion="m", points=points, sides=(), matcher="made up", threshold=0.5)


TALK = sentences("Zero.", "One.", "Two.", "Three.", "Four.", "Five.")


def test_points_are_what_speeches_make_and_key_points_elsewhere():
    found = points_of(
        {"s": TALK, "t": TALK},
        {"s": mentions(mention("a", "pro", 0.9, 1), mention("b", "pro", 0.4, 3, mentioned=False))},
        key_points(key_point("same", "pro", "s", 1), key_point("other", "con", "t", 4)),
        {},
        most=5,
        context=1,
    )
    assert [(each.source, each.of, each.speech) for each in found] == [
        ("mention", "a", "s"),
        ("key point", "other", "t"),
    ]
    assert found[0].said.text == "Zero. One. Two."
    assert found[1].said.text == "Three. Four. Five."
    assert found[1].title == "Text of other"
    assert found[0].delivery is None


def test_the_surest_of_each_side():
    of_s = mentions(*(mention(f"p{i}", "pro", i / 10, i) for i in range(5)), mention("c", "con", 0.1, 5))
    points = [key_point("few", None, "t", 0, matches=1), key_point("many", None, "t", 1, matches=3)]
    found = points_of({"s": TALK, "t": TALK}, {"s": of_s}, key_points(*points), {}, most=1, context=0)
    assert [each.of for each in found] == ["p4", "c", "many"]


def test_neighbouring_key_points_are_one():
    points = key_points(key_point("one", "pro", "t", 1, matches=1), key_point("two", "pro", "t", 2, matches=4))
    found = points_of({"t": TALK}, {}, points, {}, most=5, context=1)
    assert [each.of for each in found] == ["two"]
    assert len(points_of({"t": TALK}, {}, points, {}, most=5, context=0)) == 2


def test_nothing_found():
    assert points_of({"s": TALK}, {}, None, {}, most=5, context=1) == []


def test_a_passage_stays_with_its_speaker():
    talk = sentences("One.", "Two.", "Three.", "Four.", speakers=["A", "A", "B", "B"])
    said, chosen = passage(talk, 1, 2, context=1)
    assert (said.text, said.start, list(chosen)) == ("One. Two.", 0.0, [0, 1])
    assert passage(talk, 3, 4, context=5)[0].text == "Three. Four."
    assert passage(talk, 2, 3, context=0)[0].text == "Three."


def test_delivery_is_the_mean_of_signed_features():
    def measures(**normalised):
        return Measures(
            text="x", start=0, end=1, first=0, last=1, speaker=None, values={}, normalised=normalised, reasons={}
        )

    rows = (measures(emphasis=1.0, pause_share=-2.0, hnr=9.0), measures(emphasis=None, speech_rate=0.0))
    prosody = Prosody(
        sentences=rows, groups=(), words=(), speakers=(), contours=Attachment(suffix=".npz", sha256="0" * 64)
    )
    assert delivery(prosody, range(1)) == pytest.approx(1.5)
    assert delivery(prosody, range(2)) == pytest.approx(1.0)
    assert delivery(prosody, range(1, 1)) is None
    assert delivery(None, range(1)) is None

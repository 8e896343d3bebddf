import pytest

from pipeline.convincing.debate import delivery, passage, points_of
from pipeline.keypoints.record import KeyPoint, KeyPointMatch, KeyPoints
from pipeline.mentions.record import Carrier, Mention, Mentions
from pipeline.prosody.record import Measures, Prosody
from pipeline.records.base import Attachment
from pipeline.records.speech import Passage, Sentence
from pipeline.segment.record import Sentences


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

"""What people said of key points is applied to those of the next run."""

import pytest

from pipeline.keypoints.corrections import corrected
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.records import Judgement
from pipeline.speakers import speeches_on
from tests.pipeline.keypoints.test_debate import MOTION, SENTENCES, SPEECHES, found, spoken

DISTRACT = "Phones distract pupils from learning"
COST = "Phones cost many parents a lot of money"
MATCHER = TokenOverlap(threshold=0.8)


def judged(judgement, of="", text="", kind="key point", side="pro", **other):
    return Judgement(motion="phones", kind=kind, judgement=judgement, of=of, text=text, side=side, **other)


def after(*judgements, sentences=SENTENCES):
    said = {one.id: one for one in speeches_on(SPEECHES, sentences, {})}
    return corrected(found(sentences=sentences), judgements, said, MOTION.text, MATCHER).points


def texts(points, stance="pro"):
    return [point.text for point in points if point.stance == stance]


def test_without_a_judgement_nothing_changes():
    assert after() == found().points
    assert DISTRACT in texts(found().points), "the examples below are about this point"


def test_a_point_is_rewritten_again_and_again():
    points = after(judged("rewritten", DISTRACT, "They distract"), judged("rewritten", "They distract", "Phones harm"))
    before = next(point for point in found().points if point.text == DISTRACT)
    now = next(point for point in points if point.text == "Phones harm")
    assert (now.matches, now.answers, now.speeches) == (before.matches, before.answers, before.speeches)


def test_a_hidden_point_is_gone_and_others_are_numbered_anew():
    points = after(judged("hidden", DISTRACT))
    assert DISTRACT not in texts(points)
    assert [point.id for point in points if point.stance == "pro"] == [
        f"pro {n}" for n, _ in enumerate(texts(points), 1)
    ]


def test_a_merged_point_gives_its_sentences_to_the_other():
    others = [text for text in texts(found().points) if text != DISTRACT]
    before = {point.text: point for point in found().points}
    points = {point.text: point for point in after(judged("merged", others[0], DISTRACT))}
    assert others[0] not in points
    sentences = {(match.speech, match.sentence) for text in (DISTRACT, others[0]) for match in before[text].matches}
    assert {(match.speech, match.sentence) for match in points[DISTRACT].matches} == sentences
    assert points[DISTRACT].speeches == len({speech for speech, _ in sentences})


def test_a_passage_that_does_not_make_it_no_longer_counts():
    point = next(point for point in found().points if point.text == DISTRACT)
    wrong, *kept = point.matches
    heard = {"kind": "match", "speech": wrong.speech, "start": wrong.said.start, "end": wrong.said.end}
    points = {one.text: one for one in after(judged("not heard", DISTRACT, **heard))}
    assert points[DISTRACT].matches == tuple(kept)
    assert points[DISTRACT].speeches == point.speeches - 1
    every = [
        judged("wrong passage", DISTRACT, kind="match", speech=match.speech, start=match.said.start, end=match.said.end)
        for match in point.matches
    ]
    assert DISTRACT not in texts(after(*every)), "nobody makes it"


def test_an_added_point_is_found_in_the_speeches():
    sentences = {**SENTENCES, "ben": spoken([f"{COST}.", "Thank you."])}
    point = next(one for one in after(judged("added", text=COST), sentences=sentences) if one.text == COST)
    assert [(match.speech, match.sentence) for match in point.matches] == [("ben", 0)]
    assert (point.stance, point.speeches, point.minutes) == ("pro", 1, pytest.approx(0.05))


def test_an_added_point_that_nobody_makes_says_so():
    point = next(one for one in after(judged("added", text="Elephants swim")) if one.text == "Elephants swim")
    assert (point.matches, point.speeches) == ((), 0)


def test_what_is_no_longer_found_is_left_alone():
    assert after(judged("hidden", "Something else"), judged("merged", DISTRACT, "Something else")) == found().points

"""From the sentences of a motion to its key points: matches with times, prevalence, and who takes them up."""

import pytest

from pipeline.keypoints.clause_form import load_form
from pipeline.keypoints.debate import _nested, key_points, numbered, sides
from pipeline.keypoints.show import page
from pipeline.keypoints.spoken import shipped_readers
from pipeline.keypoints.stage import KeyPoints, KeypointsSettings, keypoints
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.records import Motion, Sentence, Speech, Speeches
from pipeline.segment.stage import Sentences
from pipeline.sentence_roles import load_classifier
from pipeline.stage import Skip

MOTION = Motion(id="phones", text="We should ban phones in schools.")
SAID = {
    "anna": [
        "Good evening, everybody.",
        "We think that phones distract pupils from learning.",
        "Phones are expensive toys.",
    ],
    "ben": ["Um, as a teacher I see that phones distract pupils from learning every day.", "Thank you very much."],
    "cleo": [
        "It is not true that phones distract pupils from learning.",
        "Parents must reach their children by phone.",
    ],
    "dan": ["Parents must reach their children by phone at any time."],
}
SPEECHES = (
    Speech(id="anna", motion="phones", stance="pro", speakers=("Anna",)),
    Speech(id="ben", motion="phones", stance="pro", speakers=("Ben",)),
    Speech(id="cleo", motion="phones", stance="con", speakers=("Cleo",)),
    Speech(id="dan", motion="phones", stance="con"),
)


def spoken(texts, speaker=None):
    """Every sentence takes three seconds."""
    return Sentences(
        sentences=tuple(
            Sentence(text=text, start=3.0 * i, end=3.0 * i + 3, first=i, last=i + 1, speaker=speaker)
            for i, text in enumerate(texts)
        ),
        method="lines",
    )


SENTENCES = {name: spoken(texts) for name, texts in SAID.items()}


def found(speeches=SPEECHES, sentences=SENTENCES, **settings):
    return key_points(MOTION, speeches, sentences, TokenOverlap(threshold=0.75), **settings)


def all_sides(sentences):
    return sides(MOTION, SPEECHES, sentences, shipped_readers().rule)


def point(record, text):
    return next(each for each in record.points if each.text == text)


def test_two_speeches_that_make_the_same_point_are_matched_to_one_with_times():
    distract = point(found(), "Phones distract pupils from learning")
    assert {(match.speech, match.sentence, match.said.start) for match in distract.matches} == {
        ("anna", 1, 3.0),
        ("ben", 0, 0.0),
    }
    assert (distract.speeches, distract.speakers, distract.minutes) == (2, 2, 0.1)
    assert distract.id == "pro 1"
    assert (distract.source, distract.sentence) == ("anna", 1)


def test_what_a_speech_only_reports_is_not_its_claim():
    reported = spoken(["Her last reason was a matter of principle.", "Phones distract pupils from learning."])
    assert [side.claims for side in all_sides({"dan": reported})] == [()]


def test_who_quotes_others_and_answers_claims_the_answer():
    """A recogniser joined two sentences: the quotation was then a part of what the speaker claimed."""
    said = spoken(["She told us that phones distract pupils, but parents must reach their children by phone."])
    claimed = [claim.text for side in all_sides({"dan": said}) for claim in side.claims]
    assert claimed == ["Parents must reach their children by phone."]


def test_a_sentence_that_says_no_more_than_the_motion_is_no_claim():
    bare = spoken(["We should not ban phones in schools, thank you.", "So we must never ban phones in schools."])
    assert [side.claims for side in all_sides({"dan": bare})] == [()]


def test_what_the_other_side_takes_up_is_marked():
    distract = point(found(), "Phones distract pupils from learning")
    assert [match.speech for match in distract.answers] == ["cleo"]
    assert point(found(), "Parents must reach their children by phone").answers == ()


def test_each_side_is_summed_up():
    pro, con = found().sides
    assert (pro.stance, pro.speeches, pro.speakers, pro.minutes) == ("pro", 2, 2, 0.25)
    assert (pro.sentences, pro.argued, pro.covered) == (5, 3, 3)
    assert con.speeches == 2


def test_speeches_of_unknown_stance_are_a_side_of_their_own_and_nobody_answers_it():
    unknown = [speech.model_copy(update={"stance": None}) for speech in SPEECHES]
    record = found(unknown)
    assert [side.stance for side in record.sides] == [None]
    assert all(each.answers == () for each in record.points)
    assert record.points[0].id == "side unknown 1"


def test_voices_of_one_recording_are_speakers_of_their_own():
    both = Sentences(
        sentences=(
            *spoken(["Phones distract pupils from learning."], "A").sentences,
            *spoken(["Phones distract pupils from learning."], "B").sentences,
        ),
        method="lines",
    )
    record = found([Speech(id="talk", motion="phones", speakers=("Anna", "Ben"))], {"talk": both})
    assert (record.points[0].speeches, record.points[0].speakers) == (1, 2)
    assert [match.speaker for match in record.points[0].matches] == ["A", "B"]


def test_speeches_without_sentences_are_left_out():
    assert [side.stance for side in all_sides({"dan": SENTENCES["dan"]})] == ["con"]


@pytest.mark.parametrize("texts", [[], ["Good evening, everybody."], ["One."]])
def test_a_side_that_argues_nothing_has_no_key_points(texts):
    record = found(sentences={"anna": spoken(texts)})
    assert record.points == ()
    assert (record.sides[0].argued, record.sides[0].covered) == (0, 0)
    assert "No sentence of this side" in page(record)


def test_the_number_of_key_points_is_bounded():
    many = {"anna": spoken([f"Phones harm {thing} in schools" for thing in ("pupils", "teachers", "parents", "books")])}
    assert len(found(sentences=many, fewest=1, most=2).points) <= 2


def test_the_stage_and_its_page():
    settings = KeypointsSettings(matcher="token overlap", threshold=0.8)
    record = keypoints(MOTION, Speeches(items=SPEECHES), SENTENCES, settings=settings)
    assert record == found()
    assert KeyPoints.model_validate_json(record.model_dump_json()) == record
    text = page(record)
    assert "## For" in text
    matches = point(record, "Phones distract pupils from learning").matches
    score = next(match.score for match in matches if match.speech == "anna")
    assert f"| anna | 0:03 | Anna | {score:.2f} | We think that phones distract pupils from learning. |" in text
    assert "The other side on the same matter:" in text


def test_the_stage_says_when_there_is_nothing_to_read():
    with pytest.raises(Skip, match="no speech on this motion has a sentence"):
        keypoints(MOTION, Speeches(items=SPEECHES), {"anna": spoken([])}, settings=KeypointsSettings())
    with pytest.raises(ValueError, match="fewest is above"):
        KeypointsSettings(fewest=9, most=3)


def test_what_the_other_side_only_grants_is_a_concession_and_no_answer():
    granting = spoken(["Although phones distract pupils from learning, parents must reach their children by phone."])
    distract = point(found(sentences={**SENTENCES, "cleo": granting}), "Phones distract pupils from learning")
    assert [match.speech for match in distract.concessions] == ["cleo"]
    assert distract.answers == ()


def test_who_says_that_the_other_side_is_right_grants_it():
    granting = spoken(["And I think you're right that phones distract pupils from learning."])
    distract = point(found(sentences={**SENTENCES, "cleo": granting}), "Phones distract pupils from learning")
    assert [match.speech for match in distract.concessions] == ["cleo"]
    assert distract.answers == ()


def test_what_is_granted_some_sentences_before_its_but_is_no_point_of_the_side():
    said = [
        "It is true that phones cause some trouble.",
        "Phones distract pupils from learning.",
        "Teachers complain about them every day.",
        "But parents must reach their children by phone.",
    ]
    record = found(sentences={**SENTENCES, "cleo": spoken(said)})
    distract = point(record, "Phones distract pupils from learning")
    assert ([match.speech for match in distract.concessions], distract.answers) == (["cleo"], ())
    assert not [each for each in record.points if each.stance == "con" and "distract" in each.text]


def test_a_point_of_two_speakers_comes_before_one_that_somebody_repeats():
    said = {
        "anna": spoken(
            [
                "Phones distract pupils in lessons.",
                "Phones distract pupils in lessons again.",
                "Phones damage young eyes.",
            ]
        ),
        "ben": spoken(["Phones damage young eyes every day."]),
    }
    points = [each for each in found(sentences=said, threshold=0.6).points if each.stance == "pro"]
    assert [(" ".join(each.text.split()[:3]), each.speakers) for each in points] == [
        ("Phones damage young", 2),
        ("Phones distract pupils", 1),
    ]


def test_a_point_that_is_made_once_only_fills_up_to_the_fewest():
    said = {
        "anna": spoken(
            ["Phones distract pupils from learning.", "Phones damage young eyes.", "Phones cost families money."]
        ),
        "ben": spoken(["Phones distract pupils from learning all day."]),
    }
    few, more = (found(sentences=said, fewest=fewest, threshold=0.6).points for fewest in (1, 3))
    assert [each.text for each in few] in (
        ["Phones distract pupils from learning"],
        ["Phones distract pupils from learning all day"],
    )
    assert len(more) == 3


def test_everything_learned_is_named_in_the_fingerprint():
    assert keypoints.model
    named = keypoints.model(KeypointsSettings(writer="sentences"))
    assert {"tuned", "tuned-bge", "sentence roles", "clauses", "sides", "parser"} <= set(named)
    assert named["clauses"] == load_form().digest
    assert named["sentence roles"] == load_classifier().digest


def test_what_is_quoted_is_credited_to_the_side_that_it_is_quoted_from():
    quoting = spoken(["They tell us that phones distract pupils from learning."])
    result = found(sentences={**SENTENCES, "cleo": quoting})
    distract = point(result, "Phones distract pupils from learning")
    assert [match.speech for match in distract.quotations] == ["cleo"]
    assert distract.answers == ()
    assert "Quoted by the other side:" in page(result)
    assert "cleo" not in {match.speech for one in result.points for match in one.matches}


def test_a_point_that_makes_another_one_is_a_case_of_it():
    def made(text, speeches):
        return result.points[0].model_copy(update={"text": text, "speeches": speeches, "speakers": speeches})

    result = found()
    points = [made("Phones distract small pupils", 1), made("Phones cost money", 2), made("Phones distract pupils", 3)]
    nested = list(numbered(_nested(points, MOTION, TokenOverlap(threshold=0.8))))
    assert [(one.text, one.id, one.case_of) for one in nested] == [
        ("Phones distract pupils", "pro 1", None),
        ("Phones distract small pupils", "pro 2", "pro 1"),
        ("Phones cost money", "pro 3", None),
    ]
    # without the more general one it stands alone
    assert [(one.id, one.case_of) for one in numbered(nested[1:])] == [("pro 1", None), ("pro 2", None)]

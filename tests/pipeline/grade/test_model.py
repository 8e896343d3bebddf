"""Scores by hand from a model with round weights."""

from pathlib import Path

import pytest

from pipeline.content.rouge import Terms
from pipeline.errors import RostrumError
from pipeline.grade.model import (
    HumanAgreement,
    ScoringModel,
    content_features,
    delivery_features,
    graded,
    kind_of,
    lacking,
    language_features,
)
from pipeline.models.stored import FeatureWeight
from pipeline.prosody.stage import Measures, Prosody
from pipeline.records import Attachment


def model(**weights: tuple[float, float, float]) -> ScoringModel:
    return ScoringModel(
        trained_on="ten answers",
        unit="words",
        stop_words=True,
        references=2,
        encoder=None,
        encoder_digest=None,
        weights={
            name.replace("_", " "): FeatureWeight(mean=mean, deviation=deviation, weight=weight)
            for name, (mean, deviation, weight) in weights.items()
        },
        bias=3.0,
        lowest=0.0,
        highest=5.0,
        half_width=0.5,
        agreement=HumanAgreement(responses=10, prompts=2, kappa=0.6, pearson=0.7, second_person_kappa=0.65),
        documents=3,
        frequencies={"ban": 3, "phones": 1},
    )


def sound(**values: float | None) -> Prosody:
    stretch = Measures(text="", start=0, end=1, first=0, last=1, speaker=None, values=values, normalised={}, reasons={})
    contours = Attachment(suffix=".npz", sha256="0" * 64)
    return Prosody(sentences=(stretch, stretch), groups=(), words=(), speakers=(), contours=contours)


def test_a_score_is_the_average_and_what_features_add() -> None:
    # 'length' of 4 words is two deviations above 2 words: 2 * .25; 'pause share' three below: -3 * .1 * -1
    given = model(length=(2.0, 1.0, 0.25), pause_share=(0.4, 0.1, -0.1))
    found = graded("one two three four", (), sound(pause_share=0.1), given)
    assert found.score == pytest.approx(3.0 + 0.5 + 0.3)
    assert (found.low, found.high) == (pytest.approx(3.3), pytest.approx(4.3))
    first, second = found.reasons
    assert (first.name, first.kind, first.points, first.share) == ("length", "language", 0.5, 0.625)
    assert (second.name, second.kind, second.points) == ("pause share", "delivery", pytest.approx(0.3))
    assert (found.average, found.kappa, found.second_person_kappa) == (3.0, 0.6, 0.65)


def test_scores_and_intervals_stay_within_what_people_gave() -> None:
    found = graded("word " * 100, (), None, model(length=(2.0, 1.0, 0.25)))
    assert (found.score, found.low, found.high) == (5.0, 4.5, 5.0)


def test_a_feature_that_is_not_defined_counts_as_average() -> None:
    found = graded("word", (), sound(pause_share=None), model(pause_share=(0.4, 0.1, -0.1)))
    assert found.score == 3.0


def test_what_the_speech_lacks_is_said() -> None:
    assert lacking(model(CVA=(0, 1, 1)), (), None) == "no references, which the scoring model compares with"
    assert lacking(model(pause_share=(0, 1, 1)), ("a",), None) == "no prosody, which the scoring model was trained with"
    assert lacking(model(length=(0, 1, 1)), (), None) is None


def test_content_features_by_hand() -> None:
    found = content_features("ban phones now", ["ban phones", "ban all phones now"], Terms(), lambda term: 1.0)
    assert found["base ROUGE-1"] == pytest.approx((1 + 3 / 4) / 2)
    assert found["best ROUGE-1"] == 1.0
    assert found["new ROUGE-1"] == pytest.approx(5 / 6)
    # bigrams: 'ban phones' of one; 'phones now' of three
    assert found["base ROUGE-2"] == pytest.approx((1 + 1 / 3) / 2)
    assert set(content_features("", [], Terms(), lambda term: 1.0).values()) == {0.0}


def test_language_features_by_hand() -> None:
    found = language_features("So um we we ban phones. It helps.")
    assert found["length"] == 8
    assert found["filled pauses"] == pytest.approx(1 / 8)
    # of seven words that are no filled pause one is said twice in a row
    assert found["repetitions"] == pytest.approx(1 / 7)
    assert found["variety of words"] == pytest.approx(7 / 8**0.5)
    assert found["connectives"] == pytest.approx(1 / 8)
    assert all(kind_of(name) == "language" for name in found)


def test_delivery_is_the_mean_over_sentences() -> None:
    assert delivery_features(sound(speech_rate=4.0, f0_range=None)) == {"speech rate": 4.0}
    assert kind_of("speech rate") == "delivery"


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    given = model(length=(2.0, 1.0, 0.25))
    given.write(tmp_path / "score.json")
    assert ScoringModel.read(tmp_path / "score.json") == given
    assert given.idf("ban") < given.idf("phones") == given.idf("never heard")
    (tmp_path / "score.json").write_text("{}")
    with pytest.raises(RostrumError, match="not a model of `rostrum train grade`"):
        ScoringModel.read(tmp_path / "score.json")
    with pytest.raises(RostrumError, match=r"none.json: cannot be read: No such file"):
        ScoringModel.read(tmp_path / "none.json")

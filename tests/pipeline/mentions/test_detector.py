"""Features, priors and detectors: by hand, from files, and trained on made-up lists."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.mentions.detector import (
    GENERALITY,
    PRIOR,
    SHIPPED,
    Detector,
    Generality,
    Prior,
    find_detector,
    quality_of,
    terms,
)
from pipeline.mentions.evaluate.fitting import LabelledList, cross_validate, fit
from pipeline.mentions.features import (
    CONTRASTS,
    FEATURES,
    LIKENESS,
    POINTS,
    POSITION,
    argument_vectors,
    columns,
    feature_table,
    speech_vectors,
)
from pipeline.mentions.stage import MentionsSettings
from pipeline.models.stored import FeatureWeight
from tests.pipeline.mentions.counting import CountingEncoder

TITLES = ["Boxing harms the brain.", "Boxing builds character.", "A ban is hard to enforce."]
SPEECH = ["Every blow to the head harms the brain.", "Think of the children.", "So we should ban it."]


def table(titles: list[str], said: list[str] = SPEECH) -> np.ndarray:
    encoder = CountingEncoder()
    return feature_table(argument_vectors(encoder, titles, [[]] * len(titles)), speech_vectors(encoder, said))


def test_what_stands_out_in_its_list_is_most_alike() -> None:
    likeness = table(TITLES)[:, columns([LIKENESS])[0]]
    assert likeness.argmax() == 0
    assert likeness.sum() == pytest.approx(0, abs=1e-9)


def test_likeness_is_the_mean_of_its_parts() -> None:
    values = table(TITLES)
    parts = values[:, columns(["title-window", "arg-window", *CONTRASTS, "arg-coverage"])]
    np.testing.assert_allclose(values[:, columns([LIKENESS])[0]], parts.mean(axis=1))


def test_position_is_where_the_passage_begins() -> None:
    assert table(["So we should ban it."])[0, columns([POSITION])[0]] == pytest.approx(2 / 3)


def test_a_list_of_one_or_of_equals_has_nothing_that_stands_out() -> None:
    for titles in (TITLES[:1], TITLES[:1] * 3):
        np.testing.assert_allclose(table(titles)[:, : columns([POSITION])[0]], 0, atol=1e-6)


@given(st.permutations(range(3)))
def test_the_order_of_a_list_does_not_matter(order: list[int]) -> None:
    np.testing.assert_allclose(table([TITLES[i] for i in order]), table(TITLES)[order], atol=1e-5)


def test_terms_leave_out_what_the_motion_is_about() -> None:
    assert terms("We should ban boxing", "Banning boxing harms society") == {"harm", "societi"}
    assert terms("Physical education should be mandatory", "making physical education mandatory costs too much") == {
        *("make", "cost", "too", "much")
    }


def test_a_prior_goes_by_what_is_claimed_not_of_what() -> None:
    heard = [("ban boxing", "boxing costs too much", 0.9)] * 20 + [("ban chess", "chess limits choice", 0.1)] * 20
    share = 1 / (
        1 + np.exp(-Prior.of(heard).log_odds("ban smoking", ["smoking costs too much", "smoking limits choice"]))
    )
    assert share[0] > 0.85
    assert share[1] < 0.15
    # nothing in common with anything: the mean over all
    alone = Prior.of(heard).log_odds("ban smoking", ["quite unheard of"])
    np.testing.assert_allclose(alone, [0.0], atol=1e-9)


def test_a_prior_keeps_equal_claims_once() -> None:
    prior = Prior.of([("ban boxing", "boxing costs much", 1.0), ("ban chess", "chess costs much", 0.5)])
    assert [(each.share, each.count) for each in prior.known] == [(0.75, 2)]


def made_up(groups: int = 6, lists: int = 4, seed: int = 0) -> list[LabelledList]:
    """Lists whose labels follow from likeness and from the claim."""
    random = np.random.default_rng(seed)
    examples = []
    for group in range(groups):
        for _ in range(lists):
            values = random.normal(size=(5, len(FEATURES)))
            titles = tuple(f"topic{group} {claim}" for claim in ("costs", "harms", "helps", "divides", "unites"))
            odds = 2 * values[:, columns([LIKENESS])[0]] + np.array([2, -2, 0, 1, -1])
            labels = random.random(5) < 1 / (1 + np.exp(-odds))
            examples.append(LabelledList(f"g{group}", f"topic{group}", titles, values, labels, labels.astype(float)))
    return examples


def test_probabilities_by_hand() -> None:
    detector = Detector(
        trained_on="",
        encoder="counting",
        encoder_digest="c0",
        weights={LIKENESS: FeatureWeight(mean=0.5, deviation=2.0, weight=3.0)},
        bias=-1.0,
        threshold=0.5,
    )
    values = np.zeros((2, len(FEATURES)))
    values[1, columns([LIKENESS])[0]] = 2.5
    expected = [1 / (1 + math.exp(1.75)), 1 / (1 + math.exp(-2.0))]
    np.testing.assert_allclose(detector.probabilities("", ["a", "b"], values), expected)


def test_training_finds_what_the_labels_follow_from() -> None:
    examples = made_up(groups=12, lists=10)
    detector = fit(examples, CountingEncoder(), "made up")
    likeness = detector.weights[LIKENESS]
    assert 1.5 < likeness.weight / likeness.deviation < 2.5
    assert detector.weights[PRIOR].weight > 0
    right = np.concatenate(
        [(p >= 0.5) == e.labels for p, e in zip(cross_validate(examples, CountingEncoder()), examples, strict=True)]
    )
    assert right.mean() > 0.75
    assert fit(examples, CountingEncoder(), "made up") == detector


def test_a_validated_group_is_not_learned_from() -> None:
    """Labels that only a group's own priors tell are guessed no better than by chance."""
    random = np.random.default_rng(0)
    examples = []
    for group in range(8):
        labels = np.arange(6) < 3
        random.shuffle(labels)
        titles = tuple(f"claim{group}x{i}" for i in range(6))
        for _ in range(3):
            empty = np.zeros((6, len(FEATURES)))
            examples.append(LabelledList(f"g{group}", "motion", titles, empty, labels, labels.astype(float)))
    for probabilities in cross_validate(examples, CountingEncoder(), (PRIOR,)):
        assert np.ptp(probabilities) == pytest.approx(0, abs=1e-6)


def test_labels_of_one_kind_or_one_motion_teach_nothing() -> None:
    one = made_up(groups=1)
    with pytest.raises(RostrumError, match="at least two are needed"):
        fit(one, CountingEncoder(), "one motion")
    same = [LabelledList(e.group, e.motion, e.titles, e.table, np.ones(5, bool), np.ones(5)) for e in made_up()]
    with pytest.raises(RostrumError, match="arguments that are not are needed"):
        fit(same, CountingEncoder(), "all yes")


def test_a_detector_in_a_file_is_the_same_detector(tmp_path: Path) -> None:
    detector = fit(made_up(), CountingEncoder(), "made up")
    detector.write(tmp_path / "below" / "detector.json")
    again = Detector.read(tmp_path / "below" / "detector.json")
    assert again == detector
    assert again.digest == detector.digest


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"bias": "much"}, "not a mention detector"),
        ({"weights": {"charm": {"mean": 0, "deviation": 1, "weight": 1}}}, "weighs 'charm'"),
        ({"prior": None}, "weighs 'prior'"),
    ],
)
def test_a_file_that_is_no_detector_is_refused(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    content = json.loads(fit(made_up(), CountingEncoder(), "made up").model_dump_json())
    path = tmp_path / "detector.json"
    path.write_text(json.dumps(content | change))
    with pytest.raises(RostrumError, match=complaint):
        Detector.read(path)


def test_what_was_trained_here_comes_before_what_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    with pytest.raises(RostrumError, match="train one: rostrum train mentions --encoder counting"):
        find_detector("auto", "counting", "c0")
    detector = fit(made_up(), CountingEncoder(), "made up")
    detector.write(tmp_path / "mentions" / "c0.json")
    assert find_detector("auto", "counting", "c0") == ("trained", detector)
    assert find_detector(str(tmp_path / "mentions" / "c0.json"), "counting", "c0") == ("c0.json", detector)
    with pytest.raises(RostrumError, match="for the encoder counting, not for this another"):
        find_detector(str(tmp_path / "mentions" / "c0.json"), "another", "a1")


def test_every_shipped_detector_can_be_read() -> None:
    from pipeline.mentions.detector import SHIPPED
    from pipeline.models.catalogue import CATALOGUE
    from pipeline.models.digests import combined

    digests = {model.name: combined((file.path, file.sha256) for file in model.files) for model in CATALOGUE}
    for path in SHIPPED.glob("*.json"):
        detector = Detector.read(path)
        assert detector.encoder == path.stem
        assert detector.encoder_digest == digests[path.stem]
        assert "ArgKP" in detector.trained_on


def points(scores: list[list[float]], statements: list[int]) -> np.ndarray:
    """The features by a matcher that scores three sentences (rows) with all statements (columns) of the arguments."""
    encoder = CountingEncoder()
    texts = [["More."] * (count - 1) for count in statements]
    arguments = argument_vectors(encoder, TITLES[: len(statements)], texts)
    arguments = replace(arguments, sentences=tuple(np.zeros_like(each) for each in arguments.sentences))
    parts = np.split(np.array(scores), np.cumsum(statements)[:-1], axis=1)
    return feature_table(arguments, speech_vectors(encoder, SPEECH), parts)[:, columns(POINTS)]


def test_a_point_that_one_sentence_makes_stands_out() -> None:
    """By 0.9 - 0.2 in the first sentence; the other point most by 0.3 - 0.1 in the last."""
    margin, best = points([[0.9, 0.2], [0.1, 0.2], [0.1, 0.3]], [1, 1]).T
    assert margin == pytest.approx([0.7, 0.2])
    assert best == pytest.approx([0.45, 0.15])  # half of it is similarity, which is none here


def test_a_point_is_compared_with_the_nearest_other_one() -> None:
    """No sentence makes the second point more than the first, and where two are equal, neither stands out."""
    margin, _ = points([[0.9, 0.8, 0.1], [0.5, 0.5, 0.2], [0.4, 0.1, 0.3]], [1, 1, 1]).T
    assert margin == pytest.approx([0.1, 0.0, -0.1])


def test_in_a_list_of_one_no_point_stands_out() -> None:
    assert points([[0.9], [0.1], [0.3]], [1])[0, 0] == 0


def test_a_long_text_has_no_more_chances_than_a_short_one() -> None:
    """The title counts as much as the mean of all statements: 0.4 and (0.4 + 0.8) / 2."""
    _, best = points([[0.4, 0.8, 0.5], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0]], [2, 1]).T
    assert best == pytest.approx([(0.4 + 0.6) / 2 / 2, 0.25])


def test_a_claim_of_common_words_is_more_general() -> None:
    counted = Generality.of(
        [("ban boxing", "It harms people"), ("ban chess", "People are harmed"), ("ban go", "A niche harms people")]
    )
    assert (counted.topics, counted.words) == (3, {"peopl": 3, "harm": 3})
    titles = ["Boxing harms people", "Boxing is a niche", "Boxing ennobles"]
    general, *others = counted.standing("We should ban boxing", titles)
    # log(3.5 / 3) against twice log(0.5 / 3)
    assert general == pytest.approx(2**0.5)
    assert others == pytest.approx([-(0.5**0.5)] * 2)


def test_an_argument_is_as_likely_whether_all_of_its_list_are_labelled_or_some() -> None:
    """Few labels are of a part of the list; how general an argument is stands beside the whole of it."""
    counted = Generality(topics=3, words={"peopl": 3, "harm": 3})
    weights = {GENERALITY: FeatureWeight(mean=0, deviation=1, weight=1)}
    detector = Detector(
        trained_on="", encoder="", encoder_digest="", weights=weights, bias=0, threshold=0.5, generality=counted
    )
    titles, table = ("Boxing harms people", "Boxing is a niche", "Boxing ennobles"), np.zeros((3, len(FEATURES)))
    labels, motion = np.array([True, False, False]), "We should ban boxing"
    whole = LabelledList("m", motion, titles, table, labels, labels.astype(float))
    part = LabelledList("m", motion, titles[:1], table[:1], labels[:1], labels[:1].astype(float), titles[1:])
    # the standing is the square root of 2, as above
    assert part.probabilities(detector)[0] == pytest.approx(1 / (1 + np.exp(-(2**0.5))))
    assert whole.probabilities(detector)[0] == part.probabilities(detector)[0]


def test_a_detector_weighs_generality_and_needs_its_matcher(tmp_path: Path) -> None:
    counted = Generality(topics=2, words={"harm": 2})
    weights = {GENERALITY: FeatureWeight(mean=0, deviation=1, weight=1)}
    detector = Detector(
        trained_on="t", encoder="e", encoder_digest="0", weights=weights, bias=0, threshold=0.5, generality=counted
    )
    titles = ["Boxing harms", "Boxing ennobles"]
    found = detector.probabilities("Ban boxing", titles, np.zeros((2, len(FEATURES))))
    assert found == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))])
    lacking = detector.model_copy(update={"weights": {POINTS[0]: weights[GENERALITY]}})
    lacking.write(tmp_path / "d.json")
    with pytest.raises(RostrumError, match="'point-margin', which it lacks"):
        Detector.read(tmp_path / "d.json")


def test_the_detector_of_a_run_without_settings_has_been_measured() -> None:
    """A new default detector comes with its figures from `rostrum evaluate listening`."""
    detector = Detector.read(SHIPPED / f"{MentionsSettings().encoder}.json")
    quality = quality_of(detector.digest)
    assert quality
    assert quality.accuracy_low < quality.accuracy < quality.accuracy_high


def test_of_an_unknown_detector_nothing_is_said() -> None:
    assert quality_of("0" * 64) is None

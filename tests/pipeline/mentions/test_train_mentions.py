"""Training from folders: labelled speeches, and speeches put together from ArgKP."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.arrays import Matrix
from pipeline.cli.evaluate import train
from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import read_part
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.mentions import train_mentions
from pipeline.mentions.detector import GENERALITY, PRIOR, Detector
from pipeline.mentions.evaluate.data import read_listening
from pipeline.mentions.evaluate.fitting import adapt, labelled_lists
from pipeline.mentions.features import LIKENESS, POINTS, columns
from pipeline.mentions.train_mentions import synthetic_examples, trained_on
from pipeline.models.stored import FeatureWeight
from tests.pipeline.mentions.counting import CountingEncoder
from tests.pipeline.mentions.test_evaluate_listening import release

POINTS_MADE = ["costs money", "harms children", "limits choice", "breeds crime", "divides families"]
TOPICS = ("We should ban boxing", "We should ban chess")


def argkp(folder: Path) -> Path:
    """Six arguments for each of five key points on two topics; people could not decide on one of them. What the other
    side says is too little for speeches of its own.
    """
    arguments, points, labels = [], [], []
    for t, topic in enumerate(TOPICS):
        for p, point in enumerate(POINTS_MADE):
            points.append((f"kp_{t}_{p}", f"It {point}", topic, 1))
            for number in range(6):
                name = f"arg_{t}_{p}_{number}"
                arguments.append((name, f"Number {number} says it {point}", topic, 1))
                labels += [(name, f"kp_{t}_{q}", int(p == q)) for q in range(5) if (p, number, q) != (0, 0, 1)]
        arguments += [(f"arg_{t}_con_{number}", f"Number {number} disagrees", topic, -1) for number in range(6)]
        points.append((f"kp_{t}_con", "It is fun", topic, -1))
        labels += [(f"arg_{t}_con_{number}", f"kp_{t}_con", 0) for number in range(6)]
    tables = {
        "arguments_train.csv": (("arg_id", "argument", "topic", "stance"), arguments),
        "key_points_train.csv": (("key_point_id", "key_point", "topic", "stance"), points),
        "labels_train.csv": (("arg_id", "key_point_id", "label"), labels),
    }
    folder.mkdir()
    for name, (header, rows) in tables.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return folder


def test_synthetic_speeches_mention_what_their_arguments_make(tmp_path: Path) -> None:
    part = read_part(argkp(tmp_path / "argkp"), "train")
    examples = list(synthetic_examples(part, CountingEncoder(), TokenOverlap()))
    assert {example.group for example in examples} == set(TOPICS)
    share = np.concatenate([example.labels for example in examples]).mean()
    assert 0.3 < share < 0.8
    likeness, labels = (
        np.concatenate([each.table[:, columns([LIKENESS])[0]] for each in examples]),
        np.concatenate([each.labels for each in examples]),
    )
    assert likeness[labels].mean() > likeness[~labels].mean() + 0.5
    again = list(synthetic_examples(part, CountingEncoder(), TokenOverlap()))
    assert all((one.table == other.table).all() for one, other in zip(examples, again, strict=True))


class Listener(TokenOverlap):
    """A matcher that remembers what was said in each speech."""

    def __init__(self) -> None:
        super().__init__()
        self.speeches: list[list[str]] = []

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        self.speeches.append(list(arguments))
        return super().scores(topic, arguments, key_points)


def test_in_every_second_speech_other_things_are_said_besides(tmp_path: Path) -> None:
    part, heard = read_part(argkp(tmp_path / "argkp"), "train"), Listener()
    examples = list(synthetic_examples(part, CountingEncoder(), heard))
    plain, longer = heard.speeches[::2], heard.speeches[1::2]
    assert len(examples) == len(heard.speeches)
    assert {len(each) for each in plain} == set(range(3, 11))
    assert min(len(each) for each in longer) >= 13
    shares = [np.mean(["disagrees" in text.lower() for text in sum(each, [])]) for each in (plain, longer)]
    assert shares[0] < 0.05  # by a word error
    assert shares[1] > 0.5
    mentioned = [np.mean([each.labels.mean() for each in part]) for part in (examples[::2], examples[1::2])]
    assert mentioned[0] == pytest.approx(mentioned[1], abs=0.1)


def test_training_on_argkp_weighs_what_a_new_speech_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_mentions, "MATCHER", "token overlap")
    result = trained_on(argkp(tmp_path / "argkp"), CountingEncoder())
    assert set(result.detector.weights) == {LIKENESS, *POINTS, GENERALITY}
    assert (result.detector.matcher, result.detector.prior) == ("token overlap", None)
    assert result.detector.generality is not None
    assert result.detector.generality.topics == 2
    assert result.accuracy > result.majority
    assert "ArgKP" in result.detector.trained_on


def test_training_on_labelled_speeches_says_how_it_does_on_unseen_motions(tmp_path: Path) -> None:
    result = trained_on(release(tmp_path, range(1, 9)), CountingEncoder())
    assert set(result.detector.weights) == {LIKENESS, PRIOR}
    assert (result.pairs, result.groups, result.majority) == (8 * 2 * 2 * 4, 8, 0.5)
    assert result.accuracy > 0.9
    assert "128 pairs on 8 motions; on motions left out: accuracy" in result.summary


def test_the_command_leaves_a_detector_where_runs_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("pipeline.mentions.train_mentions.load_encoder", lambda name: CountingEncoder())
    data = release(tmp_path / "data", range(1, 4))
    result = CliRunner().invoke(train, ["mentions", "--data", str(data)])
    assert result.exit_code == 0, result.output
    assert Path(result.stdout.strip()) == tmp_path / "models" / "mentions" / "c0.json"
    assert Detector.read(tmp_path / "models" / "mentions" / "c0.json").trained_on == "data: 24 labels on 3 motions"


# From one motion on: the shipped detector is adapted.


def shipped(bias: float) -> Detector:
    """A detector that goes by likeness. With a bias far below 0, it mentions nothing."""
    weights = {LIKENESS: FeatureWeight(mean=0.0, deviation=1.0, weight=2.0)}
    encoder = CountingEncoder()
    return Detector(
        trained_on="elsewhere",
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        weights=weights,
        bias=bias,
        threshold=0.5,
    )


@pytest.mark.parametrize(
    ("motions", "bias", "is_better"), [(8, -3.0, True), (1, 0.0, False)], ids=["too strict", "right already"]
)
def test_few_labels_are_enough_and_are_compared_with_the_shipped_detector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, motions: int, bias: float, is_better: bool
) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("pipeline.mentions.train_mentions.load_encoder", lambda name: CountingEncoder())
    monkeypatch.setattr("pipeline.mentions.train_mentions.shipped_detector", lambda encoder: shipped(bias))
    data = release(tmp_path / "data", range(1, motions + 1))
    trained = trained_on(data, CountingEncoder())
    assert (trained.pairs, trained.groups, trained.left_out) == (8 * motions, 2 * motions, "speeches")
    assert trained.is_better is is_better
    assert "on speeches left out" in trained.summary
    assert "the shipped detector: " in (trained.comparison or "")

    result = CliRunner().invoke(train, ["mentions", "--data", str(data)])
    assert result.exit_code == 0, result.output
    place = tmp_path / "models" / "mentions" / "c0.json"
    assert place.exists() is is_better
    if not is_better:
        assert Path(result.stdout.strip()) == place.with_suffix(".not-used.json")
        assert "runs still use the shipped detector" in result.stderr
        assert CliRunner().invoke(train, ["mentions", "--data", str(data), "--replace"]).exit_code == 0
        assert place.exists()


def test_labels_that_say_nothing_new_change_no_decision(tmp_path: Path) -> None:
    lists = labelled_lists(read_listening(release(tmp_path, range(1, 3))), "asr.txt", CountingEncoder())
    detector = shipped(0.0)
    adapted = adapt(detector, lists, "here")
    for one in lists:
        before, after = (each.probabilities(one.motion, one.titles, one.table) for each in (detector, adapted))
        assert ((before >= detector.threshold) == (after >= adapted.threshold)).all()


def test_two_kinds_of_answers_in_two_speeches_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.mentions.train_mentions.shipped_detector", lambda encoder: shipped(0.0))
    data = release(tmp_path, range(1, 2))
    monkeypatch.setattr(
        "pipeline.mentions.train_mentions.read_listening",
        lambda folder: replace(read_listening(folder), pairs=read_listening(folder).lists()[0]),
    )
    with pytest.raises(RostrumError, match="too few labels to learn from; two speeches are needed"):
        trained_on(data, CountingEncoder())

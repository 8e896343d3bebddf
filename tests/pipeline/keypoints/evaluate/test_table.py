"""The evaluation on made-up data: which part is scored, which weights are used, and what the rows hold."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate import matchers, training
from pipeline.keypoints.evaluate import table as evaluation
from pipeline.keypoints.evaluate.cross_validation import evaluate_topics
from pipeline.keypoints.evaluate.data import choose_parts, read_part
from pipeline.keypoints.evaluate.table import evaluate
from pipeline.keypoints.evaluate.writing import write_all, writing_rows
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matcher import load_matcher
from pipeline.matching.matchers.encoders import SECOND_ENCODER
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER
from tests.llm_server import Response, serving

TOPIC = "We should ban phones"
SAID = {
    1: [
        ("Phones distract pupils from learning", 0),
        ("Every phone distracts pupils in class", 0),
        ("Bullies use phone cameras against classmates", 1),
        ("A camera in a phone helps bullies", 1),
    ],
    -1: [("Parents must reach their children", 0), ("Children call their parents", 0)],
}
POINTS = {1: ["Phones distract pupils", "Phones help bullies"], -1: ["Parents reach their children by phone"]}


def write(folder, part, said=SAID, points=POINTS, labels=True, topic=TOPIC, ids=""):
    folder.mkdir(exist_ok=True)
    suffix = f"_{part}" if part else ""
    arguments, key_points, labelled = ["arg_id,argument,topic,stance"], ["key_point_id,key_point,topic,stance"], []
    for stance, texts in said.items():
        for i, (text, point) in enumerate(texts):
            arguments.append(f"{ids}a{stance}_{i},{text},{topic},{stance}")
            pairs = [(f"{ids}a{stance}_{i},{ids}k{stance}_{j}", j) for j in range(len(points[stance]))]
            labelled += [f"{pair},{int(j == point)}" for pair, j in pairs]
        key_points += [f"{ids}k{stance}_{j},{text},{topic},{stance}" for j, text in enumerate(points[stance])]
    (folder / f"arguments{suffix}.csv").write_text("\n".join(arguments) + "\n")
    (folder / f"key_points{suffix}.csv").write_text("\n".join(key_points) + "\n")
    if labels:
        (folder / f"labels{suffix}.csv").write_text("\n".join(["arg_id,key_point_id,label", *labelled]) + "\n")
    return folder


@pytest.fixture(autouse=True)
def no_weights(monkeypatch, tmp_path):
    """Token overlap in the place of every encoder, and no weights from before."""
    made = []

    def learn(part, dev, file, *, base, options, progress):
        made.append((part.name, dev and dev.name, base))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    nowhere = tmp_path / "cache" / "matcher.safetensors"

    def load(name, asked=None):
        return load_matcher(name, asked) if name == "llm" else TokenOverlap(name)

    for module in (evaluation, matchers):
        monkeypatch.setattr(module, "load_matcher", load)
    monkeypatch.setattr(matchers, "plain_encoder", TokenOverlap)
    monkeypatch.setattr(matchers, "ensemble", lambda first, second, name: TokenOverlap(name))
    monkeypatch.setattr(matchers, "load_weights", lambda file, name: TokenOverlap(name))
    monkeypatch.setattr(matchers, "learn", learn)
    for module in (evaluation, matchers):
        for name in ("TUNED_WEIGHTS", "TUNED_BGE_WEIGHTS"):
            monkeypatch.setattr(module, name, tmp_path / "cache" / "packaged.safetensors")
    for module in (evaluation, matchers):
        monkeypatch.setattr(module, "trained_file", lambda: nowhere)
    return made


def over_all(result, method, scorer="leaderboard"):
    return next(row for row in result.rows if row["method"] == method and row.get("scorer") == scorer)


def test_train_teaches_and_dev_is_scored(tmp_path, no_weights):
    folder = write(write(tmp_path / "data", "train"), "dev")
    result = evaluate(folder)
    assert no_weights == [("train", "dev", DEFAULT_ENCODER), ("train", "dev", SECOND_ENCODER)]
    assert any("trained on this data now" in note for note in result.notes)
    assert result.signature["figures"] == "dev of data"
    row = over_all(result, "token overlap")
    assert row["strict"] == row["relaxed"] == 1.0
    assert row["strict_low"] == row["strict_high"] == 1.0
    groups = [each for each in result.rows if each["method"] == "token overlap" and "topic" in each]
    assert {(each["scorer"], each["stance"]) for each in groups} == {
        (scorer, stance) for scorer in ("leaderboard", "later") for stance in ("pro", "con")
    }
    json.loads(result.model_dump_json())


def test_a_test_folder_gives_the_figures_and_the_data_the_weights(tmp_path, no_weights):
    data = write(write(tmp_path / "data", "train"), "dev")
    test = write(tmp_path / "held-out", "")
    result = evaluate(data, test)
    assert no_weights == [("train", "dev", DEFAULT_ENCODER), ("train", "dev", SECOND_ENCODER)]
    assert result.signature["figures"] == "the only part of held-out"
    assert result.signature["learned_from"] == "train"


def test_a_lone_part_is_scored_with_the_weights_there_are(tmp_path, no_weights):
    folder = write(tmp_path / "held-out", "test")
    result = evaluate(folder)
    assert no_weights == []
    assert "fine-tuned: weights trained before, those that come with rostrum" in result.notes
    evaluation.trained_file().parent.mkdir()
    evaluation.trained_file().touch()
    result = evaluate(folder)
    assert over_all(result, "fine-tuned")["strict"] == 1.0
    assert f"fine-tuned: weights trained before, {evaluation.trained_file()}" in result.notes


def test_weights_of_the_same_data_are_used_again(tmp_path, monkeypatch):
    folder = write(write(tmp_path / "data", "train"), "dev")
    digest = training.data_digest(read_part(folder, "train"))
    monkeypatch.setattr(matchers, "weights_of", lambda asked, *how: tmp_path / "w" if asked == digest else None)
    assert any("on this data before" in note for note in evaluate(folder).notes)


def test_the_data_s_digest_does_not_hang_on_names_or_order(tmp_path):
    one, other = read_part(write(tmp_path / "one", "train"), "train"), read_part(write(tmp_path / "two", ""), "")
    assert training.data_digest(one) == training.data_digest(other)
    fewer = read_part(write(tmp_path / "three", "", said={**SAID, -1: SAID[-1][:1]}), "")
    assert training.data_digest(one) != training.data_digest(fewer)


def test_folders_that_leave_nothing_to_score(tmp_path):
    with pytest.raises(RostrumError, match="nothing to score"):
        choose_parts(write(tmp_path / "a", "train"), None)
    with pytest.raises(RostrumError, match="has the parts 'one', 'two', and none of them is called test"):
        choose_parts(write(write(tmp_path / "b", "one"), "two"), None)
    parts = choose_parts(write(write(write(tmp_path / "c", "train"), "dev"), "test"), None)
    assert (parts.figures.name, parts.training.name) == ("dev", "train")


def test_a_single_argument_has_no_figure(tmp_path):
    folder = write(tmp_path / "data", "test", said={**SAID, -1: SAID[-1][:1]})
    result = evaluate(folder)
    assert over_all(result, "token overlap")["strict"] == 1.0
    row = next(each for each in result.rows if each.get("stance") == "con")
    assert row["strict"] is None
    assert any("a single argument has no better half" in note for note in result.notes)


def test_without_labels_only_key_points_are_written(tmp_path):
    folder = write(tmp_path / "data", "", labels=False)
    result = evaluate(folder)
    assert {row["method"] for row in result.rows} == {
        "written key points",
        "page rank",
        "clusters",
        "random sentences",
        "experts' key points",
    }
    assert any("no labels" in note for note in result.notes)
    for name in ("key_points", "labels"):
        (folder / f"{name}.csv").unlink(missing_ok=True)
    result = evaluate(folder)
    assert all(row["experts_found"] is None for row in result.rows)


def test_submissions_are_scored_and_written_as_the_task_reads_them(tmp_path):
    folder = write(tmp_path / "data", "dev")
    out = tmp_path / "out"
    evaluate(folder, out=out)
    submission = out / "token-overlap" / "predictions.p"
    result = evaluate(folder, predictions=[submission])
    assert over_all(result, "predictions")["strict"] == over_all(result, "token overlap")["strict"]
    written = (out / "generated" / "key_points.csv").read_text().splitlines()
    assert written[0] == "key_point_id,key_point,topic,stance"
    assert written[1].startswith("kp_we_should_ban_phones_pro_0,")
    assert set(json.loads((out / "generated" / "predictions.p").read_text())) == {
        "a1_0",
        "a1_1",
        "a1_2",
        "a1_3",
        "a-1_0",
        "a-1_1",
    }
    (tmp_path / "strange.json").write_text('{"x": {"y": 1}}')
    with pytest.raises(RostrumError, match="no prediction for any argument"):
        evaluate(folder, predictions=[tmp_path / "strange.json"])


def test_written_key_points_are_counted_beside_the_experts(tmp_path):
    part = read_part(write(tmp_path / "data", "dev"), "dev")
    writings = write_all(part, TokenOverlap(threshold=0.5))
    rows = list(writing_rows(writings, [TokenOverlap(threshold=0.5), TokenOverlap("another")]))
    experts = [row for row in rows if row["method"] == "experts' key points" and "topic" not in row]
    assert [(row["judge"], row["experts_found"]) for row in experts] == [("token overlap", 1.0), ("another", 1.0)]
    # the experts' own set is as near to itself as can be; others say less of it, and something else beside
    assert {row[name] for row in experts for name in ("soft_precision", "soft_recall", "soft_f1")} == {1.0}
    (chance,) = [row for row in rows if row["method"] == "random sentences" and "topic" not in row][:1]
    assert 0.0 < chance["soft_f1"] < 1.0
    lines = list(writings[0].lines(TokenOverlap(threshold=0.5)))
    assert lines[0] == "We should ban phones (pro, 4 arguments)"
    assert any(line.endswith("Every phone distracts pupils in class") for line in lines)
    assert "  expert      2  Phones help bullies" in lines


def test_a_large_language_model_writes_and_judges_beside_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "cache"))
    folder = write(tmp_path / "data", "test")

    def answer(prompt):  # one key point, which every first statement makes
        if "Key points, each" in prompt:
            return Response('{"matches": [{"statement": 1, "key_point": 1, "confidence": 1}]}')
        return Response('{"key_points": [{"text": "Phones do harm.", "statements": [1]}]}')

    with serving(answer) as server:
        asked = LargeModel(server.settings)
        result = evaluate(folder, judges=["llm"], asked=asked, llm_writes=True)
    rows = [row for row in result.rows if row.get("judge") == "llm small" and row["method"] == "large language model"]
    assert [(row["key_points"], row["covered"]) for row in rows if "topic" not in row] == [(1.0, (1 / 4 + 1 / 2) / 2)]
    assert asked.use().report_line() in result.notes


def test_random_scores_are_averaged_over_draws(tmp_path):
    result = evaluate(write(tmp_path / "data", "test"))
    row = over_all(result, "random")
    assert 0.2 < row["strict_expected"] < 0.9
    assert row["strict"] != row["strict_expected"]
    assert np.isfinite(row["strict_low"])


def test_every_topic_is_scored_by_what_the_others_taught(tmp_path, monkeypatch):
    other = "Phones should be free"
    folder = write(write(tmp_path / "data", "train"), "dev", topic=other, ids="x")
    taught = []

    def learn(part, dev, file, *, base, options, progress):
        taught.append(({argument.topic for argument in part.arguments}, options))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    monkeypatch.setattr(matchers, "learn", learn)
    result = evaluate_topics(folder, 2)
    both = (training.MatcherOptions(), training.HEARD)
    assert {(*topics, options) for topics, options in taught} == {
        (each, how) for each in (TOPIC, other) for how in both
    }
    assert over_all(result, "ensemble")["strict"] == over_all(result, "token overlap")["strict"] == 1.0
    assert {row["topic"] for row in result.rows if "topic" in row} == {TOPIC, other}
    assert any(note.startswith("ensemble over fine-tuned, strict: +0.000") for note in result.notes)
    with pytest.raises(RostrumError, match="--folds 3: there are 2 topics"):
        evaluate_topics(folder, 3)
    taught.clear()
    unlearned = evaluate_topics(folder, None)
    assert taught == []
    assert over_all(unlearned, "both encoders, against rivals")["strict"] == 1.0
    assert {row["topic"] for row in unlearned.rows if "topic" in row} == {TOPIC, other}
    assert any(note.startswith("both encoders, against rivals over both encoders, strict:") for note in unlearned.notes)


def test_options_of_the_task_s_parts_do_not_go_with_folds(tmp_path):
    folder = write(tmp_path / "data", "train")
    arguments = ["--data", str(folder), "--test", str(folder), "--matcher", "tuned", "--folds", "2"]
    with pytest.raises(RostrumError, match="leave out --test, --matcher"):
        CliRunner().invoke(main_group, ["evaluate", "keypoints", *arguments], catch_exceptions=False)

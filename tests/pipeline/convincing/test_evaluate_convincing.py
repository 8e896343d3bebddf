import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import pearsonr, spearmanr, wilcoxon

from pipeline.cli.evaluate import evaluate as command
from pipeline.convincing import evaluate_convincing as evaluation_module
from pipeline.convincing import model, train_convincing
from pipeline.convincing.evaluate.data import ArgumentPairs, read_pairs
from pipeline.convincing.evaluate.judging import Judgement, Method, Pool, cross_topic
from pipeline.convincing.evaluate.linguistic import FAMILIES
from pipeline.convincing.evaluate.methods import BEST, METHODS
from pipeline.convincing.evaluate.scores import correct, method_rows, rank_tests, wilcoxon_tests
from pipeline.convincing.evaluate.svm import predicted_ranks, products_of
from pipeline.convincing.evaluate_convincing import evaluate
from pipeline.errors import RostrumError
from pipeline.text.encoders import sentence_encoder as encoders
from tests.pipeline.convincing.made_up import MadeUpEncoder, topics_of_arguments

BY_NAME = {method.name: method for method in METHODS}
# The shipped model learned from a set called as the made-up one is, and is not judged on that.
FAST = [method.name for method in METHODS if method.fast and not method.trained_on]


@pytest.fixture(autouse=True)
def _encoder(monkeypatch):
    monkeypatch.setattr(encoders, "load_encoder", lambda name: MadeUpEncoder())


@pytest.fixture
def folder(tmp_path):
    return write_ukp(tmp_path / "ukp", seed=0)


def write_ukp(folder, seed):
    """UKPConvArg1's layout, four topics of eight arguments, an order of presentation that says nothing."""
    random = np.random.default_rng(seed)
    texts, topic_of, winner, loser = topics_of_arguments(seed=seed)
    for topic in range(4):
        pairs = ["#id\tlabel\ta1\ta2"]
        for number, (best, worst) in enumerate(zip(winner, loser, strict=True)):
            if topic_of[best] == topic:
                label, one, other = ("a1", best, worst) if random.random() < 0.5 else ("a2", worst, best)
                pairs.append(f"{number}\t{label}\t{texts[one]}\t{texts[other]}")
        ranks = [f"{i}\t{1.0 / (1 + i % 8):.5f}\t{texts[i]}" for i in np.flatnonzero(topic_of == topic)]
        for name, lines in (("Strict-CSV", pairs), ("-Ranking-CSV", ["#id\trank\targument", *ranks])):
            path = folder / f"UKPConvArg1{name}" / f"topic-{topic}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def row(evaluation, method, topic):
    return next(r for r in evaluation.rows if r["method"] == method and r["topic"] == topic)


def test_every_topic_is_judged_by_what_learned_from_the_others(folder):
    found = evaluate(folder, fast=True)
    assert {r["method"] for r in found.rows} == set(FAST)
    for method in FAST:
        topics = [r["topic"] for r in found.rows if r["method"] == method and r["set"] == "UKPConvArg1"]
        assert [t for t in topics if str(t).startswith("topic-")] == [f"topic-{i}" for i in range(4)]
    best = row(found, BEST, "all")
    assert best["pairs"] == 112
    assert best["accuracy"] > 0.9
    assert best["spearman"] > 0.8
    assert best["accuracy_low"] <= best["accuracy"] <= best["accuracy_high"]
    assert 0 <= best["calibration_error"] < 0.3
    assert row(found, "majority", "all")["spearman"] is None


def test_with_test_every_figure_is_of_the_test_folder(folder, tmp_path):
    other = write_ukp(tmp_path / "other", seed=9)
    found = evaluate(folder, other, methods=[BEST, "longer (words)"])
    assert row(found, BEST, "average")["accuracy"] > 0.85
    assert found.signature["split"] == "trained on --data, judged on --test"
    assert (
        evaluate(folder, other, methods=["longer (words)"]).rows[0]
        == found.rows[: len(found.rows)][[r["method"] for r in found.rows].index("longer (words)")]
    )


def test_what_was_judged_is_not_judged_again(folder, tmp_path, monkeypatch):
    first = evaluate(folder, methods=[BEST], cache=tmp_path / "cache")
    files = sorted((tmp_path / "cache").rglob("*.json"))
    assert len(files) == 4
    files[2].unlink()
    judged = []
    method = BY_NAME[BEST]

    def judge(pool, fold):
        judged.append(len(fold.test))
        return method.judge(pool, fold)

    monkeypatch.setattr(evaluation_module, "METHODS", [replace(method, judge=judge)])
    assert evaluate(folder, methods=[BEST], cache=tmp_path / "cache").rows == first.rows
    assert judged == [28]


def test_progress_is_told(folder):
    told = []
    evaluate(folder, methods=["longer (words)"], progress=lambda *step: told.append(step))
    assert told[1] == (0.25, "UKPConvArg1: longer (words)")
    assert told[-1] == (1.0, "UKPConvArg1: longer (words)")


def test_unknown_methods_and_too_few_topics(folder, tmp_path):
    with pytest.raises(RostrumError, match="no method is called 'gp'"):
        evaluate(folder, methods=["gp"])
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "one.tsv").write_text("id\tlabel\ta1\ta2\n1\ta1\tx\ty\n")
    with pytest.raises(RostrumError, match="three or more"):
        evaluate(tmp_path / "few", fast=True)


def test_a_method_that_cannot_run_is_named_in_the_notes(folder, monkeypatch):
    def absent(options):
        raise RostrumError("spacy is not installed")

    longer = BY_NAME["longer (words)"]
    needy = Method("svm", "published", longer.judge, needs=absent)
    monkeypatch.setattr(evaluation_module, "METHODS", [longer, needy])
    found = evaluate(folder)
    assert {r["method"] for r in found.rows} == {"longer (words)"}
    assert any("not run: svm: spacy is not installed" in note for note in found.notes)
    with pytest.raises(RostrumError, match="spacy"):
        evaluate(folder, methods=["svm"])


def test_a_method_that_cannot_learn_loses_its_row_not_the_table(tmp_path):
    for topic in range(3):
        lines = [f"{n}\ta1\tbecause {'reason ' * n}{topic}\tno {topic}" for n in range(1, 5)]
        (tmp_path / f"{topic}.tsv").write_text("\n".join(["id\tlabel\ta1\ta2", *lines]) + "\n", encoding="utf-8")
    found = evaluate(tmp_path, methods=["longer (words)", "bradley-terry, surface"])
    assert {r["method"] for r in found.rows} == {"longer (words)"}
    assert any("bradley-terry, surface" in note and "the same one of the two wins" in note for note in found.notes)


def judged_pairs():
    """Two topics, five pairs; the third is a tie."""
    pairs = ArgumentPairs(
        name="made up",
        texts=("aaaaaaaaaa", "bbbbbbbbbb", "c", "dddd", "ee"),
        topics=("one", "two"),
        topic_of=np.array([0, 0, 0, 1, 1]),
        first=np.array([0, 1, 0, 3, 4]),
        second=np.array([1, 2, 2, 4, 3]),
        first_wins=np.array([True, True, False, True, True]),
        ranked_text=np.array([0, 1, 2]),
        rank=np.array([3.0, 1.0, 2.0]),
        stances=("pro", "con", "pro", None, "pro"),
    )
    margins = np.array([1.0, -2.0, 0.0, 0.5, 0.1])
    return pairs, Judgement(margins, 1 / (1 + np.exp(-margins)), np.array([0.3, 0.1, 0.2]))


def test_scores_by_hand():
    pairs, judgement = judged_pairs()
    assert correct(pairs, judgement).tolist() == [1.0, 0.0, 0.5, 1.0, 1.0]
    rows = {(r["set"], r["topic"]): r for r in method_rows("m", pairs, judgement, {})}
    assert rows["made up", "one"]["accuracy"] == pytest.approx(0.5)
    assert rows["made up", "two"]["accuracy"] == 1.0
    assert rows["made up", "average"]["accuracy"] == pytest.approx(0.75)
    assert rows["made up", "all"]["accuracy"] == pytest.approx(0.7)
    assert rows["made up", "one"]["spearman"] == pytest.approx(1.0)
    assert rows["made up", "two"]["spearman"] is None
    assert rows["made up", "all"]["pearson"] == pytest.approx(1.0)
    # of all pairs only the first is of two texts as long as each other
    assert rows["made up, like lengths", "all"]["pairs"] == 1
    assert rows["made up, like lengths", "all"]["accuracy"] == 1.0
    # the first two pairs are across stances; a pair with a text of unknown stance is not
    assert rows["made up, across stances", "all"]["pairs"] == 2
    assert rows["made up, across stances", "all"]["accuracy"] == 0.5
    assert rows["made up, same stance", "all"]["pairs"] == 3
    # ranked are a, b and c with 3, 1 and 2: pairs that are 2, 1 and 1 apart
    assert rows["made up, ranks near", "all"]["pairs"] == 2
    assert rows["made up, ranks far", "all"]["accuracy"] == 1.0
    won = pairs.first_wins.astype(float)
    assert rows["made up", "all"]["brier"] == pytest.approx(np.mean((judgement.probabilities - won) ** 2))


def test_calibration_by_hand():
    pairs, judgement = judged_pairs()
    sure = Judgement(judgement.margins, np.array([0.9, 0.9, 0.9, 0.9, 0.9]), None)
    rows = list(method_rows("m", pairs, sure, {}))
    of_all = next(r for r in rows if r["topic"] == "all" and r["set"] == "made up")
    assert of_all["calibration_error"] == pytest.approx(0.1)


def test_wilcoxon_over_topics(folder):
    found = evaluate(folder, methods=["majority", "longer (characters)", BEST])
    by_topic = {
        name: [r["accuracy"] for r in found.rows if r["method"] == name and str(r["topic"]).startswith("topic-")]
        for name in ("majority", BEST)
    }
    p = row(found, "majority", "average")[f"wilcoxon_p against {BEST}"]
    assert p == row(found, BEST, "average")["wilcoxon_p against majority"]
    assert p == pytest.approx(wilcoxon(by_topic["majority"], by_topic[BEST]).pvalue)
    pairs, judgement = judged_pairs()
    assert wilcoxon_tests(pairs, {"a": judgement, "b": judgement})["a"] == {"wilcoxon_p against b": 1.0}


def test_tables_have_a_line_a_topic_and_a_column_a_method(folder):
    shown = dict(evaluate(folder, methods=["majority", "longer (words)"]).tables)
    lines = shown["UKPConvArg1: accuracy by topic"]
    assert [line["topic"] for line in lines] == [f"topic-{i}" for i in range(4)]
    assert set(lines[0]) == {"topic", "majority", "longer (words)"}
    assert len(shown["UKPConvArg1: totals"]) == 4
    assert len(shown["UKPConvArg1, longer loses: totals"]) == 2
    assert any("Wilcoxon" in title for title in shown)


def test_the_command_prints_json_and_tables(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    arguments = ["convincing", "--data", str(folder), "--method", "longer (words)"]
    content = json.loads(CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert set(content) >= {"name", "signature", "rows"}
    assert content["rows"][0]["method"] == "longer (words)"
    table = CliRunner().invoke(command, arguments, catch_exceptions=False).stdout
    assert "topic-3" in table
    assert "signature:" in table


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_length_alone_on_the_published_pairs():
    found = evaluate(Path(os.environ["ROSTRUM_DATA"], "ukpconvarg1"), methods=["longer (characters)"])
    assert row(found, "longer (characters)", "all")["accuracy"] == pytest.approx(0.772, abs=0.002)


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_the_published_ranks_of_the_svm():
    """Nu-SVR on the features of the paper; .351 and .402 are published."""
    pytest.importorskip("spacy")
    pairs = read_pairs(Path(os.environ["ROSTRUM_DATA"], "ukpconvarg1"))[0]
    experiment = cross_topic(pairs)
    products, size = products_of(Pool(experiment.texts, experiment.topic_of), FAMILIES, standardised=False)
    found = np.zeros(len(pairs.rank))
    for fold in experiment.folds:
        ranks = predicted_ranks(products, size, fold.train_ranked, fold.train_ranks, fold.test_ranked)
        found[fold.ranked_places] = ranks
    assert pearsonr(found, pairs.rank).statistic == pytest.approx(0.351, abs=0.05)
    assert spearmanr(found, pairs.rank).statistic == pytest.approx(0.402, abs=0.05)


def write_own(folder, seed):
    """The same arguments in a form of one's own, as a set that is called as its folder."""
    source = write_ukp(folder.parent / f"ukp of {folder.name}", seed)
    folder.mkdir()
    for path in (source / "UKPConvArg1Strict-CSV").glob("*.csv"):
        (folder / f"{path.stem}.tsv").write_text(path.read_text().removeprefix("#"))
    return folder


def test_a_set_that_is_left_out_is_judged_by_the_others(tmp_path):
    one, two, three = (write_own(tmp_path / name, seed) for seed, name in enumerate(("one", "two", "three")))
    found = evaluate(one, also=[two, three], methods=[BEST])
    average = [(r["set"], r["learned_from"]) for r in found.rows if r["topic"] == "average"]
    assert average[:3] == [("one", "two + three"), ("one", "two"), ("one", "three")]
    assert found.signature["split"] == "leave one set out"
    # what three sets share is what convinces: it is found again in a set that none of it was learned from
    (learned,) = (r for r in found.rows if (r["set"], r["learned_from"], r["topic"]) == ("one", "two + three", "all"))
    assert learned["accuracy"] > 0.6
    assert "one, learned from two + three: totals" in dict(found.tables)
    with pytest.raises(RostrumError, match="give one"):
        evaluate(one, two, also=[three])


def test_a_model_of_several_sets_is_measured_and_calibrated_on_each_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(train_convincing, "load_encoder", lambda name: MadeUpEncoder())
    monkeypatch.setattr(model, "load_encoder", lambda name: MadeUpEncoder())
    one, two = (write_own(tmp_path / name, seed) for seed, name in enumerate(("one", "two")))
    found = train_convincing.trained([one, two], "spoken, without length")
    assert (found.facts.trained_on, found.facts.licence) == ("one + two", "none stated; none stated")
    assert [each.collection for each in found.facts.elsewhere] == ["one", "two"]
    assert all(each.confidence is not None for each in found.facts.elsewhere)
    assert found.facts.accuracy is None  # what it is on topics left out of one set says nothing of several


def test_rank_correlations_are_compared_with_one_another() -> None:
    gold = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    pairs = type("Pairs", (), {"rank": gold})
    near, far = (Judgement(np.zeros(0), None, np.array(ranks, float)) for ranks in (RISING, NO_ORDER))
    tests = rank_tests(pairs, {"near": near, "far": far, "again": near, "none": Judgement(np.zeros(0))})
    assert tests["near"]["rank_p against far"] == tests["far"]["rank_p against near"] < 0.05
    # with itself there is nothing to compare, and a method without ranks has no test
    assert tests["near"]["rank_p against again"] is None
    assert tests["none"] == {}


RISING = (1, 2, 4, 3, 5, 6, 8, 7)
NO_ORDER = (4, 1, 8, 5, 2, 7, 3, 6)


def test_people_stand_beside_the_methods_on_the_same_pairs(tmp_path):
    """Three pairs of two topics by hand: all agree; two against one; and one against one, with one who has no view.

    Of two against one, the two face a tie (half each) and the one is wrong: 1/3. Of one against one, both are wrong,
    and the third counts half: 1/6. A vote on a pair of no set does not count, nor does a pair that one person saw.
    """
    data, votes = tmp_path / "pairs", tmp_path / "votes.csv"
    data.mkdir()
    for topic, ids in {"a": ("x_y", "y_z"), "b": ("u_v",), "c": ("p_q",)}.items():
        lines = ["#id\tlabel\ta1\ta2", *(f"{one}\ta1\tlong text of {one}\tshort {one}" for one in ids)]
        (data / f"{topic}.tsv").write_text("\n".join(lines) + "\n")
    cast = {"x,y": "a1 a1 a1", "z,y": "a1 a2 a2", "u,v": "a1 a2 equal", "p,q": "a1", "k,l": "a1 a2"}
    rows = [f"T,{pair},w{n},{vote}" for pair, given in cast.items() for n, vote in enumerate(given.split())]
    votes.write_text("\n".join(["topic,argument1,argument2,worker,vote", *rows]) + "\n")
    found = evaluate(data, methods=["longer (words)"], people=votes)
    by_topic = {r["topic"]: r for r in found.rows if r["method"] == "people, one against the others"}
    assert {topic: r["pairs"] for topic, r in by_topic.items()} == {"a": 2, "b": 1, "average": 3, "all": 3}
    assert by_topic["a"]["accuracy"] == pytest.approx((1 + 1 / 3) / 2)
    assert by_topic["b"]["accuracy"] == pytest.approx(1 / 6)
    assert by_topic["all"]["accuracy"] == pytest.approx((1 + 1 / 3 + 1 / 6) / 3)
    assert by_topic["average"]["accuracy"] == pytest.approx((2 / 3 + 1 / 6) / 2)
    assert row(found, "longer (words)", "all")["pairs"] == 4
    assert any(title.endswith("totals") and len(rows) == 4 for title, rows in found.tables)

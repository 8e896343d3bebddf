"""The corpus's tables on a tiny release worked out by hand, and on the real one where it is there."""

import os
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.graph.evaluate_graph import evaluate

# a beats b, b beats c and c beats a, the last against one voter of five; d and e close no cycle.
VOTES = {
    ("a", "b"): ["a1"] * 5,
    ("c", "b"): ["a2"] * 5,
    ("c", "a"): ["a1"] * 4 + ["a2"],
    ("d", "a"): ["a2"] * 5,
    ("b", "e"): ["a1"] * 5,
    ("e", "c"): ["a2"] * 5,
}
# Of every pair's five voters one is of the arguments' stance, one of the other; three do not say.
STANCE = {0: "<workerStance>same</workerStance>", 1: "<workerStance>opposite</workerStance>"}
KEPT = [pair for pair in VOTES if pair != ("c", "a")]


def write_release(folder, votes=VOTES, kept=KEPT):
    """UKPConvArg1's layout with one topic; a competence of .9 for everybody."""
    pairs = []
    for (first, second), given in votes.items():
        assignments = "".join(
            f"<mTurkAssignment><turkID>w{i}</turkID><value>{vote}</value><turkCompetence>0.9</turkCompetence>"
            f"<turkRank>{i + 3}</turkRank><reason>It is longer, no. {i}!</reason>{STANCE.get(i, '')}</mTurkAssignment>"
            for i, vote in enumerate(given)
        )
        arguments = "".join(
            f"<arg{n}><text>text {each}</text><id>{each}</id></arg{n}>" for n, each in ((1, first), (2, second))
        )
        pairs.append(
            f"<annotatedArgumentPair><id>{first}_{second}</id>{arguments}"
            f"<mTurkAssignments>{assignments}</mTurkAssignments><goldLabel>{given[0]}</goldLabel></annotatedArgumentPair>"
        )
    strict = ["#id\tlabel\ta1\ta2", *(f"{a}_{b}\t{votes[a, b][0]}\ttext {a}\ttext {b}" for a, b in kept)]
    # a beats b and d, b beats c and e, c beats e
    order = {"a": 1, "b": 2, "d": 2, "c": 3, "e": 4}
    ranks = ["#id\trank\targument", *(f"{argument}\t{rank}\ttext" for argument, rank in order.items())]
    for name, content in (
        ("UKPConvArg1-full-XML/t.xml", f"<list>{''.join(pairs)}</list>"),
        ("UKPConvArg1Strict-CSV/t.csv", "\n".join(strict)),
        ("UKPConvArg1-Ranking-CSV/t.csv", "\n".join(ranks)),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def test_sizes_and_workers_by_hand(tmp_path):
    found = evaluate(write_release(tmp_path), restarts=5)
    (workers,) = rows(found, "workers")
    assert (workers["votes"], workers["stance_none"], workers["stance_same"]) == (30, 0.6, 0.2)
    # places 3 to 7, of each pair the best is 3
    assert (workers["mean_rank"], workers["mean_rank_of_the_best"]) == (5.0, 3.0)
    pairs, strict, arguments = rows(found, "sizes")
    # six pairs, one of 30 votes is not the gold label; 'It is longer, no. 2!' has five tokens
    assert (pairs["number"], pairs["gold_reasons"], pairs["gold_reason_tokens"]) == (6, 29, 145)
    assert (strict["number"], arguments["number"], arguments["per_topic"]) == (5, 5, 5.0)
    assert arguments["deviation"] is None


def rows(evaluation, method):
    return [row for row in evaluation.rows if row["method"] == method]


def test_a_release_by_hand(tmp_path):
    found = evaluate(write_release(tmp_path), restarts=5)
    (labels,) = rows(found, "labels")
    assert (labels["a1"], labels["a2"], labels["equal"]) == (3, 3, 0)
    assert labels["accuracy"] == 1.0
    descending = next(
        row for row in rows(found, "graph") if (row["order"], row["equal_pairs"]) == ("descending", "left out")
    )
    assert (descending["pairs_refused"], descending["edges"], descending["first_cycle_length"]) == (1, 5, 3)
    for strict in rows(found, "strict pairs"):
        assert (strict["pairs"], strict["shared"]) == (5, 5)
    assert rows(found, "ranks")[0]["pearson"] > 0.9
    (cycles,) = [row for row in rows(found, "cycles") if row["equal_pairs"] == "left out"]
    assert (cycles["cycles_of_3"], cycles["topics_cut"]) == (1, 0)
    people = {(row["pairs_of"], row["worker"]): row for row in rows(found, "people")}
    assert people["all", "any"]["accuracy"] == pytest.approx(29 / 30)
    assert people["strict", "any"]["accuracy"] == 1.0
    assert people["all", "the most competent of the pair"]["votes"] == 6


def test_published_figures_stand_below_ours(tmp_path):
    shown = dict(evaluate(write_release(tmp_path), restarts=1).tables)
    assert shown["graph"][-1]["pairs_before_first_cycle"] == 199
    assert shown["labels"][-1]["undecided"] == 846


def test_what_is_missing_is_said(tmp_path):
    write_release(tmp_path)
    (tmp_path / "UKPConvArg1-Ranking-CSV" / "t.csv").unlink()
    (tmp_path / "UKPConvArg1-Ranking-CSV").rmdir()
    with pytest.raises(RostrumError, match="has no folder UKPConvArg1-Ranking-CSV"):
        evaluate(tmp_path)


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_the_published_graphs():
    found = evaluate(Path(os.environ["ROSTRUM_DATA"], "ukpconvarg1"), restarts=5)
    (labels,) = rows(found, "labels")
    assert labels["undecided"] == 846
    assert labels["accuracy"] > 0.998
    graph = rows(found, "graph")[-1]
    assert (graph["order"], graph["equal_pairs"]) == ("descending", "left out")
    published = {
        "pairs_before_first_cycle": (199, 1),
        "pairs_refused": (35, 0.6),
        "edges": (365, 0.6),
        "transitivity_mean": (10.8, 0.15),
        "transitivity_max": (24.0, 0.1),
    }
    for name, (value, tolerance) in published.items():
        assert graph[name] == pytest.approx(value, abs=tolerance), name
    ranks = {(row["competence"], row.get("surest_pairs_left_out")): row["pearson"] for row in rows(found, "ranks")}
    assert ranks["as released", 1] == pytest.approx(0.993, abs=0.001)

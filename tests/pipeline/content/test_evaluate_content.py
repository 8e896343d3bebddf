from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.content.evaluate.data import ScoredResponse, ScoredResponses
from pipeline.content.evaluate.study import cases
from pipeline.content.evaluate_content import StudyOptions, evaluate
from pipeline.content.rouge import Terms
from pipeline.errors import RostrumError
from pipeline.text.noise import learn

WORDS = [f"word{number}" for number in range(40)]
OPTIONS = StudyOptions(terms=Terms(), encoder=None, references=2)


def write(folder: Path, prompts: int = 6, each: int = 12, **columns: list[str]) -> Path:
    """Responses of growing quality: a response of score s has s fifths of its prompt's words."""
    random = np.random.default_rng(0)
    lines = [",".join(["prompt", "reference", "response", "score", *columns])]
    for prompt in range(prompts):
        expected = random.choice(WORDS, 10, replace=False)
        for number in range(each):
            score = number % 6
            said = [*expected[: 2 * score], *random.choice(["so", "well", "then"], 12 - 2 * score)]
            more = [column[len(lines) % len(column)] for column in columns.values()]
            lines.append(",".join([f"p{prompt}", " ".join(expected), " ".join(said), str(score), *more]))
    folder.mkdir(exist_ok=True)
    (folder / "responses.csv").write_text("\n".join(lines) + "\n")
    return folder


def rows(evaluation: Any) -> dict[tuple[Any, Any], dict[str, Any]]:
    return {(row["method"], row["transcript"]): row for row in evaluation.rows if "config" not in row}


def test_text_in_another_encoding_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "target.txt").write_text("naïve\n", encoding="latin-1")
    (tmp_path / "prediction.txt").write_text("naive\n")
    with pytest.raises(RostrumError, match=r"target\.txt:1: not UTF-8"):
        evaluate(tmp_path)


def test_a_measure_that_follows_the_score_predicts_it(tmp_path: Path) -> None:
    found = rows(evaluate(write(tmp_path), options=OPTIONS))
    base = found["base ROUGE-1", "manual"]
    assert base["pearson"] > 0.95
    assert base["pearson_low"] <= base["pearson"] <= base["pearson_high"]
    assert base["kappa"] > 0.9
    assert found["length", "manual"]["pearson"] is None  # all of twelve words
    assert found["length", "manual"]["note"] == "the measure is the same for all responses: no correlation"
    assert found["majority", "manual"]["kappa"] == pytest.approx(0, abs=1e-9)
    assert abs(found["random", "manual"]["pearson"]) < 0.5


def test_recognised_transcripts_stand_beside_manual_ones(tmp_path: Path) -> None:
    found = rows(evaluate(write(tmp_path, asr=["nothing of it"]), options=OPTIONS))
    assert found["base ROUGE-1", "asr"]["pearson"] is None
    assert found["base ROUGE-1", "manual"]["pearson"] > 0.95


def test_recognition_is_simulated_where_there_is_none(tmp_path: Path) -> None:
    confusions = learn([(["so", "well"], ["so", "bell"])])
    options = StudyOptions(terms=Terms(), encoder=None, confusions=confusions, wer=0.3)
    found = rows(evaluate(write(tmp_path), options=options))
    simulated = found["base ROUGE-1", "simulated, WER 0.30"]
    assert 0.5 < simulated["pearson"] < found["base ROUGE-1", "manual"]["pearson"]


def test_delivery_is_added(tmp_path: Path) -> None:
    found = rows(evaluate(write(tmp_path, delivery_rate=["1", "2", "4"]), options=OPTIONS))
    assert found["delivery", "manual"]["kappa"] is not None
    assert found["base ROUGE-1 and delivery", "manual"]["pearson"] > 0.95


def test_figures_come_from_test_and_lines_from_data(tmp_path: Path) -> None:
    evaluation = evaluate(write(tmp_path / "data"), write(tmp_path / "test", prompts=1, each=6), OPTIONS)
    found = rows(evaluation)
    assert found["base ROUGE-1", "manual"]["kappa"] > 0.8
    # one reference is given, the other is the best response: five remain
    assert found["base ROUGE-1", "manual"]["responses"] == 5
    assert evaluation.signature["split"] == "data, test"


def test_the_curve_is_of_the_same_responses_and_drawn(tmp_path: Path) -> None:
    options = StudyOptions(terms=Terms(), encoder=None, figures=tmp_path / "figures")
    evaluation = evaluate(write(tmp_path / "data"), options=options)
    curve = [row for row in evaluation.rows if row.get("config") == "curve"]
    assert {row["references"] for row in curve} == set(range(1, 8))
    assert len({row["responses"] for row in curve}) == 1
    assert [Path(path).read_text().startswith("<?xml") for path in evaluation.figures] == [True]


def test_one_prompt_has_correlations_but_no_prediction(tmp_path: Path) -> None:
    row = rows(evaluate(write(tmp_path, prompts=1), options=OPTIONS))["base ROUGE-1", "manual"]
    assert row["pearson"] > 0.9
    assert row["kappa"] is None
    assert "one prompt only" in row["note"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["p,wanted,said,3"], "1 scored responses"),
        (["p,wanted,said,3", "p,wanted,wanted,3", "q,wanted,,3"], "all human scores are the same"),
    ],
)
def test_too_little_to_correlate_is_null_with_the_reason(tmp_path: Path, lines: list[str], reason: str) -> None:
    (tmp_path / "responses.csv").write_text("\n".join(["prompt,reference,response,score", *lines]))
    row = rows(evaluate(tmp_path, options=replace(OPTIONS, references=1)))["new ROUGE-1", "manual"]
    assert row["pearson"] is row["pearson_low"] is None
    assert reason in row["note"]


def test_an_empty_response_covers_nothing(tmp_path: Path) -> None:
    lines = ["prompt,reference,response,score", "p,a b,,0", "p,a b,a,1", "q,a b,a b,2", "q,a b,b,1"]
    (tmp_path / "responses.csv").write_text("\n".join(lines))
    found = rows(evaluate(tmp_path, options=StudyOptions(terms=Terms(), encoder=None, references=1)))
    assert found["base ROUGE-1", "manual"]["pearson"] == pytest.approx(1.0)


def test_the_curve_ends_where_the_references_do(tmp_path: Path) -> None:
    """A reference for each prompt and four responses, of which two may serve: three references at most."""
    evaluation = evaluate(write(tmp_path, prompts=3, each=4), options=OPTIONS)
    assert {row["references"] for row in evaluation.rows if row.get("config") == "curve"} == {1, 2, 3}


def test_random_references_have_an_interval(tmp_path: Path) -> None:
    options = replace(OPTIONS, draws=5)
    drawn = {row["method"]: row for row in evaluate(write(tmp_path), options=options).rows if "draws" in row}
    assert set(drawn) == {"base ROUGE-1", "new ROUGE-1", "best ROUGE-1", "CVA"}
    new = drawn["new ROUGE-1"]
    assert new["draws"] == 5
    assert new["pearson_low"] <= new["pearson"] <= new["pearson_high"]
    assert new["pearson"] > 0.5
    assert not any("draws" in row for row in evaluate(tmp_path, options=replace(OPTIONS, draws=0)).rows)


def test_drawn_references_are_given_ones_or_the_better_half_and_serve_once() -> None:
    responses = tuple(ScoredResponse("p", f"said {score}", score) for score in (1.0, 5.0, 3.0, 4.0, 2.0))
    table = ScoredResponses(responses, {"p": ("given",)})
    seen = set()
    for draw in range(20):
        found = cases(table, 2, draw)
        (references,) = {case.references for case in found}
        assert set(references) <= {"given", "said 5.0", "said 4.0"}
        assert len(set(references)) == 2
        assert not {case.response.text for case in found} & set(references)
        seen |= set(references)
    assert seen == {"given", "said 5.0", "said 4.0"}


def test_what_counts_as_a_word_is_compared(tmp_path: Path) -> None:
    lines = [
        "prompt,reference,response,score",
        "p,a ban,um,0",
        "p,a ban,the the ban,2",
        "q,bans,banning,3",
        "q,bans,no,1",
    ]
    (tmp_path / "responses.csv").write_text("\n".join(lines))
    evaluation = evaluate(tmp_path, options=replace(OPTIONS, references=1))
    found = {row["config"]: row for row in evaluation.rows if row["method"] == "best ROUGE-1" and "config" in row}
    assert {"words", "stems", "words, no stop words", "stems, no stop words, no disfluencies"} <= set(found)
    assert found["stems"]["pearson"] > found["words"]["pearson"]


def test_language_use_is_a_row_and_all_measures_together(tmp_path: Path) -> None:
    found = rows(evaluate(write(tmp_path, delivery_rate=["1", "2", "4"]), options=OPTIONS))
    for method in ("language use", "delivery and language use", "CVA, delivery and language use", "all measures"):
        assert found[method, "manual"]["pearson"] is not None, method


def test_no_references_at_all(tmp_path: Path) -> None:
    (tmp_path / "responses.csv").write_text("prompt,response,score\np,said,1\n")
    with pytest.raises(RostrumError, match="no references"):
        evaluate(tmp_path, options=OPTIONS)


def test_the_best_responses_serve_and_are_not_cases() -> None:
    responses = tuple(ScoredResponse("p", f"said {score}", score) for score in (1.0, 5.0, 3.0, 4.0, 2.0))
    found = cases(ScoredResponses(responses, {"p": ("given",)}), 3)
    assert {case.references for case in found} == {("given", "said 5.0", "said 4.0")}
    assert sorted(case.response.score for case in found) == [1.0, 2.0, 3.0]


def test_pairs_of_texts_are_scored_as_rouge_155_does(tmp_path: Path) -> None:
    (tmp_path / "target_large.txt").write_text("a b c d\nx\n")
    (tmp_path / "prediction_large.txt").write_text("a b\n\n")
    first = evaluate(tmp_path).rows[0]
    assert (first["precision"], first["recall"]) == (0.5, 0.25)
    assert first["f1"] == pytest.approx((2 / 3) / 2)


def test_pairs_of_different_length(tmp_path: Path) -> None:
    (tmp_path / "target.txt").write_text("a\nb\n")
    (tmp_path / "prediction.txt").write_text("a\n")
    with pytest.raises(RostrumError, match="2 targets, but 1 predictions"):
        evaluate(tmp_path)

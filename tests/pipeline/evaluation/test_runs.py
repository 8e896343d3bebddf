"""Evaluations of a finished run: what it found, beside what its corpus says."""

import shutil
from pathlib import Path

import pytest

from pipeline.configuration import Settings
from pipeline.corpus import open_corpus
from pipeline.engine.execute import execute
from pipeline.engine.plan import plan_run
from pipeline.engine.store import Store
from pipeline.errors import RostrumError
from pipeline.evaluation.diarization import table as diarization
from pipeline.evaluation.listening.data import Listening, Pair, refuse_too_few_motions
from pipeline.evaluation.wer import table as wer
from tests.sounds import write_speech


def run_of(corpus: Path, run: Path, stage: str, **settings: object) -> Path:
    """A run over a corpus by a stage and its dependencies."""
    summary = execute(plan_run(open_corpus(corpus), Store(run), Settings(**settings), [stage]))  # type: ignore[arg-type]
    assert summary.failures == []
    return run


def test_what_a_run_recognised_against_the_references(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    heard = ["we", "should", "can", "phones"]
    lines = (f"anna 1 {place}.00 0.50 {word}" for place, word in enumerate(heard))
    (corpus / "anna.ctm").write_text("\n".join(lines) + "\n")
    (corpus / "anna.txt").write_text("We should ban phones now.")
    (corpus / "speeches.csv").write_text("id,transcript,reference\nanna,anna.ctm,anna.txt\n")
    run = run_of(corpus, tmp_path / "run", "transcribe")
    (row,) = wer.evaluate(run).rows
    assert (row["method"], row["wer"]) == ("given: anna.ctm", pytest.approx(2 / 5))
    shutil.rmtree(corpus)
    with pytest.raises(RostrumError, match=r"was a run over .*/corpus, which is not there; its references are needed"):
        wer.evaluate(run)


def test_the_turns_that_a_run_found_against_those_of_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_speech(corpus / "anna.wav")
    (corpus / "anna.rttm").write_text("SPEAKER anna 1 0.000 1.500 <NA> <NA> Anna <NA> <NA>\n")
    given = run_of(corpus, tmp_path / "given", "diarize")
    with pytest.raises(RostrumError, match=r"run with --set diarize\.use_given=false"):
        diarization.evaluate(given)
    found = run_of(corpus, tmp_path / "found", "diarize", diarize={"use_given": False, "mode": "off"})
    total = diarization.evaluate(found).rows[1]
    assert (total["method"], total["file"]) == ("run", "total")
    assert total["false_alarm"] == pytest.approx(0.5 / 1.5), "it took all two seconds for speech"


def test_too_few_motions_to_learn_from() -> None:
    pairs = tuple(Pair(motion, motion, "pro", motion, "1", "Why.", (), True) for motion in "ab")
    data = Listening(pairs, {})
    with pytest.raises(RostrumError, match="corpus: has labels on 2 motions, and 3 are needed: a detector learns from"):
        refuse_too_few_motions(data, Path("corpus"))
    refuse_too_few_motions(data, Path("corpus"), others=True)

"""Evaluations of a finished run: what it found, beside what its corpus says."""

import shutil
from pathlib import Path

import pytest

from pipeline.content import evaluate_content as content
from pipeline.content.evaluate.data import read_responses
from pipeline.content.evaluate_content import StudyOptions
from pipeline.content.rouge import Terms
from pipeline.corpus import open_corpus
from pipeline.diarize import evaluate_diarization
from pipeline.errors import RostrumError
from pipeline.grade.model import graded
from pipeline.grade.train_grade import train_scoring_model
from pipeline.mentions.evaluate.data import Listening, Pair, refuse_too_few_motions
from pipeline.prosody.stage import Prosody
from pipeline.records import Motion, Speech
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.finished import FinishedRun
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from pipeline.score import evaluate_wer
from pipeline.segment.stage import Sentences
from tests.sounds import write_speech
from tests.synthetic_run import MadeUp, write_run


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
    (row,) = evaluate_wer.evaluate(run).rows
    assert (row["method"], row["wer"]) == ("given: anna.ctm", pytest.approx(2 / 5))
    shutil.rmtree(corpus)
    with pytest.raises(RostrumError, match=r"was a run over .*/corpus, which is not there; the corpus is needed"):
        evaluate_wer.evaluate(run)


def test_the_turns_that_a_run_found_against_those_of_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_speech(corpus / "anna.wav")
    (corpus / "anna.rttm").write_text("SPEAKER anna 1 0.000 1.500 <NA> <NA> Anna <NA> <NA>\n")
    given = run_of(corpus, tmp_path / "given", "diarize")
    with pytest.raises(RostrumError, match=r"run with --set diarize\.use_given=false"):
        evaluate_diarization.evaluate(given)
    found = run_of(corpus, tmp_path / "found", "diarize", diarize={"use_given": False, "mode": "off"})
    total = evaluate_diarization.evaluate(found).rows[1]
    assert (total["method"], total["file"]) == ("run", "total")
    assert total["false_alarm"] == pytest.approx(0.5 / 1.5), "it took all two seconds for speech"


def test_scored_speeches_of_a_run_are_studied_and_teach_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    motions = [Motion(id=motion, text="We should act.") for motion in ("schools", "buses")]
    speeches = [
        Speech(id=f"{motion.id}{score}", motion=motion.id, stance="pro", speakers=("Ann",), score=score)
        for motion in motions
        for score in range(6)
    ]
    run = tmp_path / "run"
    write_run(run, MadeUp(motions, speeches))
    with pytest.raises(RostrumError, match="the corpus is needed"):
        read_responses(run)
    corpus = tmp_path / "made-up" / "corpus"
    corpus.mkdir(parents=True)
    (corpus / "speeches.csv").write_text("id,motion,stance\n" + "".join(f"{e.id},{e.motion},pro\n" for e in speeches))
    (corpus / "motions.csv").write_text("id,text\nschools,We should act.\nbuses,We should act.\n")
    (corpus / "references.csv").write_text("motion,text,stance\nschools,The school teaches.,pro\nschools,No bus.,con\n")
    monkeypatch.chdir(tmp_path)
    table = read_responses(run)
    assert table.references == {"schools pro": ("The school teaches.",), "buses pro": ()}
    found = content.evaluate(run, options=StudyOptions(terms=Terms(), encoder=None, references=1, draws=1))
    methods = {(row["method"], row["transcript"]) for row in found.rows}
    for transcript in ("manual", "asr"):
        for method in ("delivery", "delivery and language use", "new ROUGE-1, delivery and language use"):
            assert (method, transcript) in methods
    model = train_scoring_model(run, encoder=None, references=1, terms=Terms())
    # the best of the six on buses serves as its reference
    assert model.agreement.responses == 11
    made = FinishedRun(run)
    sentences, prosody = made.of_speech(Sentences, "schools1"), made.of_speech(Prosody, "schools1")
    assert sentences is not None
    grade = graded(sentences.sentences[0].text, ["The school teaches."], prosody, model)
    assert {reason.kind for reason in grade.reasons} == {"content", "language", "delivery"}


def test_too_few_motions_to_learn_from() -> None:
    pairs = tuple(Pair(motion, motion, "pro", motion, "1", "Why.", (), True) for motion in "ab")
    data = Listening(pairs, {})
    with pytest.raises(RostrumError, match="corpus: has labels on 2 motions, and 3 are needed: a detector learns from"):
        refuse_too_few_motions(data, Path("corpus"))
    refuse_too_few_motions(data, Path("corpus"), others=True)

"""What a run finds up to date, and which runs are refused."""

import gc
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pipeline.corpus import open_corpus
from pipeline.corpus.files import snapshot
from pipeline.counter.stage import CounterScores
from pipeline.diarize.stage import Turns
from pipeline.errors import RostrumError, StorageError
from pipeline.ingest.stage import Recording
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.finished import FinishedRun
from pipeline.run.index import FOLDER
from pipeline.run.plan import RunPlan, plan_run
from pipeline.run.preflight import begun
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary
from tests.sounds import write_speech

VAD = Settings(diarize={"mode": "vad"})  # type: ignore[call-arg]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for index, name in enumerate(("one", "two")):
        write_speech(folder / f"{name}.wav", start=4.0 * index)
    return folder


def plan(corpus: Path, run: Path, stages: list[str] | None = None, **options: Any) -> RunPlan:
    with begun(corpus, str(run), stages or ["diarize"], VAD, command="a test", tell=str, **options) as (planned, _):
        return planned


def run(corpus: Path, out: Path, stages: list[str] | None = None) -> RunSummary:
    return execute(plan(corpus, out, stages))


def states(summary: RunSummary) -> dict[str, dict[str, str]]:
    return {item.id: {each.stage: each.state for each in item.outcomes} for item in summary.items}


def test_a_damaged_artifact_is_made_again(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = run(corpus, out)
    assert plan(corpus, out).is_done
    artifact = out / "one" / "ingest.json"
    for damage in (
        lambda: artifact.write_text("{"),
        lambda: artifact.write_text(artifact.read_text().replace('"duration": ', '"duration": 1')),
        lambda: next(out.glob("one/ingest.*.flac")).unlink(),
        lambda: shutil.copy(next(out.glob("two/ingest.*.flac")), next(out.glob("one/ingest.*.flac"))),
        lambda: artifact.unlink(),
    ):
        damage()
        assert states(run(corpus, out)) == {
            "one": {"ingest": "run", "diarize": "cached"},
            "two": {"ingest": "cached", "diarize": "cached"},
        }
    assert [item.figures for item in run(corpus, out).items] == [item.figures for item in first.items]


def test_what_was_checked_is_not_read_again_until_it_changes(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    plan(corpus, out)
    read: list[str] = []

    def artifact(store: Store, scope: str, stage: str) -> None:
        read.append(f"{scope}/{stage}")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "artifact", artifact)
        assert plan(corpus, out).is_done
        assert read == []
        path = out / "two" / "diarize.json"
        path.write_text(path.read_text() + "\n")
        plan(corpus, out)
        assert read == ["two/diarize"]
    for record in (out / FOLDER).glob("*/*.json"):
        record.write_text("no record")
    assert plan(corpus, out).is_done, "what was checked is only a memory"


def test_a_speech_whose_recording_changed_shows_no_old_figures(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    (corpus / "one.wav").write_bytes(b"no audio any more")
    summary = run(corpus, out)
    assert states(summary)["one"] == {"ingest": "failed"}
    assert (out / "one" / "diarize.json").exists()
    finished = FinishedRun(out)
    assert finished.of_speech(Turns, "one") is None
    assert finished.of_speech(Recording, "one") is None
    assert finished.of_speech(Turns, "two") is not None
    assert summary.items[0].figures == {}


def test_a_stage_that_was_not_asked_for_counts_while_it_is_up_to_date(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    assert states(run(corpus, out, ["ingest"]))["one"] == {"ingest": "cached", "diarize": "cached"}
    write_speech(corpus / "one.wav", start=8.0)
    summary = run(corpus, out, ["ingest"])
    assert states(summary) == {"one": {"ingest": "run"}, "two": {"ingest": "cached", "diarize": "cached"}}
    assert FinishedRun(out).of_speech(Turns, "one") is None, "these are the turns of another recording"


def test_another_corpus_is_refused_unless_asked_for(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    other = tmp_path / "other"
    write_speech(other / "one.wav", start=8.0)
    with pytest.raises(RostrumError, match=rf"--out {out}: contains a run over {corpus}; .* --other-corpus"):
        plan(other, out)
    assert len(plan(other, out, other_corpus=True).jobs) == 2


def test_a_corpus_that_was_moved_is_the_same_one(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    assert plan(corpus.rename(tmp_path / "moved"), out).is_done


def test_a_corpus_in_the_place_of_one_that_is_gone_is_another_one(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(corpus, out)
    shutil.rmtree(corpus)
    write_speech(tmp_path / "other" / "three.wav")
    with pytest.raises(RostrumError, match="name another folder"):
        plan(tmp_path / "other", out)


@pytest.mark.parametrize(
    ("out", "why"),
    [("corpus", "is the corpus"), (".", "contains the corpus"), ("corpus/runs/x", "is inside the corpus")],
)
def test_a_run_and_its_corpus_do_not_overlap(corpus: Path, tmp_path: Path, out: str, why: str) -> None:
    with pytest.raises(RostrumError, match=f"{why}; name a folder beside it, such as --out {tmp_path}/runs/corpus"):
        plan(corpus, tmp_path / out)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / out)
    with pytest.raises(RostrumError, match=why):
        plan(corpus, link)
    assert sorted(path.name for path in corpus.iterdir()) == ["one.wav", "two.wav"]


def test_a_hidden_folder_of_a_corpus_is_no_part_of_it(corpus: Path) -> None:
    out = corpus / ".rostrum" / "run"
    assert len(run(corpus, out).items) == 2
    assert plan(corpus, out).is_done


def test_a_recording_beside_its_run(corpus: Path) -> None:
    found = plan(corpus / "one.wav", corpus / "runs" / "one", ["ingest"])
    assert [job.item.id for job in found.jobs] == ["one"]


def words(path: Path, text: str) -> None:
    path.write_text("".join(f"x 1 {index}.0 0.5 {word}\n" for index, word in enumerate(text.split())))


def test_a_look_after_a_run_finds_nothing_to_do_and_nothing_to_write(tmp_path: Path) -> None:
    """`rostrum serve` begins a run unless that is so."""
    folder, out = tmp_path / "corpus", tmp_path / "run"
    folder.mkdir()
    for number in range(6):
        words(folder / f"s{number}.ctm", f"Zoos are {number} and animals suffer.")
    (folder / "s6.ctm").write_text("no words with times\n")
    rows = "".join(f"s{number},zoos,{'pro' if number % 2 else 'con'},s{number}.ctm\n" for number in range(7))
    (folder / "speeches.csv").write_text("id,motion,stance,transcript\n" + rows)
    (folder / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    settings = Settings(counter={"encoder": None})  # type: ignore[call-arg]

    def look() -> RunPlan:
        return plan_run(open_corpus(folder), Store(out), settings, ["counter", "score"], retry_failed=False)

    execute(look())
    for _ in range(2):
        assert look().jobs == ()
        assert look().changed == []
        assert look().is_idle


def test_a_motion_is_not_judged_by_what_a_failed_speech_said_before(tmp_path: Path) -> None:
    folder, out = tmp_path / "corpus", tmp_path / "run"
    folder.mkdir()
    (folder / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    (folder / "speeches.csv").write_text(
        "id,motion,stance,transcript\npro,zoos,pro,pro.ctm\ncon,zoos,con,con.ctm\nother,zoos,con,other.ctm\n"
    )
    for name in ("pro", "con", "other"):
        words(folder / f"{name}.ctm", f"Zoos are {name} and animals suffer.")
    settings = Settings(counter={"encoder": None})  # type: ignore[call-arg]

    def judged() -> set[str]:
        execute(plan_run(open_corpus(folder), Store(out), settings, ["counter"]))
        scores = FinishedRun(out).of_motion(CounterScores, "zoos")
        assert scores is not None
        return {pair.opposing for pair in scores.pairs}

    assert judged() == {"con", "other"}
    (folder / "con.ctm").write_text("no words with times\n")
    assert judged() == {"other"}
    words(folder / "con.ctm", "Zoos are con and animals suffer.")
    assert judged() == {"con", "other"}


def seconds_to_plan(folder: Path, rows: int) -> float:
    """Of a corpus of so many speeches, in motions of ten."""
    write_speech(folder / "a.wav")
    speeches = (f"s{row},a.wav,m{row // 10},{f's{row - 1}' if row % 10 else ''}\n" for row in range(rows))
    (folder / "speeches.csv").write_text("id,file,motion,answers\n" + "".join(speeches))
    motions = (f"m{number},We should do {number}\n" for number in range(rows // 10))
    (folder / "motions.csv").write_text("id,text\n" + "".join(motions))
    gc.disable()  # it looks at all that other tests have left
    try:
        began = time.process_time()
        planned = plan(folder, folder.parent / f"run{rows}", ["ingest", "counter"])
        seconds = time.process_time() - began
    finally:
        gc.enable()
    assert len(planned.items) == rows + rows // 10
    return seconds


def test_planning_takes_time_in_proportion_to_the_speeches(tmp_path: Path) -> None:
    """Eight times the speeches took sixty-four times as long."""
    few, many = (seconds_to_plan(tmp_path / str(rows), rows) for rows in (500, 4000))
    assert many < 24 * few


@pytest.mark.slow
def test_libraries_are_imported_before_there_are_threads(corpus: Path, tmp_path: Path) -> None:
    """Two threads that begin to import torch at once find a half-made module."""
    script = f"""
import sys
import rostrum
from pipeline.run import execute

class Threads(execute.Threads):
    def submit(self, job):
        assert "torch" in sys.modules
        super().submit(job)

execute.Threads = Threads
assert "torch" not in sys.modules
print(rostrum.run({str(corpus)!r}, {str(tmp_path / "run")!r}, ["diarize"], {{"diarize.mode": "vad"}}).failures)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_what_failed_is_tried_again_when_it_has_changed_or_on_request(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (corpus / "two.wav").write_bytes(b"no sound")
    assert states(run(corpus, out))["two"] == {"ingest": "failed"}
    assert plan(corpus, out, retry_failed=False).is_idle
    assert [job.place.stage for job in plan(corpus, out).jobs] == ["ingest", "diarize"]
    write_speech(corpus / "two.wav", start=4.0)
    changed = plan(corpus, out, retry_failed=False)
    assert not changed.is_idle
    assert states(execute(changed))["two"] == {"ingest": "run", "diarize": "run"}


def test_a_run_that_leaves_what_is_broken_says_so_again(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (corpus / "two.wav").write_bytes(b"no sound")
    failures = run(corpus, out).failures
    write_speech(corpus / "three.wav", start=2.0)
    summary = execute(plan(corpus, out, retry_failed=False))
    assert states(summary) == {
        "one": {"ingest": "cached", "diarize": "cached"},
        "three": {"ingest": "run", "diarize": "run"},
        "two": {"ingest": "failed"},
    }
    assert summary.failures == failures


def test_storage_that_failed_is_tried_again(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StorageError("disk full")

    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Store, "save", fail)
        run(corpus, out)
    assert [job.place.stage for job in plan(corpus, out, retry_failed=False).jobs] == ["ingest", "diarize"] * 2


def test_a_run_beside_the_recordings_is_not_taken_for_more_of_them(corpus: Path) -> None:
    """`rostrum run one.wav` in the folder of one.wav stores its run there."""
    run(corpus / "one.wav", corpus / "runs" / "one")
    assert [entry.speech.id for entry in open_corpus(corpus).entries] == ["one", "two"]
    assert not [path for path in snapshot(corpus) if "runs" in path.parts], "what --watch waits for"


def test_a_run_of_a_recording_is_not_stored_among_the_recordings(corpus: Path) -> None:
    for out in (corpus, corpus.parent):
        with pytest.raises(RostrumError, match="the folder of the recording"):
            plan(corpus / "one.wav", out)

"""Runs against a real Prefect server, of stages that need no weights."""

import gc
from pathlib import Path
from typing import Any

import pytest
from prefect.futures import PrefectFuture

from flows.command import run_corpus
from flows.process import Planned, flow_of
from flows.publish import Pages
from flows.stage_runs import task_runner
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.report.markdown import with_commands
from pipeline.run.estimate import Estimate
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan, plan_run
from pipeline.run.store import Store
from tests.flows.runs import SETTINGS, STAGES, ask, everything_of, items_of, run
from tests.sounds import write_speech

pytestmark = pytest.mark.usefixtures("server")


def test_a_run_and_its_history(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, summary = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert summary.flow_run is not None
    printed = capsys.readouterr()
    assert "One" in printed.out
    assert f"runs/flow-run/{summary.flow_run}" in printed.err

    task_runs = ask("/task_runs/filter", summary.flow_run, by="parent_flow_run_id")
    assert {each["name"] for each in task_runs} == {"ingest[One]", "diarize[One]", "ingest[two]", "diarize[two]"}
    assert not any(each["tags"] for each in task_runs), "each tag is asked for before and after every task run"
    (flow_run,) = ask("/flow_runs/filter", summary.flow_run)
    assert flow_run["state"]["name"] == "Completed"
    label = f"{tmp_path.name}/debate"
    assert (flow_run["name"], flow_run["tags"]) == (f"{label}: 2 new", [label])
    ids = {each["name"]: each["id"] for each in task_runs}
    (diarized,) = [each["task_inputs"] for each in task_runs if each["name"] == "diarize[two]"]
    makers = [source["id"] for inputs in diarized.values() for source in inputs]
    assert makers == [ids["ingest[two]"]], "the graph of the UI shows what follows what"
    states = {each["name"]: each["state"]["message"] for each in task_runs}
    assert f"{tmp_path}/run/two/diarize.json" in states["diarize[two]"]
    assert " of audio, " in states["ingest[two]"]


class Remembered(Estimate):
    """How many task runs more than at first are in memory when the last of so many stages has ended."""

    def __init__(self, plan: RunPlan, stages: int) -> None:
        super().__init__(plan)
        self.stages, self.first = stages, self.count()
        self.at_last: int | None = None

    def ended(self, job: Job, outcome: Outcome) -> None:
        super().ended(job, outcome)
        self.stages -= 1
        if not self.stages:
            self.at_last = self.count() - self.first

    def count(self) -> int:
        gc.collect()
        return sum(issubclass(type(each), PrefectFuture) for each in gc.get_objects())


def test_task_runs_that_no_later_stage_needs_are_forgotten(tmp_path: Path) -> None:
    """A run of 5,000 speeches takes hardly more memory than one of 50."""
    for number in range(10):
        write_speech(tmp_path / "debate" / f"{number}.wav")
    store = Store(tmp_path / "run")
    plan = plan_run(open_corpus(tmp_path / "debate"), store, SETTINGS, STAGES)
    watcher = Remembered(plan, 20)
    flow = flow_of(Planned(plan, watcher)).with_options(task_runner=task_runner("threads"))
    flow(plan.corpus.path, store.root, STAGES, SETTINGS, report=False, retry_failed=False, return_state=True)
    assert watcher.at_last is not None
    assert watcher.at_last < 5


def test_each_speech_has_a_run_of_its_own(corpus: Path, tmp_path: Path) -> None:
    _, summary = run(corpus, tmp_path / "run", 4)
    assert summary.flow_run is not None
    items = items_of(summary.flow_run)
    assert {name: set(each["tags"]) for name, each in items.items()} == {
        "One": {f"{tmp_path.name}/debate", "zoos", "Ann"},
        "two": {f"{tmp_path.name}/debate", "zoos"},
    }
    assert {each["state"]["name"] for each in items.values()} == {"Completed"}
    assert items["One"]["state"]["message"].startswith("2 stages in ")
    own = ask("/task_runs/filter", items["One"]["id"])
    assert {each["name"] for each in own} == {"ingest[One]", "diarize[One]"}


def test_the_pages_of_a_run(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, summary = run(corpus, tmp_path / "run", 4)
    assert summary.flow_run is not None
    told = capsys.readouterr().err.splitlines()
    key = Pages("debate", f"{tmp_path}/run").key
    pages = {each["key"]: each for each in everything_of("/artifacts/filter", summary.flow_run)}
    own = {key(kind, speech) for kind in (*STAGES, "speech") for speech in ("One", "two")}
    of_run = {key("progress"), key("speeches"), key("run"), key("motion", "zoos")}
    assert set(pages) == own | of_run
    page = pages[key("diarize", "two")]
    assert page["description"] == "diarize of two on zoos, by silero-vad"
    assert page["data"].startswith(f"# diarize: two\n\n[the speech](../artifact/{pages[key('speech', 'two')]['id']})")
    assert f"[ingest of two](../artifact/{pages[key('ingest', 'two')]['id']})" in page["data"]
    assert f"`{tmp_path}/run/two/diarize.json`" in page["data"]
    speech = pages[key("speech", "two")]["data"]
    assert f"| [diarize](../artifact/{pages[key('diarize', 'two')]['id']}) | run | " in speech
    assert f"[the motion](../artifact/{pages[key('motion', 'zoos')]['id']})" in speech
    assert pages[key("progress")]["data"] == 100.0
    assert "base64" not in str(pages)

    front = tmp_path / "run" / "_report" / "index.html"
    assert "We should ban zoos" in front.read_text(encoding="utf-8")
    line = f"report: {front} (`rostrum report {tmp_path}/run --serve`)"
    assert line in told
    run_page, motion_page = pages[key("run")]["data"], pages[key("motion", "zoos")]["data"]
    assert with_commands(line[1:]) in run_page
    assert "(http://127.0.0.1:8420/motions/zoos.html)" in motion_page
    assert f"[two](../artifact/{pages[key('speech', 'two')]['id']})" in motion_page
    assert f"| [two](../artifact/{pages[key('speech', 'two')]['id']}) | zoos | " in run_page
    assert "(http://127.0.0.1:8420/speeches/two.html)" in speech
    assert "| We should ban zoos |" in run_page
    assert "| One | Ann |" in motion_page


def test_folders_with_the_same_speeches_have_pages_of_their_own(tmp_path: Path) -> None:
    keys = []
    for parent in ("a", "b"):
        write_speech(tmp_path / parent / "debates" / "anna.wav")
        _, summary = run(tmp_path / parent / "debates", tmp_path / parent / "run", 2)
        assert summary.flow_run is not None
        found = everything_of("/artifacts/filter", summary.flow_run)
        assert all(f"{tmp_path}/{parent}/run" in each["data"] for each in found if "ingest-anna" in each["key"])
        keys.append({each["key"] for each in found})
    assert not keys[0] & keys[1]


def test_a_second_run_does_nothing(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, first = run(corpus, tmp_path / "run", 4)
    assert plan_run(open_corpus(corpus), Store(tmp_path / "run"), SETTINGS, STAGES).is_done
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")}
    capsys.readouterr()
    code, second = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert second.flow_run == first.flow_run, "there is no new flow run"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")} == before
    printed = capsys.readouterr()
    assert "nothing to do" in printed.err
    assert printed.out.count("cached") == 2


def test_what_the_corpus_says_now_is_in_the_report(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(corpus, tmp_path / "run", 4)
    (corpus / "motions.csv").write_text("id,text\nzoos,We should keep zoos\n")
    run(corpus, tmp_path / "run", 4)
    assert "nothing to do" in capsys.readouterr().err
    assert "We should keep zoos" in (tmp_path / "run" / "_report" / "index.html").read_text(encoding="utf-8")


def test_without_a_report(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_corpus(corpus, str(tmp_path / "run"), STAGES, SETTINGS, report=False) == 0
    assert not (tmp_path / "run" / "_report").exists()
    assert f"no report: `rostrum report {tmp_path}/run` writes it" in capsys.readouterr().err


def test_a_scheduled_run_with_nothing_to_do_leaves_nothing(corpus: Path, tmp_path: Path) -> None:
    from flows.process import process_corpus

    out = str(tmp_path / "run")
    (corpus / "0.wav").write_bytes(b"no sound")

    def ended(**options: Any) -> Any:
        return process_corpus(corpus, out, STAGES, SETTINGS, return_state=True, **options)  # type: ignore[call-overload]

    def times() -> dict[Path, int]:
        files = (path for path in (tmp_path / "run").rglob("*") if path.is_file())
        return {path: path.stat().st_mtime_ns for path in files if not path.relative_to(out).parts[0].startswith(".")}

    failed = ended()
    assert (failed.name, failed.message.partition(":")[0]) == ("Failed", "completed with 1 failure")
    before = times()
    idle = ended()
    assert idle.name == "Completed"
    assert "Known to be broken, and tried again when the file or the settings change: One: ingest: " in idle.message
    assert times() == before
    assert idle.state_details.flow_run_id
    assert everything_of("/artifacts/filter", str(idle.state_details.flow_run_id)) == []
    assert ended(retry_failed=True).name == "Failed"
    write_speech(corpus / "0.wav")
    assert ended().name == "Completed"
    assert ended().message == "nothing to do: 3 recordings and motions are up to date"


def test_words_are_recognised_and_scored(tmp_path: Path) -> None:
    """All of the main road, with real weights."""
    from pipeline import models

    try:
        models.find("base.en")
    except RostrumError as error:
        pytest.skip(f"Whisper's weights are not here: {error}")
    write_speech(tmp_path / "corpus" / "one.wav", seconds=5)
    (tmp_path / "corpus" / "one.txt").write_text("something that was not said")
    settings = SETTINGS.model_copy(update={"transcribe": SETTINGS.transcribe.model_copy(update={"beam_size": 1})})
    assert run_corpus(tmp_path / "corpus", str(tmp_path / "run"), ["score"], settings) == 0
    store = Store(tmp_path / "run")
    transcript, score = store.artifact("one", "transcribe"), store.artifact("one", "score")
    assert transcript is not None
    assert transcript.data is not None
    assert score is not None
    assert len(transcript.data["words"]) > 5
    assert transcript.model == {"base.en": models.find("base.en").digest, "ctranslate2": "int8"}
    assert score.data is not None
    assert score.data["wer"] > 0

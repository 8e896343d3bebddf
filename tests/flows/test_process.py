"""Runs against a real Prefect server, of stages that need no weights."""

import gc
from pathlib import Path
from typing import Any

import pytest
from prefect.futures import PrefectFuture

from flows.command import run_corpus
from flows.process import Planned, flow_of
from flows.publish import Pages
from flows.runners import task_runner
from flows.server.temporary import wait_until_stored
from pipeline.configuration import Settings
from pipeline.corpus import open_corpus
from pipeline.engine.execute import Watcher
from pipeline.engine.job import Done, Job, Outcome
from pipeline.engine.plan import plan_run
from pipeline.engine.store import Store
from pipeline.engine.summary import RunSummary, load
from pipeline.errors import RostrumError, StorageError
from pipeline.output.markdown.text import with_commands
from pipeline.progress import Progress
from tests.sounds import sine, write, write_speech

pytestmark = pytest.mark.usefixtures("server")

STAGES = ["ingest", "diarize"]
SETTINGS = Settings(diarize={"mode": "vad"})  # type: ignore[arg-type]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two speeches on a motion."""
    folder = tmp_path / "debate"
    for index in range(2):
        write_speech(folder / f"{index}.wav", start=4.0 * index)
    (folder / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    (folder / "speeches.csv").write_text("id,file,motion,speaker\nOne,0.wav,zoos,Ann\ntwo,1.wav,zoos,Bob;Cy\n")
    return folder


def run(folder: Path, out: Path, task_runs: int) -> tuple[int, RunSummary]:
    """(exit code, what was done), once the server knows of it."""
    code = run_corpus(folder, str(out), STAGES, SETTINGS)
    summary = load(Store(out))
    assert summary is not None
    assert summary.flow_run is not None
    assert wait_until_stored(summary.flow_run, task_runs)
    return code, summary


def ask(path: str, *flow_runs: str, by: str = "id") -> list[dict[str, Any]]:
    """What the server's filter of that name knows of flow runs, or of those that are below them."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        answer = client.request("POST", path, json={"flow_runs": {by: {"any_": flow_runs}}})  # type: ignore[arg-type]
        found: list[dict[str, Any]] = answer.json()
        return found


def items_of(flow_run: str) -> dict[str, dict[str, Any]]:
    """The runs of the speeches and motions of a run."""
    return {each["name"]: each for each in ask("/flow_runs/filter", flow_run, by="parent_flow_run_id")}


def everything_of(path: str, flow_run: str) -> list[dict[str, Any]]:
    """What the server's filter of that name knows of a run, its speeches and its motions."""
    return ask(path, flow_run, *(each["id"] for each in items_of(flow_run).values()))


def test_a_run_and_its_history(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, summary = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert summary.flow_run is not None
    printed = capsys.readouterr()
    assert "One" in printed.out
    assert f"runs/flow-run/{summary.flow_run}" in printed.err

    task_runs = ask("/task_runs/filter", summary.flow_run, by="parent_flow_run_id")
    tags = {each["name"]: set(each["tags"]) for each in task_runs}
    assert tags == {
        "ingest[One]": {"ingest", "zoos", "Ann"},
        "diarize[One]": {"diarize", "zoos", "Ann"},
        "ingest[two]": {"ingest", "zoos"},
        "diarize[two]": {"diarize", "zoos"},
    }
    (flow_run,) = ask("/flow_runs/filter", summary.flow_run)
    assert flow_run["state"]["name"] == "Completed"
    assert flow_run["name"] == "debate: 2 new"
    assert flow_run["tags"] == ["debate"]
    ids = {each["name"]: each["id"] for each in task_runs}
    (diarized,) = [each["task_inputs"] for each in task_runs if each["name"] == "diarize[two]"]
    makers = [source["id"] for inputs in diarized.values() for source in inputs]
    assert makers == [ids["ingest[two]"]], "the graph of the UI shows what follows what"
    states = {each["name"]: each["state"]["message"] for each in task_runs}
    assert f"{tmp_path}/run/two/diarize.json" in states["diarize[two]"]
    assert " of audio, " in states["ingest[two]"]


class Remembered(Watcher):
    """How many task runs more than at first are in memory when the last of so many stages has ended."""

    def __init__(self, stages: int) -> None:
        self.stages, self.first = stages, self.count()
        self.at_last: int | None = None

    def ended(self, job: Job, outcome: Outcome) -> None:
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
    store, watcher = Store(tmp_path / "run"), Remembered(20)
    plan = plan_run(open_corpus(tmp_path / "debate"), store, SETTINGS, STAGES)
    flow = flow_of(Planned(plan, watcher)).with_options(task_runner=task_runner("threads"))
    flow(plan.corpus.path, store.root, STAGES, SETTINGS, None, report=False, retry_failed=False, return_state=True)
    assert watcher.at_last is not None
    assert watcher.at_last < 5


def test_a_run_that_cannot_be_stored_is_one_line(tmp_path: Path) -> None:
    """Also where there are more speeches than had begun."""
    (tmp_path / "file").touch()
    for number in range(6):
        write_speech(tmp_path / "debate" / f"{number}.wav")
    with pytest.raises(StorageError, match="cannot write temporary files: Not a directory"):
        run_corpus(tmp_path / "debate", str(tmp_path / "file" / "run"), ["ingest"], SETTINGS)


def test_each_speech_has_a_run_of_its_own(corpus: Path, tmp_path: Path) -> None:
    _, summary = run(corpus, tmp_path / "run", 4)
    assert summary.flow_run is not None
    items = items_of(summary.flow_run)
    assert {name: set(each["tags"]) for name, each in items.items()} == {
        "One": {"debate", "zoos", "Ann"},
        "two": {"debate", "zoos"},
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
    assert page["data"].startswith("# diarize: two\n\n[the speech](../key/debate-speech-two-")
    assert f"[ingest of two](../key/{key('ingest', 'two')})" in page["data"]
    assert f"`{tmp_path}/run/two/diarize.json`" in page["data"]
    speech = pages[key("speech", "two")]["data"]
    assert f"| [diarize](../key/{key('diarize', 'two')}) | run | " in speech
    assert f"[the motion](../key/{key('motion', 'zoos')})" in speech
    assert pages[key("progress")]["data"] == 100.0
    assert "base64" not in str(pages)

    front = tmp_path / "run" / "_report" / "index.html"
    assert "We should ban zoos" in front.read_text(encoding="utf-8")
    line = f"report: {front} (`rostrum report {tmp_path}/run --serve`)"
    assert line in told
    run_page, motion_page = pages[key("run")]["data"], pages[key("motion", "zoos")]["data"]
    assert with_commands(line[1:]) in run_page
    assert with_commands(line[1:]) in motion_page
    assert "(http://127.0.0.1:8420/motions/zoos.html)" in motion_page
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


def test_a_report_that_fails_warns_and_fails_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left\non device")

    monkeypatch.setattr("flows.report.write_pages", fail)
    warning = "warning: the report could not be written: no space left on device"
    for _ in ("a run", "nothing to do"):
        assert run_corpus(corpus, str(tmp_path / "run"), STAGES, SETTINGS) == 0
        assert warning in capsys.readouterr().err.splitlines()


def test_a_bad_file_stops_nothing_but_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "corpus"
    write_speech(folder / "good.wav")
    (folder / "text.wav").write_text("no audio")
    (folder / "empty.mp3").touch()
    write(folder / "again.flac", sine(1))
    (folder / "again.wav").write_bytes((folder / "again.flac").read_bytes())
    code, summary = run(folder, tmp_path / "run", 4)
    assert code == 1
    states = {item.id: [(each.stage, each.state) for each in item.outcomes] for item in summary.items}
    assert states == {
        "again": [("ingest", "run"), ("diarize", "run")],
        "empty": [("ingest", "failed")],
        "good": [("ingest", "run"), ("diarize", "run")],
        "text": [("ingest", "failed")],
    }
    assert summary.problems == ["again.wav: has the same id 'again' as again.flac; rename one of them"]
    error = capsys.readouterr().err
    assert f"failed: empty: ingest: {folder}/empty.mp3: is empty (0 bytes); copy the recording again" in error
    assert f"failed: text: ingest: {folder}/text.wav: cannot be decoded as audio" in error
    assert "Traceback" not in error
    assert summary.flow_run is not None
    (flow_run,) = ask("/flow_runs/filter", summary.flow_run)
    assert flow_run["state"]["name"] == "CompletedWithFailures"
    assert flow_run["state"]["message"].startswith("3 failed: ")
    reason = f"ingest: {folder}/empty.mp3: is empty (0 bytes); copy the recording again"
    state = items_of(summary.flow_run)["empty"]["state"]
    assert (state["name"], state["message"]) == ("Failed", reason)
    key = Pages("corpus", f"{tmp_path}/run").key("ingest", "empty")
    (page,) = [each for each in everything_of("/artifacts/filter", summary.flow_run) if each["key"] == key]
    assert page["data"].startswith("# ingest failed: empty\n\n")
    assert "is empty (0 bytes); copy the recording again" in page["data"]
    write_speech(folder / "text.wav")
    code, summary = run(folder, tmp_path / "run", 3)
    mended = next(item for item in summary.items if item.id == "text")
    assert [each.state for each in mended.outcomes] == ["run", "run"]


def test_a_scheduled_run_with_nothing_to_do_leaves_nothing(corpus: Path, tmp_path: Path) -> None:
    from flows.process import process_corpus

    out = str(tmp_path / "run")
    (corpus / "0.wav").write_bytes(b"no sound")

    def ended(**options: Any) -> Any:
        return process_corpus(corpus, out, STAGES, SETTINGS, return_state=True, **options)  # type: ignore[call-overload]

    def times() -> dict[Path, int]:
        files = (path for path in (tmp_path / "run").rglob("*") if path.is_file())
        return {path: path.stat().st_mtime_ns for path in files if not path.relative_to(out).parts[0].startswith(".")}

    assert ended().name == "CompletedWithFailures"
    before = times()
    idle = ended()
    assert idle.name == "NothingToDo"
    assert "Known to be broken, and tried again when the file or the settings change: One: ingest: " in idle.message
    assert times() == before
    assert idle.state_details.flow_run_id
    assert everything_of("/artifacts/filter", str(idle.state_details.flow_run_id)) == []
    assert ended(retry_failed=True).name == "CompletedWithFailures"
    write_speech(corpus / "0.wav")
    assert ended().name == "Completed"
    assert ended().message == "3 speeches and motions are up to date"


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    from flows.process import process_corpus

    state: Any = process_corpus(tmp_path / "nowhere", str(tmp_path / "run"), return_state=True)
    assert (state.name, state.message) == ("Failed", f"{tmp_path}/nowhere: no such file or folder")


def counting(failures: int, error: RostrumError) -> tuple[list[str], Any]:
    """(the stages begun, a `perform` whose first calls fail)."""
    from pipeline.engine.job import perform

    begun: list[str] = []

    def fail_first(job: Job, store: Store, progress: Progress) -> Done:
        begun.append(job.stage.name)
        if len(begun) <= failures:
            raise error
        return perform(job, store, progress)

    return begun, fail_first


@pytest.mark.parametrize(
    ("error", "begun", "code"),
    [
        (StorageError("s3://x: slow down"), ["ingest", "ingest", "diarize"], 0),
        (RostrumError("x.wav: is not audio"), ["ingest"], 1),
    ],
)
def test_storage_is_tried_again_and_bad_audio_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: RostrumError, begun: list[str], code: int
) -> None:
    import flows.stage_runs

    calls, perform = counting(1, error)
    monkeypatch.setattr(flows.stage_runs, "perform", perform)
    monkeypatch.setattr(flows.stage_runs, "run_stage", flows.stage_runs.run_stage.with_options(retry_delay_seconds=0))
    write_speech(tmp_path / "corpus" / "one.wav")
    assert run_corpus(tmp_path / "corpus", str(tmp_path / "run"), STAGES, SETTINGS) == code
    assert calls == begun


def test_storage_that_stays_away_is_a_failure_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import flows.stage_runs

    calls, perform = counting(9, StorageError("s3://x: no such bucket"))
    monkeypatch.setattr(flows.stage_runs, "perform", perform)
    monkeypatch.setattr(flows.stage_runs, "run_stage", flows.stage_runs.run_stage.with_options(retry_delay_seconds=0))
    write_speech(tmp_path / "corpus" / "one.wav")
    assert run_corpus(tmp_path / "corpus", str(tmp_path / "run"), STAGES, SETTINGS) == 1
    assert calls == ["ingest"] * 3
    assert "failed: one: ingest: s3://x: no such bucket\n" in capsys.readouterr().err


def test_an_error_of_the_program_s_own_stops_one_speech(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import flows.stage_runs

    def fail(job: Job, store: Store, progress: Progress) -> Done:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(flows.stage_runs, "perform", fail)
    assert run_corpus(corpus, str(tmp_path / "run"), STAGES, SETTINGS) == 1
    summary = load(Store(tmp_path / "run"))
    assert summary is not None
    assert summary.failures[0].startswith("One: ingest: a mistake in rostrum or in a library, not in your files; ")


def test_publishing_that_fails_warns_and_fails_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the server is away")

    monkeypatch.setattr("flows.publish.create", fail)
    code, summary = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert summary.flow_run is not None
    warnings = [each["message"] for each in everything_of("/logs/filter", summary.flow_run) if each["level"] == 30]
    assert "the page of diarize could not be published: the server is away" in warnings


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

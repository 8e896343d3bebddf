"""Runs against a real Prefect server, of stages that need no weights."""

from pathlib import Path
from typing import Any

import pytest

from flows.command import run_corpus
from flows.publish import MOST_CHARACTERS, key_of, publish
from flows.server import wait_until_stored
from pipeline.configuration import Settings
from pipeline.corpus import open_corpus
from pipeline.engine.job import Done, Item, Job
from pipeline.engine.plan import plan_run
from pipeline.engine.store import Store
from pipeline.engine.summary import RunSummary, load
from pipeline.errors import RostrumError, StorageError
from pipeline.output.markdown.text import escaped
from pipeline.progress import Progress
from pipeline.records import Turns
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


def ask(path: str, flow_run: str) -> list[dict[str, Any]]:
    """What the server's filter of that name knows of a flow run."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        answer = client.request("POST", path, json={"flow_runs": {"id": {"any_": [flow_run]}}})  # type: ignore[arg-type]
        found: list[dict[str, Any]] = answer.json()
        return found


def test_a_run_and_its_history(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, summary = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert summary.flow_run is not None
    printed = capsys.readouterr()
    assert "One" in printed.out
    assert f"runs/flow-run/{summary.flow_run}" in printed.err

    tags = {each["name"]: set(each["tags"]) for each in ask("/task_runs/filter", summary.flow_run)}
    assert tags == {
        "ingest[One]": {"ingest", "zoos", "Ann"},
        "diarize[One]": {"diarize", "zoos", "Ann"},
        "ingest[two]": {"ingest", "zoos"},
        "diarize[two]": {"diarize", "zoos"},
    }
    (flow_run,) = ask("/flow_runs/filter", summary.flow_run)
    assert flow_run["state"]["name"] == "Completed"
    assert flow_run["name"] == corpus.name
    parents = {
        each["name"]: [source["id"] for inputs in each["task_inputs"].values() for source in inputs]
        for each in ask("/task_runs/filter", summary.flow_run)
    }
    ids = {each["name"]: each["id"] for each in ask("/task_runs/filter", summary.flow_run)}
    assert parents["diarize[two]"] == [ids["ingest[two]"]], "the graph of the UI shows what follows what"

    pages = {each["key"]: each for each in ask("/artifacts/filter", summary.flow_run)}
    own = {key_of(stage, speech) for stage in STAGES for speech in ("One", "two")}
    of_run = {"progress", key_of("speeches", "debate"), key_of("run", "debate"), key_of("motion", "zoos")}
    assert set(pages) == own | of_run
    assert pages["ingest-two"]["data"].startswith("# ingest: two\n\n| recording |")
    assert pages["progress"]["data"] == 100.0
    assert "base64" not in str(pages)

    front = tmp_path / "run" / "_report" / "index.html"
    assert "We should ban zoos" in front.read_text(encoding="utf-8")
    told = f"report: {front} (`rostrum report {tmp_path}/run --serve`)"
    assert told in printed.err.splitlines()
    for page in ("run-debate", "motion-zoos"):
        assert escaped(told[1:]) in pages[page]["data"]
    assert "(http://127.0.0.1:8420/motions/zoos.html)" in pages["motion-zoos"]["data"]
    assert "| We should ban zoos |" in pages["run-debate"]["data"]
    assert "| One | Ann |" in pages["motion-zoos"]["data"]


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
    assert summary.problems == ["again.wav: would be the speech 'again', which again.flac is; rename one"]
    error = capsys.readouterr().err
    assert f"failed: empty: ingest: {folder}/empty.mp3: is empty (0 bytes); copy the recording again" in error
    assert f"failed: text: ingest: {folder}/text.wav: is not audio that can be decoded" in error
    assert "Traceback" not in error
    assert summary.flow_run is not None
    (flow_run,) = ask("/flow_runs/filter", summary.flow_run)
    assert flow_run["state"]["name"] == "CompletedWithFailures"
    assert flow_run["state"]["message"].startswith("3 failed: ")
    write_speech(folder / "text.wav")
    code, summary = run(folder, tmp_path / "run", 3)
    mended = next(item for item in summary.items if item.id == "text")
    assert [each.state for each in mended.outcomes] == ["run", "run"]


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
    assert "s3://x: no such bucket" in capsys.readouterr().err


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
    assert summary.failures[0] == "One: ingest: ZeroDivisionError: division by zero"


def test_publishing_that_fails_warns_and_fails_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []

    def fail(*_: object, **__: object) -> None:
        raise OSError("the server is away")

    class Logger:
        def warning(self, message: str, *arguments: object) -> None:
            warnings.append(message % arguments)

    monkeypatch.setattr("flows.publish.create", fail)
    assert run_corpus(corpus, str(tmp_path / "run"), STAGES, SETTINGS) == 0
    from pipeline.stages import stage_named

    job = Job(stage_named("diarize"), Item("One", "One", None), None, {}, {})
    publish(job, Turns(turns=(), exclusive=(), speakers=(), method=""), Logger())
    assert warnings == ["the page of diarize could not be published: the server is away"]


@pytest.mark.parametrize(
    ("scope", "key"),
    [
        ("plain-1", "ingest-plain--1"),
        ("_motions/zoos", "ingest-zoos"),
        ("Two Words", "ingest-two-words-"),
        ("日本", "ingest-"),
        ("x" * 300, "ingest-xxx"),
    ],
)
def test_keys_are_what_prefect_takes(scope: str, key: str) -> None:
    found = key_of("ingest", scope)
    assert found.startswith(key)
    assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(found) <= len("ingest-") + MOST_CHARACTERS + len("-12345678")


def test_keys_of_different_speeches_differ() -> None:
    assert len({key_of("ingest", scope) for scope in ("a b", "a-b", "a/b", "A-b", "a_b", "日", "本")}) == 7


def test_words_are_recognised_and_scored(tmp_path: Path) -> None:
    """All of the main road, with real weights."""
    from pipeline import models

    try:
        models.find("tiny.en")
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
    assert transcript.model == {"tiny.en": models.find("tiny.en").digest}
    assert score.data is not None
    assert score.data["wer"] > 0

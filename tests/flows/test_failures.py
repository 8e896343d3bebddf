"""What goes wrong in a run stops as little as possible, and is told in a line. Against a real Prefect server."""

import logging
from pathlib import Path
from typing import Any

import pytest

from flows.command import run_corpus
from flows.publish import Pages, warning
from pipeline.errors import RostrumError, StorageError
from pipeline.progress import Progress
from pipeline.run.index import load
from pipeline.run.job import Done, Job
from pipeline.run.store import Store
from tests.flows.runs import SETTINGS, STAGES, ask, everything_of, items_of, run
from tests.sounds import sine, write, write_speech

pytestmark = pytest.mark.usefixtures("server")


def test_a_run_that_cannot_be_stored_is_one_line(tmp_path: Path) -> None:
    """Also where there are more speeches than had begun."""
    (tmp_path / "file").touch()
    for number in range(6):
        write_speech(tmp_path / "debate" / f"{number}.wav")
    with pytest.raises(StorageError, match="Not a directory"):
        run_corpus(tmp_path / "debate", str(tmp_path / "file" / "run"), ["ingest"], SETTINGS)


def test_a_report_that_fails_warns_and_fails_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left\non device")

    monkeypatch.setattr("flows.publish.write_pages", fail)
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
    assert flow_run["state"]["name"] == "Failed"
    assert flow_run["state"]["message"].startswith("completed with 3 failures: ")
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


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    from flows.process import process_corpus

    state: Any = process_corpus(tmp_path / "nowhere", str(tmp_path / "run"), return_state=True)
    assert (state.name, state.message) == ("Failed", f"{tmp_path}/nowhere: no such file or folder")


def counting(failures: int, error: RostrumError) -> tuple[list[str], Any]:
    """(the stages begun, a `perform` whose first calls fail)."""
    from pipeline.run.job import perform

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


def test_publishing_that_fails_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with warning("the page of diarize", logging.getLogger("a run")):
        raise OSError("the server is away")
    assert caplog.messages == ["the page of diarize could not be published: the server is away"]


def test_publishing_that_fails_fails_nothing(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the server is away")

    monkeypatch.setattr("flows.item_runs.History.publish", fail)
    code, summary = run(corpus, tmp_path / "run", 4)
    assert code == 0
    assert summary.flow_run is not None
    assert everything_of("/artifacts/filter", summary.flow_run) == []

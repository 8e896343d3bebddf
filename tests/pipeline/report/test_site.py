"""The report's folder: what rostrum writes there, and what it leaves alone."""

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.report import default_folder
from pipeline.report.build import write_report
from pipeline.report.site import digest_of_code
from pipeline.run.store import Store
from tests.synthetic_run import debate, write_run


@pytest.fixture
def store(undrawn: Store) -> Store:
    return undrawn


@pytest.mark.parametrize(
    "name", ["../thesis.docx", "speeches/../../thesis.docx", "{absolute}", "notes.txt", "speeches/", "speeches/.."]
)
def test_a_state_that_names_other_files_is_refused(store: Store, tmp_path: Path, name: str) -> None:
    """The state says what an earlier report wrote and this one may remove; whoever has the run's folder can edit it."""
    thesis = tmp_path / "thesis.docx"
    thesis.write_text("mine")
    report = tmp_path / "report"
    write_report(store, report)
    (report / "notes.txt").write_text("mine")
    state = json.loads((report / "report.state").read_text())
    state[name.format(absolute=thesis)] = ""
    (report / "report.state").write_text(json.dumps(state))
    with pytest.raises(RostrumError, match=r"report\.state: names .* which no report writes; remove report\.state"):
        write_report(store, report)
    assert thesis.read_text() == (report / "notes.txt").read_text() == "mine"


def test_a_page_that_another_wrote_is_written_again_whatever_the_state_says(store: Store, tmp_path: Path) -> None:
    """Somebody hands over a run with a page of their own, and a state that says a report had written it."""
    front = write_report(store, tmp_path / "report")
    pages = [path for path in front.parent.rglob("*.*") if path.suffix not in (".state", ".lock")]
    for path in pages:
        path.write_bytes(b"<script>alert(1)</script>".ljust(path.stat().st_size))
    shutil.copytree(front.parent, tmp_path / "handed")  # with all times as they were
    written = write_report(store, tmp_path / "handed").parent
    assert not [path for path in pages if b"alert(1)" in (written / path.relative_to(front.parent)).read_bytes()]


def test_a_report_that_was_killed_goes_on_and_leaves_nothing_half_written(store: Store, tmp_path: Path) -> None:
    site = write_report(store, tmp_path / "report").parent
    mine = site / "static" / ".notes.part"
    mine.write_text("mine")
    (site / "static" / f".{'0' * 32}.part").write_text("half")
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*.*") if path.parent != site / "static"}
    write_report(store, site)
    assert [path.name for path in site.rglob("*.part")] == [".notes.part"]
    assert all(path.stat().st_mtime_ns == written for path, written in before.items())


@pytest.mark.parametrize("content", ['["a"]', '{"a": 1}', "[]", "nonsense", "\x00"])
def test_a_state_that_is_none_is_written_again(store: Store, tmp_path: Path, content: str) -> None:
    write_report(store, tmp_path / "report")
    (tmp_path / "report" / "report.state").write_text(content)
    write_report(store, tmp_path / "report")
    assert "index.html" in json.loads((tmp_path / "report" / "report.state").read_text())


def test_a_report_folder_that_is_a_link_is_refused(store: Store, tmp_path: Path) -> None:
    """A run that somebody else made may have its `_report` lead anywhere."""
    (tmp_path / "home").mkdir()
    Path(store.root, "_report").symlink_to(tmp_path / "home")
    with pytest.raises(RostrumError, match="_report: a link"):
        write_report(store, default_folder(store))
    assert list((tmp_path / "home").iterdir()) == []


def test_a_link_inside_of_the_report_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    report = tmp_path / "report"
    report.mkdir()
    (report / "speeches").symlink_to(tmp_path / "home")
    with pytest.raises(RostrumError, match="speeches: leads out of the report's folder"):
        write_report(store, report)
    assert list((tmp_path / "home").iterdir()) == []


def test_a_linked_file_is_replaced_and_not_written_through(store: Store, tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.docx"
    thesis.write_text("mine")
    report = tmp_path / "report"
    write_report(store, report)
    (report / "index.html").unlink()
    (report / "index.html").symlink_to(thesis)
    (report / "index.html.part").symlink_to(thesis)
    (report / "report.state").unlink()
    (report / "report.state").symlink_to(thesis)
    write_report(store, report)
    assert thesis.read_text() == "mine"
    assert "<title>" in (report / "index.html").read_text(encoding="utf-8")
    assert not (report / "index.html").is_symlink()


def test_reports_into_one_folder_at_once(store: Store, tmp_path: Path) -> None:
    """Three that begin together: each ends well, and what is there afterwards is whole."""
    report, errors = tmp_path / "report", []

    def write() -> None:
        try:
            write_report(Store(store.root), report)
        except BaseException as error:  # told in the main thread
            errors.append(error)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    state = json.loads((report / "report.state").read_text())
    files = {path.relative_to(report).as_posix() for path in report.rglob("*") if path.is_file()}
    assert files - {"report.state", "report.lock"} == set(state)
    assert all((report / name).stat().st_size for name in state)


def test_a_state_that_names_a_folder_removes_nothing(store: Store, tmp_path: Path) -> None:
    front = write_report(store, tmp_path / "report")
    kept = front.parent / "speeches" / "mine.html"
    kept.mkdir()
    state = json.loads((front.parent / "report.state").read_text())
    (front.parent / "report.state").write_text(json.dumps({**state, "speeches/mine.html": "x"}))
    write_report(store, front.parent)
    assert kept.is_dir()


def test_a_state_that_is_a_pipe_is_not_waited_for(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.state")
    with pytest.raises(RostrumError, match=r"report.state: not a file"):
        write_report(store, tmp_path)


def test_a_change_of_any_module_or_template_makes_pages_new(tmp_path: Path) -> None:
    for name in ("report/site.py", "text/sentences.py", "report/templates/front.html.j2", "report/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    digests = {digest_of_code(tmp_path)}
    (tmp_path / "report" / "notes.txt").write_text("after")
    assert digests == {digest_of_code(tmp_path)}
    for name in ("text/sentences.py", "report/templates/front.html.j2"):
        (tmp_path / name).write_text("after")
        digests.add(digest_of_code(tmp_path))
    (tmp_path / "text" / "sentences.py").rename(tmp_path / "text" / "cuts.py")
    assert len(digests | {digest_of_code(tmp_path)}) == 4


def test_a_long_recording_is_written_with_progress(tmp_path: Path) -> None:
    """Hours of audio take minutes."""
    store = write_run(tmp_path / "run", debate(seconds=61.0))
    shares: list[float] = []
    write_report(store, tmp_path / "report", lambda share, what: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    between = {round(share, 6) for share in shares if 0.2 < share < 0.95}
    assert len(between) > 30, "parts of the audio and of the spectrogram of nine speeches"

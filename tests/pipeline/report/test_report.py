import json
import os
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.records import Motion, Speech
from pipeline.report import default_folder
from pipeline.report.build import write_report
from pipeline.report.links import page_names
from pipeline.run.clean import orphaned_files
from pipeline.run.index import load, save
from pipeline.run.scopes import scope_of_speech
from pipeline.run.store import Store
from tests.synthetic_run import MadeUp, debate, panel, write_run


def modified(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return write_run(tmp_path / "run", debate(seconds=4.0))


def test_every_speech_and_motion_has_a_page(report: Path) -> None:
    pages = {path.relative_to(report).parts[0] for path in report.rglob("*.html")}
    assert pages == {"index.html", "search.html", "flows", "motions", "speeches"}
    assert len(list((report / "speeches").glob("*.html"))) == 10
    assert len(list((report / "motions").glob("*.html"))) == 2
    assert len(list((report / "audio").glob("*.ogg"))) == 9
    assert {path.suffix for path in (report / "plots").iterdir()} == {".svg", ".png"}


def test_the_front_page_says_what_failed_what_was_skipped_and_by_what(report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    assert "broken: ingest: broken.ogg: cannot be decoded as audio" in text
    assert "<strong>content</strong>: no references and no arguments" in text
    assert 'title="sha256 d3dd57d32accea0b"' in text


def test_a_motion_page_has_points_arguments_and_the_ranking(report: Path) -> None:
    text = (report / "motions" / "phones.html").read_text(encoding="utf-8")
    assert "2 of 2 speeches, 2 speakers, 18.0" in text
    assert text.count("rebutted by: ") == 1
    assert "On topics left out of what it learned from, it agreed with people on 80" in text


def test_a_speech_page_has_the_arguments_it_mentions_and_their_rebuttal(report: Path) -> None:
    text = next(report.glob("speeches/phones-pro_anna*")).read_text(encoding="utf-8")
    assert '<li class="note pro">' in text
    assert "Pupils learn self-control." in text
    assert text.count('title="phones/con_') > 2


def test_the_second_report_writes_nothing_again(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "report"
    write_report(store, target)
    before = modified(target)
    del before["report.state"]
    write_report(store, target)
    after = modified(target)
    del after["report.state"]
    assert after == before


def test_a_figure_that_is_gone_is_drawn_again(store: Store, tmp_path: Path) -> None:
    write_report(store, tmp_path / "report")
    figures = sorted((tmp_path / "report" / "plots").iterdir())
    figures[0].unlink()
    write_report(store, tmp_path / "report")
    assert sorted((tmp_path / "report" / "plots").iterdir()) == figures


def test_what_changes_is_written_again_and_what_is_gone_removed(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "report"
    write_report(store, target)
    before = modified(target)
    summary = load(store)
    assert summary
    speeches = tuple(each for each in summary.known.speeches if each.id != "exchange")
    changed = summary.model_copy(update={"known": summary.known.model_copy(update={"speeches": speeches})})
    save(changed, store)
    write_report(store, target)
    after = modified(target)
    assert not any("exchange" in name for name in after)
    assert before["motions/buses.html"] == after["motions/buses.html"]
    assert before["motions/phones.html"] != after["motions/phones.html"]


@pytest.mark.parametrize("killed", [False, True])
def test_a_report_that_was_broken_off_goes_on(
    store: Store, tmp_path: Path, killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Audio is not encoded again, and nothing is taken for a page of somebody else's."""
    monkeypatch.setattr("pipeline.report.site._SAVE_SECONDS", 0 if killed else 1000)
    target = tmp_path / "report"
    saved = []

    def stop(share: float, what: str) -> None:
        if share >= 1:
            saved.append((target / "report.state").read_bytes())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_report(store, target, stop)
    if killed:
        (target / "report.state").write_bytes(saved[0])  # nobody could save it in the end
    before = modified(target)
    write_report(store, target)
    after = modified(target)
    audio = [name for name in before if name.startswith("audio/")]
    assert len(audio) == 2 * 9, "each with its spectrogram"
    assert {name: after[name] for name in audio} == {name: before[name] for name in audio}


def test_files_of_others_stay(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "report"
    write_report(store, target)
    (target / "notes.txt").write_text("mine", encoding="utf-8")
    write_report(store, target)
    assert (target / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_with_another_page_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(RostrumError, match="rostrum did not write"):
        write_report(store, tmp_path)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


def test_a_run_of_transcripts_alone(store: Store, tmp_path: Path) -> None:
    """Without audio, scores, sentences and motions there are pages too."""
    for path in Path(store.root).rglob("*.json"):
        if path.stem not in ("transcribe", "run") and ".index" not in path.parts:
            os.unlink(path)
    front = write_report(store, tmp_path / "report")
    pages = list((tmp_path / "report" / "speeches").glob("phones-pro_anna*.html"))
    assert 'id="audio"' not in pages[0].read_text(encoding="utf-8")
    assert "WER, pooled" not in front.read_text(encoding="utf-8")


def test_a_run_without_speeches(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", MadeUp((), ()))
    assert "0 recordings" in write_report(store, tmp_path / "report").read_text(encoding="utf-8")


def test_a_speech_on_an_unknown_motion_and_without_a_motion(tmp_path: Path) -> None:
    speeches = (Speech(id="one", motion="unknown"), Speech(id="two"))
    store = write_run(tmp_path / "run", MadeUp((Motion(id="other", text="Other."),), speeches, seconds=3.0))
    write_report(store, tmp_path / "report")
    assert {path.name for path in (tmp_path / "report" / "speeches").iterdir()} == {"one.html", "two.html"}


def test_the_default_folder_is_no_speech(store: Store) -> None:
    folder = default_folder(store)
    write_report(store, folder)
    assert folder == Path(store.root, "_report")
    assert scope_of_speech("_report") != "_report"
    assert not [each for each in orphaned_files(store) if each.name.startswith("_report/")], "`rostrum clean` leaves it"


def test_page_names_are_plain_and_differ() -> None:
    names = page_names(["a", "A", "a/b", "a-b", "שלום", "x" * 300, "x" * 299, "con"])
    assert len(set(names.values())) == len(names)
    assert names["a"] == "a"
    assert names["con"] != "con", "Windows has no file of that name"
    assert all(name.isascii() and len(name) < 80 for name in names.values())


def test_no_name_takes_the_page_of_another() -> None:
    """A speech may be called as the page of another one is."""
    first = page_names(["Anna"])["Anna"]
    names = page_names(["Anna", first])
    assert len({name.casefold() for name in names.values()}) == 2


def test_data_is_a_script_that_ends_no_script(hostile_report: Path) -> None:
    for path in (hostile_report / "data").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert "</" not in text
        if path.name.startswith("search-"):
            assert len(json.loads(text.partition("rostrum.search = ")[2].rstrip(";\n"))) == 3
            continue
        assert json.loads(text.partition("rostrum.speech = ")[2].rstrip(";\n"))["duration"] == 6.0


def damaged(path: Path, how: str) -> None:
    """Make an artifact unreadable, as disks, editors and other versions do."""
    text = path.read_text(encoding="utf-8")
    artifact = json.loads(text)
    if how == "half of it":
        text = text[: len(text) // 2]
    elif how == "of another version":
        artifact["data"]["invented"] = 1
        text = json.dumps(artifact)
    elif how == "edited":
        field = next(name for name in ("motion", "language", "source_sha256") if name in artifact["data"])
        artifact["data"][field] = "other"
        text = json.dumps(artifact)
    elif how == "empty":
        text = ""
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("how", ["half of it", "of another version", "edited", "empty"])
@pytest.mark.parametrize("name", ["phones/pro_anna/transcribe", "phones/pro_anna/ingest", "_motions/phones/counter"])
def test_an_unreadable_artifact_costs_no_report(undrawn: Store, tmp_path: Path, name: str, how: str) -> None:
    """It is one line on the front page, and everything else is there as before."""
    damaged(Path(undrawn.root, f"{name}.json"), how)
    front = write_report(undrawn, tmp_path / "report").read_text(encoding="utf-8")
    assert "2 failed" in front
    assert front.count(f"{name}.json: ") == 1
    assert len(list((tmp_path / "report" / "speeches").glob("*.html"))) == 10
    motion = (tmp_path / "report" / "motions" / "phones.html").read_text(encoding="utf-8")
    assert 'id="key-points"' in motion
    assert ('id="answers"' in motion) == name.startswith("phones/")


def test_a_mended_artifact_is_shown_again(store: Store, tmp_path: Path) -> None:
    path = Path(store.root, "phones", "pro_anna", "transcribe.json")
    content = path.read_bytes()
    damaged(path, "edited")
    write_report(store, tmp_path / "report")
    path.write_bytes(content)
    assert "1 failed" in write_report(store, tmp_path / "report").read_text(encoding="utf-8")


def test_a_recording_whose_people_cannot_be_read_does_not_end_the_report(tmp_path: Path) -> None:
    """The motion's key points name speeches of which nothing else is known."""
    store = write_run(tmp_path / "run", panel())
    damaged(Path(store.root, "panel", "speakers.json"), "half of it")
    front = write_report(store, tmp_path / "report").read_text(encoding="utf-8")
    assert "speakers.json" in front
    motion = (tmp_path / "report" / "motions" / "phones.html").read_text(encoding="utf-8")
    assert 'href="../speeches/panel.html" title="panel/ida"' in motion

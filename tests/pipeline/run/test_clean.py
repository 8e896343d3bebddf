"""`rostrum clean` deletes what rostrum wrote and no longer uses, and nothing else."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.corpus import open_corpus
from pipeline.run.clean import orphaned_files
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from tests.sounds import write_speech


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run over two speeches, of which one has left the corpus and the other was replaced since."""
    for index, name in enumerate(("stays", "goes")):
        write_speech(tmp_path / "corpus" / f"{name}.wav", start=4.0 * index)
    _run(tmp_path)
    (tmp_path / "corpus" / "goes.wav").unlink()
    write_speech(tmp_path / "corpus" / "stays.wav", start=8.0)
    _run(tmp_path)
    return tmp_path / "run"


def _run(folder: Path) -> None:
    plan = plan_run(open_corpus(folder / "corpus"), Store(folder / "run"), Settings(), ["ingest"])
    assert execute(plan).failures == []


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def clean(run: Path, *options: str) -> tuple[list[str], str]:
    found = CliRunner().invoke(main_group, ["clean", str(run), *options])
    assert found.exit_code == 0, found.output
    return found.stdout.splitlines(), found.stderr


def test_leftovers_are_listed_with_their_bytes_and_then_deleted(run: Path) -> None:
    before = files(run)
    leftovers = orphaned_files(Store(run))
    assert {each.name.partition(".")[0] for each in leftovers} == {"goes/ingest", "stays/ingest"}
    assert len(leftovers) == 3, "an artifact, its recording, and the recording that was replaced"
    total = f"3 files, {sum((run / each.name).stat().st_size for each in leftovers):,} bytes"
    listed, told = clean(run, "--dry-run")
    assert (listed, told) == ([each.name for each in leftovers], f"{total} would be deleted\n")
    assert files(run) == before
    assert clean(run) == (listed, f"{total} deleted\n")
    assert files(run) == before - set(listed)
    assert not (run / "goes").exists()
    assert clean(run) == ([], "0 files, 0 bytes deleted\n")


def test_what_rostrum_did_not_write_stays(run: Path) -> None:
    (attachment,) = (path.name for path in (run / "goes").glob("ingest.*.flac"))
    own = ["thesis.docx", "photos/one.jpg", "goes/notes.txt", "goes/score.json", "goes/ingest.0123456789ab.flac"]
    own += ["stays/mine.json", ".hidden", f"photos/../../beside/{attachment}", "goes/unknown.0123456789ab.npz"]
    for name in own:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text("{}")
    clean(run)
    assert [name for name in own if not (run / name).exists()] == []


def test_a_corpus_that_is_the_run_s_folder_is_left_alone(run: Path) -> None:
    """As it was made by those who gave both the same name, before that was refused."""
    recordings = run.parent / "corpus"
    for path in (run / "stays").iterdir():
        (recordings / "stays").mkdir(exist_ok=True)
        path.rename(recordings / "stays" / path.name)
    for name in ("run.json", ".index"):
        (run / name).rename(recordings / name)
    write_speech(recordings / "2018" / "new.wav")
    kept = {name for name in files(recordings) if name.endswith((".wav", ".json"))}
    clean(recordings)
    assert kept <= files(recordings)


def test_a_link_is_not_followed(run: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (run / "goes").rename(outside)
    (run / "goes").symlink_to(outside)
    before = files(outside)
    clean(run)
    assert files(outside) == before

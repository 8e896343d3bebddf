"""A corpus that was moved or replaced: its run knows the new place, so that corrections go there."""

import shutil
from pathlib import Path

import pytest

import rostrum
from flows.command import run_corpus
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.report.editing import Editing
from pipeline.run.finished import FinishedRun
from pipeline.run.index import load_known
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from tests.flows.runs import SETTINGS, STAGES
from tests.sounds import write_speech


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_speech(tmp_path / "old" / "talk.wav")
    rostrum.run(tmp_path / "old", tmp_path / "run", STAGES, SETTINGS)
    return tmp_path / "old"


def test_a_run_with_nothing_to_do_learns_where_its_corpus_is_now(folder: Path, tmp_path: Path) -> None:
    new = folder.rename(tmp_path / "new")
    with pytest.raises(RostrumError, match="run again"):
        Editing.of_run(FinishedRun(Store(tmp_path / "run")))
    assert plan_run(open_corpus(new), Store(tmp_path / "run"), SETTINGS, STAGES).is_done
    assert not plan_run(open_corpus(new), Store(tmp_path / "run"), SETTINGS, STAGES).is_idle, "for served folders"
    assert run_corpus(new, str(tmp_path / "run"), STAGES, SETTINGS, report=False) == 0
    assert Editing.of_run(FinishedRun(Store(tmp_path / "run"))).corpus == new


def test_corrections_go_to_the_corpus_that_the_last_run_was_over(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    with pytest.raises(RostrumError, match="--other-corpus"):
        run_corpus(copy, str(tmp_path / "run"), STAGES, SETTINGS, report=False)
    assert run_corpus(copy, str(tmp_path / "run"), STAGES, SETTINGS, report=False, other_corpus=True) == 0
    assert Editing.of_run(FinishedRun(Store(tmp_path / "run"))).corpus == copy
    summary = load_known(Store(tmp_path / "run"))
    assert (summary.corpus, summary.corpus_path) == (str(copy), str(copy))

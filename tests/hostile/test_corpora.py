"""Every hostile corpus is checked and run to its end: what is bad is told in one line, and what is good is done."""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import rostrum
from pipeline import models
from pipeline.cli import main_group
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError, printable
from pipeline.run import configuration
from pipeline.run.index import load_known
from pipeline.run.store import Store
from pipeline.stage import stage_named
from pipeline.system.logs import logger
from tests.hostile.corpora import KINDS, Kind
from tests.sounds import write_speech

STAGES = ["ingest", "diarize"]
SETTINGS = {"diarize.mode": "vad"}
# What no message has in it: names of Python, and what moves a terminal's cursor.
PYTHON = re.compile(
    r"Traceback|\w+Error\b|NoneType|object has no attribute|\bself\b|Exception|validation error|[\x00-\x08\x1b]"
)


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_a_hostile_corpus(make: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "corpus"
    write_speech(folder / "good.wav")
    expected = make(folder)
    before = contents(tmp_path)

    warnings: list[str] = []
    monkeypatch.setattr(logger, "handle", lambda record: warnings.append(record.getMessage()))

    checked = CliRunner().invoke(main_group, ["check", str(folder)])
    assert isinstance(checked.exception, SystemExit | RostrumError | None), checked.exception
    told = [*checked.output.splitlines(), printable(checked.exception)]
    try:
        told += map(printable, rostrum.run(folder, tmp_path / "run", STAGES, SETTINGS).failures)
    except RostrumError as error:  # a manifest that cannot be read at all
        told.append(str(error))
    told += warnings
    assert not [line for line in told if PYTHON.search(line)]
    if expected is None:
        assert checked.exit_code == 0, checked.output
        assert load_known(Store(tmp_path / "run")).failures == []
    else:
        assert any(re.search(expected, line) for line in told), told
    assert {path: content for path, content in contents(tmp_path).items() if path in before} == before
    made = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*")}
    assert made <= {"corpus", "run", "elsewhere.csv", "outside.wav"}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


@pytest.mark.parametrize("name", ["endless.wav", "weights.pt"])
def test_a_pipe_that_is_named_on_the_command_line(tmp_path: Path, name: str) -> None:
    """It is not opened: nobody writes into it, and reading would wait for ever."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(RostrumError, match=f"{name}: (not a file|an empty folder)"):
        open_corpus(tmp_path / name) if name.endswith(".wav") else models.find(tmp_path / name)


@pytest.mark.parametrize(
    "setting",
    [
        "transcribe.model",
        "segment.tagger",
        "grade.model",
        "mentions.encoder",
        "mentions.detector",
        "mentions.cross_encoder",
        "counter.encoder",
        "counter.inference",
        "counter.ranker",
        "keypoints.matcher",
        "convincing.model",
        "content.encoder",
    ],
)
@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
def test_weights_that_are_no_file(tmp_path: Path, setting: str, name: str) -> None:
    """A pipe is not waited for, and an endless device is not read to its end."""
    os.mkfifo(tmp_path / "pipe")
    given = configuration.load(None, {}, [f"{setting}={tmp_path / name}"]).settings
    stage = stage_named(setting.partition(".")[0])
    assert stage.model
    with pytest.raises(RostrumError, match=rf"{name}: (not a file|an empty folder)"):
        stage.model(given.of(stage.name))

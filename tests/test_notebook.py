"""What a notebook calls: a whole run in a plain Python process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rostrum
from pipeline.engine.store import Store
from pipeline.errors import RostrumError
from pipeline.stages import stage_names
from tests.sounds import write_speech

ROOT = Path(__file__).parents[1]
SETTINGS = {"diarize.mode": "vad"}
SCRIPT = """
import json, sys
import rostrum

summary = rostrum.run(sys.argv[1], sys.argv[2], ["diarize"], {"diarize.mode": "vad"})
loaded = sorted({name.partition(".")[0] for name in sys.modules} & {"prefect", "flows", "dask", "distributed"})
print(json.dumps({"loaded": loaded, "states": [outcome.state for item in summary.items for outcome in item.outcomes]}))
"""


def digests(run: Path) -> dict[str, tuple[str, str]]:
    """The fingerprint and digest of every artifact of a run."""
    store = Store(run)
    found = {}
    for scope in sorted(path.name for path in run.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))):
        for stage in stage_names():
            if artifact := store.artifact(scope, stage):
                found[f"{scope}/{stage}"] = (artifact.fingerprint, artifact.digest)
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for index in range(2):
        write_speech(folder / f"{index}.wav", start=4.0 * index)
    return folder


def test_a_run_needs_no_prefect_and_makes_the_same_as_with_it(
    corpus: Path, tmp_path: Path, own_home: dict[str, str]
) -> None:
    plain = [sys.executable, "-c", SCRIPT, str(corpus), str(tmp_path / "plain")]
    found = subprocess.run(plain, capture_output=True, text=True, check=True, cwd=ROOT, env=own_home)
    assert json.loads(found.stdout) == {"loaded": [], "states": ["run"] * 4}
    command = [sys.executable, "-m", "flows", "run", str(corpus), "--out", str(tmp_path / "flow"), "--no-report"]
    options = ["--stages", "diarize", "--set", "diarize.mode=vad"]
    subprocess.run([*command, *options], capture_output=True, check=True, cwd=ROOT, env=own_home)
    assert digests(tmp_path / "plain") == digests(tmp_path / "flow")
    assert len(digests(tmp_path / "plain")) == 4


def test_what_is_unchanged_is_reused_and_progress_is_told(corpus: Path, tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []

    def run() -> list[str]:
        summary = rostrum.run(corpus, tmp_path / "run", ["ingest"], SETTINGS, progress=lambda *each: told.append(each))
        assert summary.failures == []
        return [outcome.state for item in summary.items for outcome in item.outcomes]

    assert run() == ["run", "run"]
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {"ingest 0: run", "ingest 1: run"} <= {what for _, what in told}
    assert run() == ["cached", "cached"]
    assert len(told) == len(shares), "nothing was done, so there was nothing to tell"


def test_a_bad_file_is_a_failure_in_the_summary(corpus: Path, tmp_path: Path) -> None:
    (corpus / "bad.wav").write_bytes(b"no audio")
    summary = rostrum.run(str(corpus), str(tmp_path / "run"), ["diarize"], SETTINGS)
    (failure,) = summary.failures
    assert failure.startswith(f"bad: ingest: {corpus}/bad.wav: ")
    assert [item.figures.get("duration") is not None for item in summary.items] == [True, True, False]


def test_a_wrong_setting_is_said_before_anything_is_done(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match=r"there is no setting transcribe\.modl; did you mean transcribe\.model\?"):
        rostrum.run(corpus, tmp_path / "run", settings={"transcribe.modl": "base.en"})
    assert not (tmp_path / "run").exists()

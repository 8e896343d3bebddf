"""What a notebook calls: a whole run in a plain Python process."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rostrum
from pipeline.errors import RostrumError
from pipeline.segment.stage import Sentences
from pipeline.stage import STAGES
from tests.models import needs
from tests.sounds import encode, speech, write_speech
from tests.synthetic_run import debate, write_run

ROOT = Path(__file__).parents[1]
SETTINGS = {"diarize.mode": "vad"}
SCRIPT = """
import json, sys
import rostrum

summary = rostrum.run(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4]))
loaded = sorted({name.partition(".")[0] for name in sys.modules} & {"prefect", "flows", "dask", "distributed"})
print(json.dumps({"loaded": loaded, "states": [outcome.state for item in summary.items for outcome in item.outcomes]}))
"""


# What is quick and still makes something in every stage.
WHOLE = {
    "diarize.mode": "vad",
    "transcribe.beam_size": 1,
    "counter.encoder": None,
    "content.encoder": None,
    "keypoints.matcher": "token overlap",
}


def digests(run: Path) -> dict[str, tuple[str, str, str | None]]:
    """The fingerprint and digest of every artifact of a run, and why there is none where a stage was skipped."""
    artifacts = {path: json.loads(path.read_text()) for path in run.rglob("*.json") if path.stem in STAGES}
    return {
        path.relative_to(run).as_posix(): (each["fingerprint"], each["digest"], each["skipped"])
        for path, each in artifacts.items()
    }


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for index in range(2):
        write_speech(folder / f"{index}.wav", start=4.0 * index)
    return folder


def assert_the_same_without_prefect(
    corpus: Path, folder: Path, stages: list[str], settings: dict[str, object], environment: dict[str, str]
) -> dict[str, tuple[str, str, str | None]]:
    """Run in a plain Python process and by the command. Returns the digests, which both runs have."""
    arguments = [str(corpus), str(folder / "plain"), json.dumps(stages), json.dumps(settings)]
    plain = [sys.executable, "-c", SCRIPT, *arguments]
    found = subprocess.run(plain, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    told = json.loads(found.stdout)
    assert told["loaded"] == []
    assert set(told["states"]) <= {"run", "skipped"}
    command = [sys.executable, "-m", "flows", "run", str(corpus), "--out", str(folder / "flow"), "--no-report"]
    command += ["--stages", ",".join(stages)]
    for name, value in settings.items():
        command += ["--set", f"{name}={'' if value is None else value}"]
    subprocess.run(command, capture_output=True, check=True, cwd=ROOT, env=environment)
    assert digests(folder / "plain") == digests(folder / "flow")
    return digests(folder / "plain")


def test_a_run_needs_no_prefect_and_makes_the_same_as_with_it(
    corpus: Path, tmp_path: Path, own_home: dict[str, str]
) -> None:
    made = assert_the_same_without_prefect(corpus, tmp_path, ["diarize"], SETTINGS, own_home)
    assert len(made) == 4


@needs("base.en", "bge-small-en-v1.5-int8", "punkt")
def test_a_whole_debate_needs_no_prefect(tmp_path: Path, own_home: dict[str, str]) -> None:
    """Every stage, of speeches and of a motion."""
    folder = tmp_path / "debate"
    for start, name in enumerate(("anna", "ben")):
        write_speech(folder / f"{name}.wav", seconds=6, start=6.0 * start)
        (folder / f"{name}.txt").write_text("We should ban phones because they distract.")
    (folder / "speeches.csv").write_text(
        "id,file,motion,stance,speaker\nanna,anna.wav,phones,pro,Anna\nben,ben.wav,phones,con,Ben\n"
    )
    (folder / "motions.csv").write_text("id,text\nphones,We should ban phones.\n")
    (folder / "arguments.csv").write_text("id,motion,stance,title\nfocus,phones,pro,Phones distract pupils.\n")
    made = assert_the_same_without_prefect(folder, tmp_path, list(STAGES), WHOLE, own_home)
    run = {Path(name).stem for name, (_, digest, _) in made.items() if digest}
    assert set(STAGES) - run <= {"grade", "convincing"}, "no model to grade with, and perhaps no points to rank"


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


def test_one_recording_is_a_run(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    summary = rostrum.run(corpus / "0.wav", stages=["diarize"], settings=SETTINGS)
    assert [(item.id, [each.state for each in item.outcomes]) for item in summary.items] == [("0", ["run", "run"])]
    assert (tmp_path / "runs" / "0" / "run.json").is_file()


def test_a_folder_without_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="no recordings in it: it is empty"):
        rostrum.run(tmp_path)


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


@needs("base.en")
def test_every_block_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples, rate = speech()
    encode(tmp_path / "talk.mp3", samples[: 4 * rate], rate, "mp3")
    for start, name in enumerate(("anna", "ben")):
        write_speech(tmp_path / "recordings" / f"{name}.wav", start=4.0 * start)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROSTRUM_TRANSCRIPTS", str(tmp_path / "cache"))
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "notebook.md").read_text("utf-8"), re.S)
    known: dict[str, object] = {}
    for block in blocks:
        exec(block, known)
    assert isinstance(known["sentences"], Sentences)
    assert isinstance(known["talk"], rostrum.TranscribedSpeech)
    assert known["talk"].words.text.tolist() == [word.text for word in known["talk"].speech.words]


class Words(HTMLParser):
    """What a notebook shows: the text, and what a click on each word does."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.clicks, self.sources = "", [""], [""]
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "span":
            self.clicks.append(found["onclick"] or "")
        if tag == "audio":
            self.sources.append(found["src"] or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_run_and_a_transcript_show_themselves(tmp_path: Path) -> None:
    write_run(tmp_path / "run", debate(seconds=9.0))
    run = rostrum.load(tmp_path / "run")
    table = Words(run._repr_html_())
    assert all(name in table.text for name in run.speeches.speech)
    assert "10 speeches" in table.text
    transcript = run.transcript("phones/pro_anna")
    shown = Words(transcript._repr_html_())
    first = transcript.speech.words[1]
    assert first.text in shown.text
    assert f"currentTime={first.start:g};" in shown.clicks[2]
    assert shown.sources[1].startswith("data:audio/")
    assert run.columns("words").loc["probability", "meaning"] == "the recogniser's confidence"
    nobody = rostrum.load(tmp_path / "run", anonymise=True)
    assert nobody.transcript(nobody.speeches.speech[0]).audio is None, "a voice says who speaks"
    with pytest.raises(KeyError, match="did you mean phones/pro_anna"):
        run.transcript("phones/pro_ana")


def test_a_recording_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match=r"talk\.mp3: no such file"):
        rostrum.transcribe(tmp_path / "talk.mp3")
    with pytest.raises(RostrumError, match="a folder; rostrum.run processes it"):
        rostrum.transcribe(tmp_path)

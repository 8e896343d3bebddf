"""`rostrum transcribe`: files in, transcripts out, and nothing that was there is lost."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rostrum as project
from pipeline.records import Word
from pipeline.run import transcription
from pipeline.run.transcription import Transcription
from pipeline.transcribe.recogniser import Recognised
from tests.command import rostrum
from tests.models import needs
from tests.sounds import SAMPLES, encode, sine, write, write_speech

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROSTRUM_TRANSCRIPTS", str(tmp_path / "cache"))


@pytest.mark.slow
@needs("base.en")
def test_a_recording_a_video_and_stdin_give_the_same_words(tmp_path: Path) -> None:
    recording = write_speech(tmp_path / "talk.wav", seconds=6.0)
    import soundfile

    samples, rate = soundfile.read(recording, dtype="float32")
    video = encode(tmp_path / "film.mp4", samples, rate, "aac")
    found = rostrum("transcribe", recording)
    assert found.exit_code == 0, found.stderr
    words = found.stdout.split()
    assert len(words) > 8
    piped = rostrum("transcribe", "-", "--to", "json", stdin=recording.read_bytes())
    told = json.loads(piped.stdout)
    assert (told["speech"], told["text"].split()) == ("stdin", words)
    assert [word["speaker"] for word in told["words"]] == [None] * len(told["words"])
    assert len(set(rostrum("transcribe", video).stdout.split()) & set(words)) > 0.8 * len(set(words))


class FakeEngine:
    """A recogniser that hears the same words in every recording, and counts how often it is asked."""

    IGNORES = frozenset[str]()
    name, device = "made up", "none"

    def __init__(self, *words: str) -> None:
        self.heard = tuple(Word(text=word, start=float(place), end=place + 0.5) for place, word in enumerate(words))
        self.asked = 0

    def weights(self, settings: object) -> dict[str, str]:
        return {}

    def side_by_side(self, settings: object) -> bool:
        return False

    def load(self, settings: object) -> "FakeEngine":
        return self

    def transcribe(self, *_: object) -> Recognised:
        self.asked += 1
        return Recognised(self.heard, (), "en")


def transcribed(monkeypatch: pytest.MonkeyPatch, *words: str) -> FakeEngine:
    """Pretend that a recogniser hears these words in every recording."""
    monkeypatch.setattr("pipeline.cli.console._FIRST_LINE", float("inf"))  # however slow the machine is
    engine = FakeEngine(*words)
    for module in ("recogniser", "recognition"):
        monkeypatch.setattr(f"pipeline.transcribe.{module}.engine", lambda settings: engine)
    return engine


def call(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of the command in this process."""
    from click.testing import CliRunner

    from pipeline.cli import main_group
    from pipeline.errors import RostrumError

    found = CliRunner().invoke(main_group, ["transcribe", *map(str, arguments)], input=stdin)
    if isinstance(found.exception, RostrumError):
        return 2, found.stdout, f"error: {found.exception}"
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.stdout, found.stderr


def test_one_goes_to_stdout_and_several_beside_the_recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = transcribed(monkeypatch, "Hello", "there.")
    one, two = (write(tmp_path / name, sine(0.1 * length)) for length, name in enumerate(("a.wav", "b.wav"), 1))
    assert call(one) == (0, "Hello there.\n", "")
    assert call(tmp_path, "--to", "srt")[:2] == (0, f"{tmp_path}/a.srt\n{tmp_path}/b.srt\n")
    assert (tmp_path / "b.srt").read_text() == "1\n00:00:00,000 --> 00:00:00,200\nHello there.\n", (
        "it ends with the recording"
    )
    assert engine.asked == 2, "a recording is recognised once"
    assert call(one, two)[1] == f"{tmp_path}/a.transcript.txt\n{tmp_path}/b.transcript.txt\n"
    assert not (tmp_path / "a.txt").exists(), "that would be the reference transcript"
    assert call(one, "--to", "docx", "--out", tmp_path / "new") == (0, f"{tmp_path}/new/a.docx\n", "")


@needs("segmentation-3.0", "campplus")
def test_a_run_finds_what_was_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it looks for the speakers, which `transcribe` does not, and where the settings for that change."""
    engine = transcribed(monkeypatch, "Hello", "there.")
    recording = write(tmp_path / "corpus" / "a.wav", sine(1.5))
    assert call(recording) == (0, "Hello there.\n", "")
    for mode in ("auto", "full"):
        project.run(tmp_path / "corpus", tmp_path / mode, ["transcribe"], {"diarize.mode": mode})
    assert engine.asked == 1


def test_nothing_is_kept_where_nobody_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = transcribed(monkeypatch, "Hello", "there.")
    monkeypatch.setenv("ROSTRUM_TRANSCRIPTS", "off")
    recording = write(tmp_path / "a.wav", sine(0.5))
    assert [call(recording)[0] for _ in range(2)] == [0, 0]
    assert engine.asked == 2


def test_a_format_may_be_written_in_capitals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcribed(monkeypatch, "Hello.")
    recording = write(tmp_path / "a.wav", sine(0.1))
    assert call(recording, "--to", "SRT") == call(recording, "--to", "srt")


def test_what_comes_on_stdin_is_written_to_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcribed(monkeypatch, "Hello.")
    monkeypatch.chdir(tmp_path)
    recording = write(tmp_path / "recordings" / "a.wav", sine(0.1)).read_bytes()
    assert call("-", "--to", "docx", stdin=recording)[:2] == (0, "stdin.docx\n")
    assert (tmp_path / "stdin.docx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (b"", "-: nothing came on stdin"),
        (b"this is no audio " * 1000, "-: cannot be decoded as audio"),
        (b"RIFF" + bytes(3_000_000), r"-: more than 1,040,000 bytes came on stdin; raise ingest.max_hours"),
    ],
)
def test_stdin_without_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stdin: bytes, message: str) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, error = call("-", "--set", "ingest.max_hours=0.001", stdin=stdin)
    assert (bool(code), out) == (True, "")
    assert error.startswith(f"error: {message}")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.stdin")) < 100_000, "what is of no use is removed"


def test_stdin_that_is_closed_is_one_line() -> None:
    command = f"{shlex.quote(sys.executable)} -c 'from flows.cli import main; main()' transcribe - <&-"
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert found.stderr.startswith("error: -: nothing came on stdin")


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = transcribed(monkeypatch, "Hello.")
    recording, notes = write(tmp_path / "a.wav", sine(0.1)), tmp_path / "a.srt"
    notes.write_text("my own subtitles")
    code, _, error = call(recording, "--to", "srt", "--out", tmp_path)
    assert (code, engine.asked) == (2, 0), "said before work begins"
    assert error == f"error: {notes}: exists already; --force replaces it, --out names another folder"
    assert notes.read_text() == "my own subtitles"
    assert call(recording, "--to", "srt", "--out", tmp_path, "--force")[0] == 0
    assert "Hello." in notes.read_text()
    assert call(recording, "--to", "srt", "--out", tmp_path)[0] == 0, "the same once more changes nothing"


def test_two_recordings_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = transcribed(monkeypatch, "Hello.")
    for folder in ("one", "two"):
        write(tmp_path / folder / "a.wav", sine(0.1))
    code, _, error = call(tmp_path / "one", tmp_path / "two", "--out", tmp_path / "out")
    assert (code, engine.asked) == (2, 0)
    assert (
        f"{tmp_path}/out/a.transcript.txt: would be the transcript of {tmp_path}/one/a.wav, {tmp_path}/two/a.wav"
        in error
    )


def test_a_folder_that_cannot_be_written_to_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcribed(monkeypatch, "Hello.")
    recording = write(tmp_path / "a.wav", sine(0.1))
    (tmp_path / "file").write_text("")
    code, _, error = call(recording, "--to", "srt", "--out", tmp_path / "file" / "new")
    assert (code, error.count("\n")) == (1, 1)
    assert f"{tmp_path}/file/new/a.srt: cannot write it: Not a directory" in error


def test_an_error_of_the_program_stops_one_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcribed(monkeypatch, "Hello.")
    transcription_of = transcription.transcribe_recording

    def fails_on_a(path: Path, *others: object) -> Transcription:
        if path.stem == "a":
            raise ValueError("no such thing")
        return transcription_of(path, *others)  # type: ignore[arg-type]

    monkeypatch.setattr("pipeline.export.transcripts.transcribe_recording", fails_on_a)
    for length, name in enumerate(("a.wav", "b.wav"), 1):
        write(tmp_path / name, sine(0.1 * length))
    code, names, error = call(tmp_path, "--to", "srt")
    assert (code, names) == (1, f"{tmp_path}/b.srt\n")
    mistake = "a mistake in rostrum or in a library, not in your files"
    assert error.startswith(f"error: {tmp_path}/a.wav: {mistake}"), "no name of a Python class"
    assert "ROSTRUM_TRACEBACK=1" in error


@needs("base.en")
def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "bad.wav").write_bytes(b"no audio")
    found = rostrum("transcribe", tmp_path / "bad.wav")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines()[-1].startswith(f"error: {tmp_path}/bad.wav: ")
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["https://example.org/talk.mp3"],
            "a URL, and rostrum fetches nothing; get the recording first",
        ),
        (["missing.mp3"], "missing.mp3: no such file or folder"),
        (["."], "no recordings in it"),
        (["-"], "nothing came on stdin"),
        ([SAMPLES, "--to", "srtt"], "there is no export format 'srtt'; did you mean srt?"),
        ([SAMPLES, "--to", "parquet"], "parquet makes several files; for one recording there are ctm, docx"),
        ([SAMPLES, "--language", "de"], "transcribe.model base.en knows English only"),
        ([SAMPLES, "--model", "tiny.enn"], "no model is called 'tiny.enn'; did you mean tiny.en?"),
        (
            [SAMPLES, "--speakers", "--set", "diarize.embedding=camp"],
            "no model is called 'camp'; did you mean campplus?",
        ),
        ([SAMPLES, "--set", "transcribe.modl=x"], "there is no setting transcribe.modl"),
    ],
)
def test_what_cannot_be_is_said_before_work_begins(tmp_path: Path, arguments: list[object], message: str) -> None:
    found = rostrum("transcribe", *arguments, cwd=tmp_path)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


def test_run_does_not_fetch_either(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from flows.cli import main; main()", "run", "https://example.org/talk.mp3"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert found.returncode == 2
    assert "https://example.org/talk.mp3: a URL, and rostrum fetches nothing" in found.stderr


def test_a_file_that_came_while_it_was_transcribed_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcribed(monkeypatch, "Hello.")
    recording, notes = write(tmp_path / "a.wav", sine(0.1)), tmp_path / "a.srt"
    transcription_of = transcription.transcribe_recording

    def slowly(*arguments: object) -> Transcription:
        notes.write_text("my own subtitles")
        return transcription_of(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("pipeline.export.transcripts.transcribe_recording", slowly)
    code, _, error = call(recording, "--to", "srt", "--out", tmp_path)
    assert (code, notes.read_text()) == (1, "my own subtitles")
    assert f"error: {notes}: exists already" in error


def test_a_link_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcribed(monkeypatch, "Hello.")
    recording = write(tmp_path / "a.wav", sine(0.1))
    (tmp_path / "a.srt").symlink_to(tmp_path / "elsewhere.srt")
    assert call(recording, "--to", "srt", "--out", tmp_path)[0] == 2
    assert not (tmp_path / "elsewhere.srt").exists()

"""The command `rostrum` as a user calls it."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.cli.lazy import FoundCommands
from pipeline.corpus import open_corpus
from pipeline.records import Motion, Speech
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from tests.command import rostrum
from tests.sounds import SAMPLES, write_speech
from tests.synthetic_run import MadeUp, write_run

ROOT = Path(__file__).parents[3]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        try:
            command = group.get_command(context, name)
        except ModuleNotFoundError as error:
            pytest.fail(f"rostrum {' '.join((*path, name))}: {error}")
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def test_every_command_and_every_option_says_what_it_does() -> None:
    for path, command in commands(main_group):
        assert command.help, f"rostrum {' '.join(path)} has no help"
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"rostrum {' '.join(path)} {parameter.opts[0]} has no help"


def test_help_is_sentences_in_the_words_of_the_docs() -> None:
    for path, command in commands(main_group):
        for text in (command.help, *(option.help for option in command.params if isinstance(option, click.Option))):
            assert text
            assert text.split("\b")[0].strip()[-1] in ".:)", f"rostrum {' '.join(path)}: {text}"
            assert not re.search(r"\bknobs?\b|\ba (run|speech|text|line) a \w+|: by words|\btold\b", text), text


def documentation() -> str:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return "\n".join(page.read_text("utf-8") for page in pages)


def test_every_command_is_in_the_documentation() -> None:
    text = documentation()
    missing = [" ".join(path) for path, _ in commands(main_group) if f"rostrum {' '.join(path)}" not in text]
    assert missing == []


def test_every_option_is_in_the_documentation() -> None:
    known = set(re.findall(r"--[a-z][a-z-]*", documentation()))
    for path, command in commands(main_group):
        options = [each for each in command.params if isinstance(each, click.Option)]
        missing = [each.opts for each in options if not known & {*each.opts, *each.secondary_opts}]
        assert missing == [], f"rostrum {' '.join(path)}"


def test_the_list_of_commands_says_what_each_does() -> None:
    for group in [main_group, *(command for _, command in commands(main_group) if isinstance(command, FoundCommands))]:
        assert isinstance(group, FoundCommands)
        assert all(text.endswith((".", ")")) for text in group.summaries().values())


def test_help_waits_for_nothing() -> None:
    """What takes long to import is not imported for it."""
    code = (
        "import sys\nfrom flows.cli import main\nsys.argv = ['rostrum', *sys.argv[1:], '--help']\n"
        "try:\n    main()\nfinally:\n"
        "    loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "    print(sorted(loaded & {'torch', 'prefect', 'numpy', 'whisper', 'scipy', 'pandas', 'transformers'}))"
    )
    for command in ([], ["run"], ["show"]):
        found = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
        assert found.stdout.splitlines()[-1] == "[]", command
        assert "Usage:" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--help"], 0, ""),
        (["--version"], 0, ""),
        (["rum"], 2, "no command 'rum'; did you mean run?"),
        (["run"], 2, "Missing argument 'FOLDER'"),
        (["run", "missing"], 2, "error: missing: no such file or folder"),
        (["run", "."], 2, "error: .: no recordings in it: it is empty"),
        (["run", ".", "--stages", "listen"], 2, "error: "),
        (["run", ".", "--set", "a.b=1"], 2, "there is no setting a.b"),
        (["check", "missing"], 2, "error: missing: no such file or folder"),
        (["check", "."], 1, ""),
        (["init", "."], 2, "error: .: no recordings in it: it is empty"),
        (["show", "."], 2, "not a run: it has no run.json"),
        (["import", "other", "a", "b"], 2, "'other' is not 'ibm-debates'"),
        (["import", "ibm-debates", "missing", "new"], 2, "error: missing: no speeches named"),
        (["settings", "--set", "score.normaliser=x"], 2, 'score.normaliser cannot be "x"'),
    ],
)
def test_exit_codes_and_one_line_errors(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "empty").mkdir()
    found = rostrum(*arguments, cwd=tmp_path / "empty")
    assert found.exit_code == code, found.stderr
    assert message in found.stderr
    assert "Traceback" not in found.stderr
    if code == 2:
        assert found.stdout == "", "results only on stdout"
        assert found.stderr.startswith("Usage:") or found.stderr.count("\n") == 1


def test_settings_as_json() -> None:
    found = CliRunner().invoke(main_group, ["settings", "--json", "--set", "score.normaliser=plain"])
    rows = {row["setting"]: row for row in json.loads(found.stdout)}
    assert rows["score.normaliser"]["value"] == "plain"
    assert rows["score.normaliser"]["from"] == "--set score.normaliser=plain"
    assert rows["transcribe.model"]["from"] == "default"


def test_check_says_what_is_there_and_what_is_wrong(tmp_path: Path) -> None:
    found = CliRunner().invoke(main_group, ["check", str(SAMPLES)])
    assert found.exit_code == 0
    assert found.stdout.startswith("12 recordings (12 with audio, 12 with a reference), 3 motions, ")
    (tmp_path / "motions.csv").write_text("id,text\n1,\n")
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stdout.splitlines()[1] == "motions.csv:2:text: must not be empty"


def test_check_says_what_each_stage_lacks_and_what_mends_it(tmp_path: Path) -> None:
    for name in ("schools_pro_anna.wav", "schools_con_ben.wav"):
        write_speech(tmp_path / name, seconds=0.5)
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 0
    lines = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert "prosody 2 of 2 recordings" in lines
    assert "score 0 of 2 recordings no reference transcript" in lines
    assert any(
        line.startswith("no reference transcript (2 recordings: schools_con_ben, schools_pro_anna): write")
        for line in lines
    )
    assert "counter 0 of 0 motions no motion" in lines


def test_check_names_the_models_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_speech(tmp_path / "talk.wav", seconds=0.5)
    for variable in ("ROSTRUM_MODELS", "XDG_CACHE_HOME", "HF_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 0
    line = "model: base.en is not on this machine; get it with: rostrum models fetch base.en"
    assert found.stdout.splitlines().count(line) == 1


def test_check_of_a_folder_without_recordings_is_not_content(tmp_path: Path) -> None:
    (tmp_path / "notes.doc").write_text("")
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stdout.splitlines()[-1].startswith(f"{tmp_path}: no recordings in it: 1 file, none ends in .wav")


def test_init_then_check(tmp_path: Path) -> None:
    for name in ("schools_pro_anna.wav", "schools_con_ben.wav"):
        write_speech(tmp_path / name, seconds=0.5)
    found = CliRunner().invoke(main_group, ["init", str(tmp_path)])
    assert found.exit_code == 0
    assert found.stdout.splitlines() == [f"{tmp_path}/{name}.csv: {rows}" for name, rows in (
        ("speeches", "2 rows"), ("motions", "1 row"), ("arguments", "0 rows"),
    )]  # fmt: skip
    assert "2 with a motion, 2 with a stance, 2 with a speaker" in found.stderr
    write_speech(tmp_path / "late.wav", seconds=0.5)
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 0
    assert "note: speeches.csv: late.wav is not listed, so it is left out" in found.stdout
    assert "note: motions.csv:text: 'Schools' is not a motion yet" in found.stdout
    found = CliRunner().invoke(main_group, ["init", str(tmp_path)])
    assert found.exit_code == 0
    assert found.stdout.count("exists already, left as it is") == 3


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one speech by the stages that need no weights."""
    folder, out = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("run")
    write_speech(folder / "one.wav")
    corpus, store = open_corpus(folder), Store(out)
    settings = Settings(diarize={"mode": "vad"})  # type: ignore[arg-type]
    execute(plan_run(corpus, store, settings, ["diarize"]))
    return out


def test_show_a_run_a_speech_and_a_stage(run: Path) -> None:
    for arguments, text in (([], "one"), (["one"], "diarize"), (["one", "ingest"], "sha256")):
        found = CliRunner().invoke(main_group, ["show", str(run), *arguments], catch_exceptions=False)
        assert found.exit_code == 0
        assert text in found.stdout


def test_show_as_json_is_what_is_stored(run: Path) -> None:
    found = CliRunner().invoke(main_group, ["show", str(run), "one", "diarize", "--json"])
    assert json.loads(found.stdout) == json.loads((run / "one" / "diarize.json").read_text())
    assert json.loads(found.stdout)["data"]["method"] == "voice activity"
    found = CliRunner().invoke(main_group, ["show", str(run), "--json"])
    assert json.loads(found.stdout)["items"][0]["id"] == "one"


def test_what_can_be_read_is_shown_beside_what_cannot(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    (copy / "one" / "ingest.json").write_text("{")
    found = rostrum("show", str(copy), "one")
    assert found.exit_code == 1
    assert "diarize" in found.stdout
    (line,) = found.stderr.splitlines()
    assert "ingest.json" in line
    assert line.startswith("unreadable: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["two"], "there is no speech or motion 'two' in it"),
        (["one", "listen"], "there is no stage 'listen'"),
        (["one", "score"], "score has no result for one; `rostrum show"),
        (["one", "keypoints"], "keypoints has no result for one; it works on motions: `rostrum show"),
    ],
)
def test_show_what_is_not_there(run: Path, arguments: list[str], message: str) -> None:
    found = rostrum("show", str(run), *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr


def test_a_recording_and_a_motion_of_one_name_are_both_shown(tmp_path: Path) -> None:
    """A written debate has the name of its file, and so has its motion."""
    speech = Speech(id="zoos", motion="zoos", stance="pro", speakers=("Ann",))
    made = MadeUp((Motion(id="zoos", text="Zoos should close."),), [speech], seconds=4.0)
    store = write_run(tmp_path / "run", made)
    found = rostrum("show", store.root, "zoos")
    assert found.exit_code == 0
    assert found.stdout.index("transcribe") < found.stdout.index("keypoints")
    assert set(json.loads(rostrum("show", store.root, "zoos", "--json").stdout)) > {"transcribe", "keypoints"}
    for stage in ("transcribe", "keypoints"):
        shown = json.loads(rostrum("show", store.root, "zoos", stage, "--json").stdout)
        assert shown["stage"] == stage


# A command that does one thing.
PROGRAM = """
import click
from pipeline.cli.lazy import run_command

@click.group(invoke_without_command=True)
def command():
    {}

run_command(command)
"""


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("ZeroDivisionError('division by zero')", "a mistake in rostrum or in a library, not in your files"),
        ("OSError(28, 'No space left on device', 'a.csv')", "a.csv: No space left on device"),
        ("MemoryError()", "there is not enough memory"),
    ],
)
def test_an_error_that_nobody_foresaw_is_one_line(raised: str, told: str) -> None:
    code = PROGRAM.format(f"raise {raised}")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr.startswith(f"error: {told}")
    assert found.stderr.count("\n") == 1


def test_a_reader_that_has_read_enough(tmp_path: Path) -> None:
    (tmp_path / "much.py").write_text(PROGRAM.format("[click.echo('line') for _ in range(100_000)]"))
    command = f'"{sys.executable}" "{tmp_path}/much.py" 2>"{tmp_path}/told" | head -1'
    found = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert found.stdout == "line\n"
    assert (tmp_path / "told").read_text() == ""


@pytest.mark.parametrize("command", [["export", "--format", "srt"], ["report"], ["compare"]])
def test_a_url_is_no_folder_to_write_to(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main_group, [*command, str(tmp_path), "--to", "s3://key:secret@bucket/pages"])
    assert found.exit_code == 1
    assert "--to s3://...@bucket/pages: a URL; name a folder of this machine" in f"{found.output}{found.exception}"
    assert not list(tmp_path.iterdir())


def test_check_finds_an_empty_recording(tmp_path: Path) -> None:
    write_speech(tmp_path / "good.wav")
    (tmp_path / "empty.wav").touch()
    found = CliRunner().invoke(main_group, ["check", str(tmp_path)])
    assert found.exit_code == 1
    assert "empty.wav: is empty (0 bytes); copy the recording again" in found.output


def test_a_folder_with_a_space_is_quoted_in_the_next_command(tmp_path: Path) -> None:
    write_speech(tmp_path / "my talks" / "one.wav")
    found = CliRunner().invoke(main_group, ["init", str(tmp_path / "my talks")])
    assert f"run `rostrum check '{tmp_path}/my talks'`" in found.stderr

"""Commands import only what they need, and end with the right exit code."""

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pipeline.cli.lazy import run_command
from pipeline.errors import RostrumError
from pipeline.evaluation import evaluations, trainings
from tests.sounds import SPEECH

# Packages that take long to import. `rostrum --help` and what only lists something need none of them.
HEAVY = {
    *("torch", "torchaudio", "numba", "pandas", "sklearn", "nltk", "spacy", "transformers", "whisper", "networkx"),
    *(
        "scipy.optimize",
        "scipy.sparse",
        "scipy.special",
        "scipy.stats",
        "matplotlib",
        "prefect",
        "pyarrow",
        "datasets",
        "jinja2",
        "fsspec",
    ),
}
LISTS = """
import sys
sys.argv = ["rostrum", *sys.argv[1:]]
from flows.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "run --help",
        "evaluate --help",
        "evaluate keypoints --help",
        "evaluate counter --help",
        "train --help",
        "export --help",
        "annotate --help",
        "models --help",
        "models",
        "transcribe --help",
        "check .",
    ],
)
def test_a_command_that_computes_nothing_imports_nothing_heavy(arguments: str, tmp_path: Path) -> None:
    shutil.copy(SPEECH, tmp_path)
    command = [sys.executable, "-c", LISTS, *arguments.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(done.stderr.splitlines()[-1].split())


def test_help_of_no_evaluation_and_no_training_waits_for_torch() -> None:
    modules = [
        f"{room.package}.{room.prefix}{name.replace('-', '_')}"
        for members in (evaluations(), trainings())
        for name, room in members.items()
    ]
    program = f"import sys\nfor name in {modules}: __import__(name)\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


@click.group()
def group() -> None:
    pass


@group.command()
def works() -> None:
    pass


@group.command()
@click.pass_context
def fails(context: click.Context) -> None:
    context.exit(1)


@group.command()
def refuses() -> None:
    raise RostrumError("a.wav: is no recording")


@pytest.mark.parametrize(("command", "code"), [("works", 0), ("fails", 1), ("refuses", 2), ("--help", 0), ("typo", 2)])
def test_a_program_ends_with_the_code_of_its_command(
    command: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rostrum", command])
    with pytest.raises(SystemExit) as ended:
        run_command(group)
    assert ended.value.code == code
    assert "Traceback" not in capsys.readouterr().err

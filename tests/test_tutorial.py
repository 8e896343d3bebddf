"""docs/tutorial.md, done as a reader would: its commands, its rows in the manifests, and the output that it promises.

The recordings are shortened. Numbers are therefore not compared, and a run is carried out without a server.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import rostrum
from flows.command import print_summary
from pipeline.cli import main_group
from pipeline.run.store import Store
from tests.models import needs
from tests.sounds import SAMPLES, write

DOCUMENT = Path(__file__).parents[1] / "docs" / "tutorial.md"
SECONDS = 6.0
LEFT_OUT = "[...]"


class Step(NamedTuple):
    """A command of the page and the output that stands below it."""

    command: str
    output: str


def steps(text: str) -> Iterator[Step | str]:
    """The commands, and between them the rows for manifests, in the order of the page."""
    for kind, block in re.findall(r"```(console|csv)\n(.*?)```", text, re.S):
        if kind == "csv":
            yield block
        else:
            for command, output in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                yield Step(command, output)


def is_as_promised(promised: str, printed: str) -> bool:
    """Whether the output is what the page says, but for numbers, spaces and what it leaves out."""

    def plain(text: str) -> str:
        return " ".join(re.sub(r"\d+(\.\d+)?", "#", text).split())

    pattern = ".*".join(re.escape(plain(part)) for part in promised.split(LEFT_OUT))
    return re.fullmatch(f"{pattern}.*", plain(printed)) is not None


def done(command: str, out: "pytest.CaptureFixture[str]") -> str:
    """What the command prints."""
    program, *arguments = shlex.split(command)
    assert program == "rostrum"
    if arguments[0] == "run":
        summary = rostrum.run(arguments[1])
        print_summary(summary, Store(f"runs/{arguments[1]}"), None)
        return out.readouterr().out
    found = CliRunner().invoke(main_group, arguments, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    # What a slow machine says of its progress is not on the page.
    return "".join(line for line in found.output.splitlines(keepends=True) if not re.match(r"\w+: \d+%, ", line))


def add_rows(manifest: Path, rows: str) -> None:
    """Change the row of the motion, or add those of the arguments, and what was said in a speech."""
    lines = manifest.read_text().splitlines()
    if manifest.name == "motions.csv":
        lines.pop()
    else:
        (manifest.parent / "schools_con_ruth.txt").write_text("Anna gave us three reasons tonight.")
    manifest.write_text("\n".join([*lines, rows]))


@needs("base.en", "all-MiniLM-L6-v2", "bge-small-en-v1.5-int8", "glove-6B-50d", "en_core_web_sm")
def test_every_step_gives_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import soundfile

    recordings = tmp_path / "recordings"
    for name in ("schools_con_ruth", "schools_pro_anna"):
        samples, rate = soundfile.read(SAMPLES / f"{name}.ogg", dtype="float32")
        write(recordings / f"{name}.ogg", samples[: round(SECONDS * rate)], rate)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROSTRUM_TRANSCRIPTS", str(tmp_path / "transcripts"))
    manifests = iter(("motions.csv", "arguments.csv"))
    for step in steps(DOCUMENT.read_text("utf-8")):
        if isinstance(step, str):
            add_rows(recordings / next(manifests), step)
            continue
        printed = done(step.command, capsys)
        assert is_as_promised(step.output, printed), f"{step.command} printed:\n{printed}"
    assert next(manifests, None) is None

"""`.ci/train`, which trains everything that ships: its commands exist, and it makes every file of weights."""

import re
import shlex
from pathlib import Path

import pytest

from pipeline.cli.evaluate import train

ROOT = Path(__file__).parents[1]
SCRIPT = (ROOT / ".ci" / "train").read_text("utf-8").replace("\\\n", " ")
COMMANDS = [line.strip() for line in SCRIPT.splitlines() if line.strip().startswith("rostrum ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_parses(command: str, tmp_path: Path) -> None:
    program, group, name, *options = shlex.split(command)
    assert (program, group) == ("rostrum", "train")
    found = train.get_command(None, name)
    filled = [re.sub(r"\$data(/\w[\w-]*)?", str(tmp_path), each) for each in options]
    assert found is not None
    assert found.make_context(name, filled).params["data"] == tmp_path


def test_it_makes_every_file_of_weights() -> None:
    shipped = [path for path in ROOT.glob("pipeline/**/*") if path.suffix in (".safetensors", ".npz")]
    assert shipped
    assert [path.name for path in shipped if path.relative_to(ROOT).as_posix() not in SCRIPT] == []

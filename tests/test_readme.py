"""Every command of the README runs, in the order in which a reader would type it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
# The set-up is what .ci/run does before it comes to the tests.
COMMANDS = [
    line
    for block in re.findall(r"```bash\n(.*?)```", README.partition("## One recording")[2], re.S)
    for line in block.splitlines()
]


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a cache of transcripts that all commands share."""
    return {"ROSTRUM_TRANSCRIPTS": str(tmp_path_factory.mktemp("transcripts"))}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme(command: str, own_home: dict[str, str], transcripts: dict[str, str]) -> None:
    if not (ROOT / "runs" / "audio_samples" / "run.json").exists():
        pytest.skip("the samples have not been processed: rostrum run audio_samples")
    program, *arguments = shlex.split(command)
    assert program == "rostrum"
    done = subprocess.run(
        [sys.executable, "-m", "flows", *arguments],
        cwd=ROOT,
        env=own_home | transcripts,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []

"""Kill a run at random moments, go on with it, and compare what it leaves with what an undisturbed run leaves.

    python benchmarks/kill_and_resume.py audio_samples [--kills 10] [--stages ingest,diarize] [--set diarize.mode=vad]

Every artifact must be the same byte for byte, but for when it was made and how long that took. Ends with 1 where one is
not. Uses the Prefect server of PREFECT_API_URL, or servers of its own in a temporary PREFECT_HOME.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

# Lines of an artifact that tell the time; its stage's settings and data are indented deeper.
# What a run writes of itself: its times, and the stamps of its files.
RECORDS = {"run.json", ".checked.json"}
TIMES = re.compile(rb'^ "(created|seconds)": .*$', re.MULTILINE)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--kills", default=10, show_default=True, help="How many runs to kill.")
@click.option("--stages", default="ingest,diarize", show_default=True, help="The stages to run; empty for all.")
@click.option(
    "--set", "assignments", multiple=True, default=["diarize.mode=vad"], help="Settings, as of `rostrum run`."
)
@click.option("--seed", default=0, help="Decides the moments.")
def main(folder: Path, kills: int, stages: str, assignments: tuple[str, ...], seed: int) -> None:
    """Kill runs over FOLDER, and compare."""
    options = [*(["--stages", stages] if stages else []), *(part for each in assignments for part in ("--set", each))]
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        os.environ.setdefault("PREFECT_HOME", f"{place}/prefect")
        command = [sys.executable, "-c", "from flows.cli import main; main()", "run", str(folder.absolute())]
        command += ["--no-report", *options]
        if code := _start(command, Path(place, "undisturbed")).wait():
            raise click.ClickException(f"the undisturbed run ended with {code}")
        expected = artifacts(Path(place, "undisturbed"))
        click.echo(f"undisturbed: {len(expected)} files")
        same = [
            _killed(command, Path(place, f"killed{index}"), moments.uniform(0, len(expected) - 1), expected)
            for index in range(kills)
        ]
    click.echo(f"{sum(same)} of {kills} killed runs end with the same artifacts")
    sys.exit(0 if all(same) else 1)


def artifacts(run: Path) -> dict[str, bytes]:
    """Every file of a run's speeches and motions, without the times."""
    files = (path for path in run.rglob("*") if path.is_file() and path.name not in RECORDS)
    return {
        str(path.relative_to(run)): TIMES.sub(b"", path.read_bytes()) if path.suffix == ".json" else path.read_bytes()
        for path in files
        if not path.is_relative_to(run / ".tmp")
    }


def _killed(command: list[str], out: Path, moment: float, expected: dict[str, bytes]) -> bool:
    """Whether a run that is killed then, and gone on with, leaves what is expected.

    The moment is a number of files, and the share of a second after the last of them.
    """
    run = _start(command, out)
    while run.poll() is None and _files(out) < int(moment):
        time.sleep(0.01)
    time.sleep(moment % 1)
    run.kill()
    run.wait()
    left = artifacts(out) if out.exists() else {}
    wrong = [name for name, content in left.items() if content != expected.get(name)]
    code = _start(command, out).wait()
    found = artifacts(out)
    wrong += [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
    click.echo(
        f"killed with {len(left)} of {len(expected)} files there; "
        f"gone on with: exit code {code}, {len(wrong)} files differ {' '.join(sorted(set(wrong)))}".rstrip()
    )
    return code == 0 and not wrong


def _files(run: Path) -> int:
    return sum(1 for path in run.rglob("*") if path.is_file() and path.name not in RECORDS)


def _start(command: list[str], out: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*command, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[1],
    )


if __name__ == "__main__":
    main()

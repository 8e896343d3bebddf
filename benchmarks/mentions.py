"""How long finding mentions takes, from transcripts to decisions: the first time, the second, with another setting.

    OMP_NUM_THREADS=1 python benchmarks/mentions.py --data DIR

DIR is IBM's Recorded Debating Dataset. Its speeches come with transcripts, so nothing is recognised here. The first run
finds no vectors of earlier ones: it has a model cache of its own, which links to the weights of the user's.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.models.finding import cache_folder

STAGES = "transcribe,segment,mentions"


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
def main(data: Path) -> None:
    """Time `rostrum run` on the speeches of DIR and all arguments on their motions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "ROSTRUM_MODELS": str(_models(folder / "models"))}
        corpus, out = folder / "corpus", folder / "run"
        _rostrum(environment, "import", "ibm-debates", str(data), str(corpus))
        run = ["run", str(corpus), "--out", str(out), "--stages", STAGES]
        rows = [
            {"run": "first", **_rostrum(environment, *run)},
            {"run": "second", **_rostrum(environment, *run)},
            {"run": "threshold changed", **_rostrum(environment, *run, "--set", "mentions.threshold=0.3")},
        ]
        found = open_corpus(corpus)
        pairs = sum(len(each.items) for e in found.entries if (each := found.arguments_on(e.speech.motion)))
        print_rows(f"{len(found.entries)} speeches, {pairs} pairs of a speech and an argument", rows)


def _models(folder: Path) -> Path:
    """A model cache with the weights of the user's, and without the vectors that are kept there."""
    folder.mkdir()
    for path in cache_folder().iterdir():
        if path.name not in ("vectors", "mentions"):
            (folder / path.name).symlink_to(path)
    return folder


def _rostrum(environment: dict[str, str], *arguments: str) -> dict[str, float]:
    """Seconds by the clock, and of processors. The first are comparable only on an idle machine."""
    started, before = time.perf_counter(), os.times()
    command = [str(Path(sys.executable).with_name("rostrum")), *arguments]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    processors = after.children_user - before.children_user + after.children_system - before.children_system
    return {"seconds": time.perf_counter() - started, "processor_seconds": processors}


if __name__ == "__main__":
    main()

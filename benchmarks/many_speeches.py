"""What many speeches on one motion cost: who answers whom, and key points. Checkouts are compared in alternation.

    OMP_NUM_THREADS=1 python benchmarks/many_speeches.py --data DIR [--speeches 60] [--checkout DIR]... [--rounds 3]

DIR is IBM's Recorded Debating Dataset. Its transcripts by people are laid out as speeches on one motion, half of them
for it; what they are about does not matter for time. Every step is a process of its own, with a model cache that links
to the weights of the user's and has no vectors of earlier runs. `digest` is that of what the stage found.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.models.finding import cache_folder

ROOT = Path(__file__).parents[1]
STAGES = ("segment", "counter", "keypoints")
MOTION = "m"


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--speeches", default=60, show_default=True)
@click.option("--checkout", "checkouts", multiple=True, type=click.Path(exists=True, path_type=Path), default=(ROOT,))
@click.option("--rounds", default=1, show_default=True)
def main(data: Path, speeches: int, checkouts: Sequence[Path], rounds: int) -> None:
    """Print a row per checkout and stage: the median of the rounds."""
    found: dict[tuple[Path, str], list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name, "corpus")
        write_corpus(data, corpus, speeches)
        for number in range(rounds):
            for place, checkout in enumerate(checkouts):
                for stage, measured in _run(checkout, corpus, Path(name, f"{number}-{place}")):
                    found.setdefault((checkout, stage), []).append(measured)
                    click.echo({"checkout": checkout.name, "stage": stage, **measured}, err=True)
    rows = [
        {
            "checkout": str(checkout),
            "stage": stage,
            "processor_seconds": median(one["processor_seconds"] for one in rounds_of),
            "megabytes": max(one["megabytes"] for one in rounds_of),
            "digest": rounds_of[0]["digest"],
        }
        for (checkout, stage), rounds_of in found.items()
    ]
    print_rows(f"{speeches} speeches on one motion", rows)


def write_corpus(data: Path, folder: Path, count: int) -> None:
    """So many of the data's speeches as texts on one motion, half of them for it."""
    sides: dict[str | None, list[Path]] = {"pro": [], "con": []}
    for entry in open_corpus(data).entries:
        if entry.reference:
            sides[entry.speech.stance].append(entry.reference)
    folder.mkdir()
    rows = ["id,motion,stance,speaker,reference"]
    for stance, references in sides.items():
        for number, reference in enumerate(sorted(references)[: count // 2]):
            id = f"{stance}{number:03d}"
            (folder / f"{id}{reference.suffix}").write_bytes(reference.read_bytes())
            rows.append(f"{id},{MOTION},{stance},Speaker {id},{id}{reference.suffix}")
    (folder / "speeches.csv").write_text("\n".join(rows))
    (folder / "motions.csv").write_text(f"id,text\n{MOTION},We should ban all of this.\n")


def _run(checkout: Path, corpus: Path, place: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each stage with what it cost."""
    models = place / "models"
    models.mkdir(parents=True)
    for path in cache_folder().iterdir():
        if path.name not in ("vectors", "mentions"):
            (models / path.name).symlink_to(path)
    # a checkout may have its own environment; what is installed there is not looked at
    environment = {**os.environ, "ROSTRUM_MODELS": str(models), "PYTHONPATH": str(checkout)}
    for stage in STAGES:
        settings = {"transcribe.text": "reference", "keypoints.writer": "sentences"}
        code = f"import rostrum; rostrum.run({str(corpus)!r}, {str(place / 'run')!r}, [{stage!r}], {settings!r})"
        process = subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=checkout)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise click.ClickException(f"{checkout}: {stage} failed")
        seconds = round(usage.ru_utime + usage.ru_stime, 1)
        yield (
            stage,
            {"processor_seconds": seconds, "megabytes": usage.ru_maxrss // 1024, "digest": _digest(place, stage)},
        )


def _digest(place: Path, stage: str) -> str | None:
    files = list((place / "run" / "_motions").glob(f"*/{stage}.json"))
    if not files:
        return None
    return hashlib.sha256(json.dumps(json.loads(files[0].read_text())["data"]).encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()

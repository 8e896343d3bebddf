"""What many speeches on one motion cost: who answers whom, and key points. Checkouts are compared in alternation.

    OMP_NUM_THREADS=1 python benchmarks/many_speeches.py --data DIR [--speeches 60] [--checkout DIR]... [--rounds 1]

DIR is IBM's Recorded Debating Dataset. Its transcripts by people are taken for speeches on one motion, half of them for
it; what they are about does not matter for time. Each stage is a process of its own, with its imports, and with a model
cache that links to the weights of the user's and has no vectors of earlier runs (`--keep-vectors`: the user's cache as
it is). `digest` is that of what the stage found.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.formats import read_spoken
from pipeline.models.finding import cache_folder
from pipeline.records import ReferenceTranscript
from pipeline.segment.stage import SegmentSettings, segment
from pipeline.transcribe.stage import TranscribeSettings, transcribe

ROOT = Path(__file__).parents[1]
# Runs in each checkout: it uses only what has been there for long.
_STAGE = """
import time
begun = time.monotonic()
import importlib, json, resource, sys
from pipeline.records import Motion, Speech, Speeches
from pipeline.segment import Sentences

module, settings, given = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
stage = importlib.import_module(f"pipeline.{module}.stage")
known = Sentences.model_fields
sentences = {
    id: Sentences.model_validate({name: value for name, value in said.items() if name in known})
    for id, (_, said) in given.items()
}
speeches = [Speech(id=id, motion="m", stance=side, speakers=(f"Speaker {id}",)) for id, (side, _) in given.items()]
motion = Motion(id="m", text="We should ban all of this.")
wanted = {"writer": "sentences"} if "writer" in getattr(stage, settings).model_fields else {}
chosen = getattr(stage, settings)(**wanted)
found = getattr(stage, module)(motion, Speeches(items=tuple(speeches)), sentences, settings=chosen)
used = resource.getrusage(resource.RUSAGE_SELF)
seconds = round(used.ru_utime + used.ru_stime, 1)
measured = {"seconds": round(time.monotonic() - begun, 1), "processor_seconds": seconds}
print(json.dumps({**measured, "megabytes": used.ru_maxrss // 1024, "digest": found.digest()[:12]}))
"""
STAGES = {"counter": "CounterSettings", "keypoints": "KeypointsSettings"}


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--speeches", default=60, show_default=True)
@click.option("--stage", "stages", multiple=True, type=click.Choice(list(STAGES)), default=tuple(STAGES))
@click.option("--checkout", "checkouts", multiple=True, type=click.Path(exists=True, path_type=Path), default=(ROOT,))
@click.option("--rounds", default=1, show_default=True)
@click.option("--keep-vectors", is_flag=True, help="Use vectors of sentences that were embedded before.")
def main(
    data: Path, speeches: int, stages: Sequence[str], checkouts: Sequence[Path], rounds: int, keep_vectors: bool
) -> None:
    """Print a row per stage and checkout: the median of the rounds."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        given = Path(name, "speeches.json")
        given.write_text(json.dumps(dict(_speeches(data, speeches))))
        for stage in stages:
            runs = [
                (checkout, _run(checkout, stage, given, keep_vectors)) for _ in range(rounds) for checkout in checkouts
            ]
            for checkout in checkouts:
                own = [measured for of, measured in runs if of == checkout]
                medians = {name: median(one[name] for one in own) for name in ("seconds", "processor_seconds")}
                rows.append({"stage": stage, "checkout": str(checkout), **own[0], **medians})
    print_rows(f"{speeches} speeches on one motion", rows)


def _speeches(data: Path, count: int) -> dict[str, tuple[str, Any]]:
    """So many speeches with side and sentences, by id; half of them are for the motion."""
    sides: dict[str, list[Path]] = {"pro": [], "con": []}
    for entry in open_corpus(data).entries:
        if entry.reference and entry.speech.stance:
            sides[entry.speech.stance].append(entry.reference)
    settings = TranscribeSettings(text="reference")
    found = {}
    for side, references in sides.items():
        for number, file in enumerate(sorted(references)[: count // 2]):
            reference = ReferenceTranscript(text=read_spoken(file))
            transcript = transcribe(None, None, None, None, reference, settings=settings)
            sentences = segment(transcript, settings=SegmentSettings())
            found[f"{side}{number:03d}"] = side, sentences.model_dump(mode="json", exclude_defaults=True)
    return found


def _run(checkout: Path, stage: str, given: Path, keep_vectors: bool) -> dict[str, Any]:
    """What a stage cost in a checkout."""
    with tempfile.TemporaryDirectory() as models:
        for path in cache_folder().iterdir():
            if keep_vectors or path.name not in ("vectors", "mentions"):
                Path(models, path.name).symlink_to(path)
        # what is installed may be of another checkout
        environment = {**os.environ, "ROSTRUM_MODELS": models, "PYTHONPATH": str(checkout)}
        command = [sys.executable, "-c", _STAGE, stage, STAGES[stage], str(given)]
        done = subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True, text=True)
        measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        click.echo({"stage": stage, "checkout": checkout.name, **measured}, err=True)
        return measured


if __name__ == "__main__":
    main()

"""Recognition alone, with loaded models: rostrum's recogniser beside faster-whisper, batched and plain.

    python benchmarks/recognition.py FOLDER [--model tiny.en] [--corpus audio_samples] [--peers PYTHON]

FOLDER is that model as faster-whisper reads it, with its tokenizer.json. PYTHON is an interpreter that has
faster-whisper. Both transcribe the same files with word times, beam 5 and int8, on all cores. rostrum's recogniser
takes as many speeches at once as a run does, and is given the speech that voice activity has found; faster-whisper
finds it itself. Run it on an idle machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

import rostrum
from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.diarize.stage import Turns
from pipeline.ingest.stage import Recording
from pipeline.run.finished import FinishedRun
from pipeline.system.environment import jobs_at_once
from pipeline.transcribe.engines import ctranslate2
from pipeline.transcribe.stage import TranscribeSettings

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

PEERS = Path(__file__).with_name("peers.py")


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--model", default="tiny.en", show_default=True, help="The same weights, as rostrum knows them.")
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path), default="audio_samples")
@click.option("--peers", default=sys.executable, help="A Python with faster-whisper.")
def main(folder: Path, model: str, corpus: Path, peers: str) -> None:
    """Print the table."""
    rows = [_peer(name, folder, corpus, peers) for name in ("faster-whisper batched", "faster-whisper")]
    rows += _rostrum(corpus, model)
    first = rows[0]["seconds"]
    print_rows(model, [{**row, "of batched": row["seconds"] / first} for row in rows], decimals=2)


def _rostrum(corpus: Path, model: str) -> list[dict[str, Any]]:
    """The rows of one speech at a time, and of as many as a run takes at once."""
    recogniser = ctranslate2.load(TranscribeSettings(model=model, engine="ctranslate2"))
    with tempfile.TemporaryDirectory() as place:
        rostrum.run(corpus, Path(place, "run"), stages=["diarize"])
        run = FinishedRun(f"{place}/run")
        heard = [(run.of_speech(Recording, each.id), run.of_speech(Turns, each.id)) for each in run.recordings]
        jobs = [(recording, turns) for recording, turns in heard if recording and turns]

        def transcribe(job: tuple[Recording, Turns]) -> None:
            recording, turns = job
            recogniser.transcribe(recording.samples, [(turn.start, turn.end) for turn in turns.exclusive], None)

        rows = []
        for count in sorted({1, jobs_at_once()}):
            with ThreadPoolExecutor(count) as threads:
                rows.append(_timed(f"rostrum, {count} at once", lambda pool=threads: list(pool.map(transcribe, jobs))))
        return rows


def _timed(name: str, work: Callable[[], Any]) -> dict[str, Any]:
    began, cpu = time.perf_counter(), time.process_time()
    work()
    return {"system": name, "seconds": time.perf_counter() - began, "CPU s": time.process_time() - cpu}


def _peer(name: str, folder: Path, corpus: Path, python: str) -> dict[str, Any]:
    files = [str(entry.audio) for entry in open_corpus(corpus).entries if entry.audio]
    with tempfile.TemporaryDirectory() as place:
        command = [python, str(PEERS), name, str(folder), f"{place}/texts.json", *files]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {"system": name, **json.loads(done.stdout.splitlines()[-1])}


if __name__ == "__main__":
    main()

"""The recogniser openai beside the `whisper` command line, file by file: the same weights, beam 5, word times.

    python benchmarks/per_file.py [--corpus audio_samples] [--model tiny.en] [--threads 2] [--repeats 1] [--only ID]...

Both are in this process, with loaded models, and take turns. `rostrum` is voice activity and the stage transcribe;
`whisper` is `whisper.transcribe` with the arguments that its command line gives it. Seconds are of the clock; CPU
seconds are less disturbed by other programs.
"""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.diarize.stage import DiarizeSettings
from pipeline.ingest.stage import IngestSettings, Recording
from pipeline.records import AudioFile
from pipeline.score.stage import word_errors
from pipeline.system.environment import prepare_environment
from pipeline.transcribe.stage import TranscribeSettings

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"


@click.command()
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path), default="audio_samples")
@click.option("--model", default="tiny.en", show_default=True, help="The Whisper weights that both use.")
@click.option("--threads", default=2, show_default=True, help="Threads of each.")
@click.option("--repeats", default=1, show_default=True, help="How often each system transcribes each file.")
@click.option("--only", multiple=True, help="Only these speeches.")
def main(corpus: Path, model: str, threads: int, repeats: int, only: tuple[str, ...]) -> None:
    """Print the table."""
    import torch

    from pipeline.corpus import open_corpus
    from pipeline.ingest.stage import ingest

    torch.set_num_threads(threads)
    systems = {"rostrum": _rostrum(model), "whisper": _whisper(model)}
    rows = []
    for entry in open_corpus(corpus).with_transcripts("reference"):
        if entry.audio and (not only or entry.speech.id in only):
            recording = ingest(AudioFile(path=entry.audio), settings=IngestSettings())
            rows.append({"speech": entry.speech.id, **_row(systems, recording, entry.text("reference"), repeats)})
            recording.audio.discard()
            click.echo(rows[-1], err=True)
    print_rows(f"{model}, {threads} threads", rows)


Transcribe = Callable[[Recording], str]


def _row(systems: dict[str, Transcribe], recording: Recording, reference: str, repeats: int) -> dict[str, Any]:
    """Seconds, CPU seconds and the word error rate of each system, and the ratio of their times."""
    found: dict[str, list[tuple[float, float, str]]] = {name: [] for name in systems}
    for _ in range(repeats):
        for name, transcribe in systems.items():
            clock, cpu = time.perf_counter(), time.process_time()
            text = transcribe(recording)
            found[name].append((time.perf_counter() - clock, time.process_time() - cpu, text))
    row: dict[str, Any] = {"length": round(recording.duration, 1)}
    medians = {}
    for name, results in found.items():
        medians[name] = [statistics.median(result[kind] for result in results) for kind in (0, 1)]
        errors = word_errors(reference, results[-1][2], "whisper").words
        row |= {f"{name} s": round(medians[name][0], 1), f"{name} CPU s": round(medians[name][1], 1)}
        row[f"{name} WER %"] = round(100 * (errors.rate or 0.0), 1)
    ours, theirs = medians["rostrum"], medians["whisper"]
    return row | {"ratio": round(ours[0] / theirs[0], 2), "CPU ratio": round(ours[1] / theirs[1], 2)}


def _rostrum(model: str) -> Transcribe:
    from pipeline.diarize.stage import diarize
    from pipeline.transcribe.stage import transcribe

    settings = TranscribeSettings(model=model, engine="openai")

    def text(recording: Recording) -> str:
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        transcript = transcribe(recording, turns, None, None, settings=settings)
        return " ".join(word.text for word in transcript.words)

    return text


def _whisper(model: str) -> Transcribe:
    import whisper

    from pipeline import models

    # not rostrum's loaded model, whose decoder computes for all beams what whisper computes for each
    weights = whisper.load_model(model, download_root=str(models.find(model).path))

    def text(recording: Recording) -> str:
        result = whisper.transcribe(
            weights,
            recording.samples(),
            language="en",
            temperature=tuple(np.arange(0, 1.0 + 1e-6, 0.2)),
            best_of=5,
            beam_size=5,
            word_timestamps=True,
            fp16=False,
        )
        return str(result["text"])

    return text


if __name__ == "__main__":
    prepare_environment()
    main()

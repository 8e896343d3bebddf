"""How close the recogniser ctranslate2 comes to the speed at which this machine can multiply.

    python benchmarks/limit.py [--corpus audio_samples] [--model base.en] [--only ID]...

Counts the multiply-adds of the encoder and the decoder for the windows and tokens of the recordings. Measures how many
of them a core does per second, in a matrix product of that size with 8-bit integers and with floats. The quotient is
the smallest possible number of CPU seconds. Beside it are the CPU seconds that transcribing took, with loaded models.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pipeline.cli.console import print_rows
from pipeline.diarize.stage import DiarizeSettings
from pipeline.ingest.stage import IngestSettings
from pipeline.records import AudioFile
from pipeline.system.environment import prepare_environment
from pipeline.transcribe.stage import TranscribeSettings

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

FRAMES = 1500
REPEATS = 30


def encoder_products(dims: Any) -> tuple[int, int]:
    """Multiply-adds of one window: of weights (8-bit integers), and of attention and convolutions (floats)."""
    state, layers = dims.n_audio_state, dims.n_audio_layer
    convolutions = 2 * FRAMES * 3 * dims.n_mels * state + FRAMES * 3 * state * state
    cross = dims.n_text_layer * 2 * state * state * FRAMES
    return layers * 12 * state * state * FRAMES + cross, layers * 2 * FRAMES * FRAMES * state + convolutions


def decoder_products(dims: Any) -> tuple[int, int]:
    """Multiply-adds of one token of one beam: of weights, and of attention to a whole window."""
    state, layers = dims.n_text_state, dims.n_text_layer
    return layers * 14 * state * state + state * dims.n_vocab, layers * 2 * FRAMES * state


@click.command()
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path), default="audio_samples")
@click.option("--model", default="base.en", show_default=True, help="A Whisper size.")
@click.option("--only", multiple=True, help="Only these speeches.")
def main(corpus: Path, model: str, only: tuple[str, ...]) -> None:
    """Print the table."""
    from whisper.tokenizer import get_tokenizer

    from pipeline.transcribe.engines.openai import load

    settings = TranscribeSettings(model=model, engine="ctranslate2")
    dims = load(TranscribeSettings(model=model, engine="openai")).weights.dims
    encode = get_tokenizer(not model.endswith(".en")).encode
    seconds, windows, tokens, length = 0.0, 0, 0, 0.0
    for name, cpu, duration, transcript in _transcribed(corpus, settings, only):
        click.echo(f"{name}: {cpu:.1f} CPU s", err=True)
        seconds, length, windows = seconds + cpu, length + duration, windows + len(transcript.segments)
        tokens += len(encode(" ".join(word.text for word in transcript.words))) + 3 * len(transcript.segments)
    searched = tokens * (settings.beam_size + 1)  # and once for the words' times
    encoder, decoder = encoder_products(dims), decoder_products(dims)
    by_weights = windows * encoder[0] + searched * decoder[0]
    by_floats = windows * encoder[1] + searched * decoder[1]
    integers, floats = _throughput()
    least = by_weights / integers + by_floats / floats
    row = {
        "model": model,
        "minutes": round(length / 60, 1),
        "windows": windows,
        "tokens": tokens,
        "G multiply-adds, encoder": round(windows * sum(encoder) / 1e9),
        "decoder": round(searched * sum(decoder) / 1e9),
        "G/s int8": round(integers / 1e9),
        "float": round(floats / 1e9),
        "least CPU s": round(least, 1),
        "CPU s": round(seconds, 1),
        "share of the limit": round(least / seconds, 2),
    }
    print_rows("the limit of one core", [row])


def _transcribed(corpus: Path, settings: TranscribeSettings, only: tuple[str, ...]) -> Any:
    """(id, CPU seconds of the stage, seconds of audio, the transcript) of each recording; the first one comes twice."""
    from pipeline.corpus import open_corpus
    from pipeline.diarize.stage import diarize
    from pipeline.ingest.stage import ingest
    from pipeline.transcribe.stage import transcribe

    is_loaded = False
    for entry in open_corpus(corpus).entries:
        if not entry.audio or (only and entry.speech.id not in only):
            continue
        recording = ingest(AudioFile(path=entry.audio), settings=IngestSettings())
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        for _ in range(1 if is_loaded else 2):
            began = time.process_time()
            transcript = transcribe(recording, turns, None, None, settings=settings)
            cpu, is_loaded = time.process_time() - began, True
        recording.audio.discard()
        yield entry.speech.id, cpu, recording.duration, transcript


def _throughput() -> tuple[float, float]:
    """Multiply-adds per second of one core in a product of the encoder's size: of 8-bit integers, and of floats."""
    import torch

    torch.set_num_threads(1)
    rows, columns, inner = FRAMES, 2048, 512
    left, right = (torch.randint(-100, 100, shape, dtype=torch.int8) for shape in ((rows, inner), (inner, columns)))
    a, b = left.float(), right.float()
    per_run = rows * columns * inner

    def rate(product: Callable[[], Any]) -> float:
        product()
        best = min(_seconds(product) for _ in range(REPEATS))
        return per_run / best

    return rate(lambda: torch._int_mm(left, right)), rate(lambda: a @ b)


def _seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    prepare_environment()
    main()

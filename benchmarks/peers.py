"""The peers that other benchmarks run in another interpreter: python peers.py SYSTEM MODEL TEXTS.json FILE...

Transcripts with word times, beam 5, English, all cores. The last line that faster-whisper prints has its seconds with a
loaded model, as JSON.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"


def whisper(model: str, folder: Path, files: list[str]) -> dict[str, str]:
    """The command line itself. Only its reading of files is replaced, because it starts the program ffmpeg."""
    import numpy as np
    import soundfile
    from scipy.signal import resample_poly

    def load_audio(file: str, sr: int = 16_000) -> "np.ndarray":
        samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
        return resample_poly(samples.mean(axis=1), sr, rate).astype(np.float32)

    import_module("whisper.audio").load_audio = load_audio  # type: ignore[attr-defined]
    options = ["--language", "en", "--word_timestamps", "True", "--output_format", "txt", "--output_dir", str(folder)]
    named = ["--model", Path(model).stem, "--model_dir", str(Path(model).parent)]
    sys.argv = ["whisper", *files, *named, *options, "--fp16", "False", "--threads", str(os.cpu_count())]
    import_module("whisper.transcribe").cli()
    return {Path(file).stem: (folder / f"{Path(file).stem}.txt").read_text() for file in files}


def faster_whisper(model: str, folder: Path, files: list[str], batched: bool = False) -> dict[str, str]:
    """As its documentation says, with int8."""
    from faster_whisper import BatchedInferencePipeline, WhisperModel

    weights = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=os.cpu_count() or 1)
    pipeline = BatchedInferencePipeline(weights) if batched else weights
    more = {"batch_size": 8} if batched else {}

    def text(file: str) -> str:
        segments, _ = pipeline.transcribe(file, language="en", beam_size=5, word_timestamps=True, **more)
        return " ".join(word.word.strip() for segment in segments for word in segment.words)

    began, cpu = time.perf_counter(), time.process_time()
    texts = {Path(file).stem: text(file) for file in files}
    print(json.dumps({"seconds": time.perf_counter() - began, "CPU s": time.process_time() - cpu}))
    return texts


SYSTEMS: dict[str, Callable[[str, Path, list[str]], dict[str, str]]] = {
    "whisper": whisper,
    "faster-whisper": faster_whisper,
    "faster-whisper batched": lambda *given: faster_whisper(*given, batched=True),
}

if __name__ == "__main__":
    system, model, target, *files = sys.argv[1:]
    texts = SYSTEMS[system](model, Path(target).parent, files)
    Path(target).write_text(json.dumps(texts))

"""Prints the functions between `rostrum run` and the decoder, thread by thread: `python benchmarks/hops.py`.

The first time that CTranslate2 writes tokens, the stacks of the threads on the way are taken: of the thread that does
so, of the one that submitted its job, and of those that wait for them. Ours are counted apart from Prefect's.
"""

import os
import sys
import tempfile
import threading
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

# What was recognised before would never reach the decoder.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

import ctranslate2

ROOT = Path(__file__).parents[1]
# A thread is on the way if one of these works in it.
ON_THE_WAY = ("run_command", "execute", "_submit_with_device", "perform")


def main() -> None:
    """Run one recording of the samples, and print the stacks of its first decoding."""
    from flows.cli import main as rostrum

    written = ctranslate2.models.Whisper.generate

    def generate(*arguments: Any, **options: Any) -> Any:
        ctranslate2.models.Whisper.generate = written
        _print(sys._current_frames())
        return written(*arguments, **options)

    ctranslate2.models.Whisper.generate = generate
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "corpus").mkdir()
        os.symlink(next((ROOT / "audio_samples").glob("*.flac")), f"{place}/recording.flac")
        os.chdir(place)
        options = ["--stages", "transcribe", "--set", "diarize.mode=vad", "--no-report", "--out", f"{place}/run"]
        sys.argv = ["rostrum", "run", "recording.flac", *options]
        rostrum()


def _print(stacks: dict[int, FrameType]) -> None:
    counts = Counter[str]()
    for thread in threading.enumerate():
        frames = [frame for frame, _ in traceback.walk_stack(stacks.get(thread.ident or 0))][::-1]
        if {frame.f_code.co_name for frame in frames} & set(ON_THE_WAY):
            print(f"\n{thread.name}")
            for frame in frames:
                code, whose = frame.f_code, _whose(frame.f_code.co_filename)
                counts[whose] += 1
                if whose == "ours":
                    print(f"  {counts[whose]:2} {Path(code.co_filename).relative_to(ROOT)}: {code.co_name}")
    print("\n" + ", ".join(f"{number} {whose}" for whose, number in counts.items()))


def _whose(file: str) -> str:
    path = Path(file)
    if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "benchmarks") and ".venv" not in path.parts:
        return "ours"
    return next((name for name in ("prefect", "click") if name in path.parts), "of Python and other libraries")


if __name__ == "__main__":
    main()

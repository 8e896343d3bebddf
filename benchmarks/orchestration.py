"""The cost of orchestration: the time and memory of a run over many one-second clips, without the stages' own work.

    python benchmarks/orchestration.py [--clips 200]

The start of the server is not counted: there is one per run. PREFECT_HOME is a temporary folder.
"""

import contextlib
import io
import os
import tempfile
import threading
import time
from pathlib import Path

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.records import SAMPLE_RATE
from pipeline.system.environment import prepare_environment

MEGABYTE = 2**20


@click.command()
@click.option("--clips", default=200, help="How many clips.")
@click.option("--stages", default="ingest,diarize", help="The stages to run.")
@click.option("--profile", is_flag=True, help="Print where the main thread's time goes.")
def main(clips: int, stages: str, profile: bool) -> None:
    """Print the costs."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PREFECT_HOME"] = f"{folder}/prefect"
        _write_clips(Path(folder, "clips"), clips)
        with _memory() as samples, _profile(profile):
            _run(Path(folder, "clips"), f"{folder}/run", stages.split(","))
        _print(f"{folder}/run", clips, samples)


def _write_clips(folder: Path, clips: int) -> None:
    import soundfile

    folder.mkdir()
    random = np.random.default_rng(0)
    for index in range(clips):
        soundfile.write(folder / f"clip{index:04d}.wav", random.normal(0, 0.1, SAMPLE_RATE), SAMPLE_RATE)


def _run(folder: Path, out: str, stages: list[str]) -> None:
    from flows.command import run_corpus
    from pipeline.diarize.stage import DiarizeSettings
    from pipeline.run.configuration import Settings

    with contextlib.redirect_stdout(io.StringIO()):
        assert run_corpus(folder, out, stages, Settings(diarize=DiarizeSettings(mode="vad"))) == 0


@contextlib.contextmanager
def _memory():  # type: ignore[no-untyped-def]
    """(seconds, resident bytes) of this process, four times a second."""
    samples: list[tuple[float, int]] = []
    done = threading.Event()
    page = os.sysconf("SC_PAGE_SIZE")

    def watch() -> None:
        while not done.wait(0.25):
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * page
            samples.append((time.time(), resident))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield samples
    finally:
        done.set()
        watcher.join()


@contextlib.contextmanager
def _profile(wanted: bool):  # type: ignore[no-untyped-def]
    if not wanted:
        yield
        return
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    with profiler:
        yield
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(40)


def _print(run: str, clips: int, samples: list[tuple[float, int]]) -> None:
    from datetime import datetime

    from pipeline.run.index import load
    from pipeline.run.store import Store

    summary = load(Store(run))
    assert summary is not None
    own = sum(outcome.seconds for item in summary.items for outcome in item.outcomes)
    begun = datetime.fromisoformat(summary.started).timestamp()
    resident = [size for moment, size in samples if begun <= moment <= begun + summary.seconds]
    quarters = [resident[round(share * (len(resident) - 1))] for share in (0.25, 0.5, 0.75, 1)]
    print_rows(
        f"{clips} clips",
        [
            {
                "ms per clip": 1000 * summary.seconds / clips,
                "of it the stages": 1000 * own / clips,
                "orchestration": 1000 * (summary.seconds - own) / clips,
                "MB after 1/4": quarters[0] // MEGABYTE,
                "1/2": quarters[1] // MEGABYTE,
                "3/4": quarters[2] // MEGABYTE,
                "all": quarters[3] // MEGABYTE,
            }
        ],
    )


if __name__ == "__main__":
    prepare_environment()
    main()

"""A run on one and on two Dask workers of a thread each, and on two of which one is killed, beside a run without Dask.

    python benchmarks/dask_workers.py audio_samples [--stages transcribe] [--set diarize.mode=vad]

The first run on each set of workers loads the models; the time is the second's. Every run must leave the same
artifacts; ends with 1 where one does not. Scheduler, workers and Prefect server are real ones, on loopback.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from soak import artifacts

from flows.server.temporary import LOOPBACK, free_port
from pipeline.cli.console import print_rows

ROOT = Path(__file__).parents[1]
Process = subprocess.Popen[bytes]


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--stages", default="ingest,diarize", show_default=True, help="The stages to run.")
@click.option(
    "--set", "assignments", multiple=True, default=["diarize.mode=vad"], help="Settings, as of `rostrum run`."
)
@click.option("--killed-only", is_flag=True, help="Only two workers of which one is killed.")
def main(folder: Path, stages: str, assignments: tuple[str, ...], killed_only: bool) -> None:
    """Run over FOLDER, and compare."""
    options = ["--stages", stages, *(part for each in assignments for part in ("--set", each))]
    command = [sys.executable, "-m", "flows", "run", os.path.relpath(folder, ROOT), "--no-report", *options]
    with tempfile.TemporaryDirectory() as place:
        os.environ.setdefault("PREFECT_HOME", f"{place}/prefect")
        alone = Path(place, "alone")
        rows = [{"run": "without Dask", "seconds": _run(command, alone), "same artifacts": True}]
        expected = artifacts(alone)

        def on_workers(number: int, kill: bool) -> None:
            name = f"{number} workers{', one of them killed' if kill else ''}"
            out = Path(place, name)
            with _cluster(number) as (address, workers):
                on = [*command, "--on", f"dask://{address}"]
                if not kill:
                    _run(on, Path(place, f"{name}, first"))
                seconds = _run(on, out, workers[0] if kill else None)
            rows.append({"run": name, "seconds": seconds, "same artifacts": artifacts(out) == expected})

        for number in () if killed_only else (1, 2):
            on_workers(number, kill=False)
        on_workers(2, kill=True)
    print_rows("", rows, decimals=1)
    sys.exit(0 if all(row["same artifacts"] for row in rows) else 1)


def _run(command: Sequence[str], out: Path, victim: Process | None = None) -> float:
    """Seconds of a run; the victim is killed when a second artifact is there."""
    started = time.monotonic()
    run = subprocess.Popen(
        [*command, "--out", os.path.relpath(out, ROOT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
    )
    while run.poll() is None:
        time.sleep(0.02)
        if victim and victim.poll() is None and len(list(out.glob("*/*.json"))) > 1:
            victim.kill()
    if run.returncode:
        raise click.ClickException(f"the run ended with {run.returncode}")
    return time.monotonic() - started


@contextlib.contextmanager
def _cluster(workers: int) -> Iterator[tuple[str, list[Process]]]:
    """(address, workers) of a Dask cluster in processes of its own."""
    port = free_port()
    address = f"{LOOPBACK}:{port}"
    started = [_dask("scheduler", "--host", LOOPBACK, "--port", str(port), "--no-dashboard", "--no-show")]
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    try:
        _wait_for(port)
        started += [_dask("worker", f"tcp://{address}", *options) for _ in range(workers)]
        yield address, started[1:]
    finally:
        for process in reversed(started):
            process.kill()  # asked to end, a worker would wait for the Prefect server of its last run, which is gone
            process.wait()


def _wait_for(port: int, seconds: float = 60.0) -> None:
    """Return when something listens on a port of this machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1.0):
            return
        time.sleep(0.05)
    raise click.ClickException(f"no Dask scheduler listens after {seconds:.0f} s")


def _dask(*arguments: str) -> Process:
    """A process that is started elsewhere than the runs are, as on another machine."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
        env=environment,
        cwd=tempfile.gettempdir(),
        **quiet,
    )


if __name__ == "__main__":
    main()

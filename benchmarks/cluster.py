"""Two machines that share one store: Dask workers, and Prefect workers of a process pool, of which one dies.

    PYTHONPATH=. python benchmarks/cluster.py [--clips 40] [--on dask,pool] [--in s3]

Each machine is a process with a model cache, a cache of transcripts, temporary files and locks of its own. Before it
begins, it fetches its weights from the store, once. With `dask`, `rostrum run` uses the two workers. With `pool`, the
flow dispatch-corpus runs four shards on a work pool. When the store has a third of the artifacts, the first machine
is killed with all its processes. Every run must leave the artifacts of one without a cluster, and do no stage twice,
but for those that ran on the killed machine; ends with 1 where one does not. The Prefect server, its PostgreSQL and the
object store are real ones, on loopback. Seconds are compared within the table only.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psutil
from growth import ROOT
from server import DONE, Server, digests, prefect_server, write_corpus

from flows.server.temporary import LOOPBACK, free_port
from pipeline.cli.console import print_rows
from pipeline.run.store import Store
from tests import object_store

QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DISPATCH = """
import sys
from flows.dispatch import dispatch_corpus
from pipeline.run import configuration
folder, out, stages, *assignments = sys.argv[1:]
settings = configuration.load(assignments=assignments).settings
options = {"stages": stages.split(","), "settings": settings, "report": False}
state = dispatch_corpus(folder, out, shards=4, return_state=True, **options)
sys.exit(0 if state.is_completed() else str(state.message))
"""


@click.command()
@click.option("--clips", default=40, show_default=True, help="How many clips.")
@click.option("--on", "ways", default="dask,pool", show_default=True, help="Kinds of workers.")
@click.option("--in", "store", type=click.Choice(["s3", "folder"]), default="s3", show_default=True, help="The store.")
@click.option("--stages", default="segment", show_default=True, help="The stages to run, and their dependencies.")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    default=["diarize.mode=vad", "transcribe.model=tiny.en"],
    help="Settings, as of `rostrum run`.",
)
@click.option("--models", default="tiny.en,punkt", show_default=True, help="The models that the stages need.")
@click.option("--undisturbed", is_flag=True, help="Kill no machine.")
def main(
    clips: int, ways: str, store: str, stages: str, assignments: tuple[str, ...], models: str, undisturbed: bool
) -> None:
    """Print the table."""
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = str(place)
        if store == "s3":
            import boto3

            os.environ |= stack.enter_context(object_store.running())
            boto3.client("s3").create_bucket(Bucket="rostrum")
            root = "s3://rostrum"
        server = stack.enter_context(prefect_server(place))
        write_corpus(place / "corpus", clips)
        cluster = Cluster(server, place, root, stages, assignments, [name for name in models.split(",") if name])
        cluster.store_models()
        rows = [cluster.row("one process", _nothing)]
        victim = None if undisturbed else 0
        for way in ways.split(","):
            rows.append(cluster.row(way, {"dask": _dask, "pool": _pool}[way], victim))
    print_rows(f"{clips} clips", rows, decimals=1)
    sys.exit(0 if all(row["same artifacts"] for row in rows) else 1)


@dataclass
class Cluster:
    """What the runs have in common. `root` is the folder or the bucket with the weights and the runs."""

    server: Server
    place: Path
    root: str
    stages: str
    assignments: Sequence[str]
    models: Sequence[str]
    expected: dict[str, str] | None = None
    first: float = 0.0

    @property
    def corpus(self) -> str:
        return str(self.place / "corpus")

    @property
    def settings(self) -> list[str]:
        return [part for each in self.assignments for part in ("--set", each)]

    def store_models(self) -> None:
        """Copy this machine's models into the store."""
        import fsspec

        from pipeline.models.finding import cache_folder

        filesystem, root = fsspec.core.url_to_fs(f"{self.root}/weights")
        for name in self.models:
            filesystem.put(str(cache_folder() / name), f"{root}/{name}", recursive=True)

    def machine(self, name: str) -> dict[str, str]:
        """The environment of a new machine, with its weights."""
        own = self.place / name
        folders = {"ROSTRUM_MODELS": "models", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp", "PREFECT_HOME": "prefect"}
        folders["ROSTRUM_LOCKS"] = "locks"
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        for variable, folder in folders.items():
            (own / folder).mkdir(parents=True, exist_ok=True)
            environment[variable] = str(own / folder)
        if self.models:
            command = [sys.executable, "-m", "flows", "models", "fetch", *self.models, "--from", f"{self.root}/weights"]
            subprocess.run(command, env=environment, check=True, cwd=ROOT, **QUIET)
        return environment

    def row(self, name: str, way: "Way", victim: int | None = None) -> dict[str, Any]:
        """The row of a run on machines, of which the victim is killed."""
        out = f"{self.root}/{name}"
        ((since,),) = self.server.ask("select now()")
        with way(self, out) as (command, workers):
            began, killed = time.monotonic(), ""
            run = subprocess.Popen(command, env=self.machine("front"), cwd=ROOT)
            while victim is not None and run.poll() is None and not killed:
                if len(_stored(out)) > len(self.expected or ()) / 3:
                    killed = f"after {time.monotonic() - began:.0f} s"
                    _kill(workers[victim])
            if run.wait():
                raise click.ClickException(f"{name}: the run ended with {run.returncode}")
            seconds = time.monotonic() - began
        self.server.settle()
        done = {stage: int(count) for stage, count in self.server.ask(DONE.format(since=since))}
        found = digests(out)
        self.expected, self.first = self.expected or found, self.first or seconds
        return {
            "run": name,
            "time": round(seconds / self.first, 2),
            "a machine killed": killed,
            "stages": len(done),
            "twice": sum(count > 1 for count in done.values()),
            "same artifacts": found == self.expected,
        }


Way = Callable[[Cluster, str], contextlib.AbstractContextManager[tuple[list[str], list["subprocess.Popen[bytes]"]]]]


def _run(cluster: Cluster, out: str) -> list[str]:
    command = [sys.executable, "-m", "flows", "run", cluster.corpus, "--out", out, "--no-report"]
    return [*command, "--stages", cluster.stages, *cluster.settings]


@contextlib.contextmanager
def _nothing(cluster: Cluster, out: str) -> Iterator[tuple[list[str], list["subprocess.Popen[bytes]"]]]:
    yield _run(cluster, out), []


@contextlib.contextmanager
def _dask(cluster: Cluster, out: str) -> Iterator[tuple[list[str], list["subprocess.Popen[bytes]"]]]:
    """A scheduler, and a worker of one thread on each machine."""
    port = free_port()
    address = f"{LOOPBACK}:{port}"
    program = [sys.executable, "-m", "distributed.cli.dask_"]
    scheduler = [*program[:2], f"{program[2]}scheduler", "--host", LOOPBACK, "--port", str(port), "--no-dashboard"]
    worker = [
        *program[:2],
        f"{program[2]}worker",
        f"tcp://{address}",
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    ]
    with contextlib.ExitStack() as stack:
        stack.enter_context(_started([*scheduler, "--no-show"], cluster.machine("scheduler")))
        _wait_for(port)
        workers = [stack.enter_context(_started(worker, cluster.machine(f"dask{n}"))) for n in (1, 2)]
        yield [*_run(cluster, out), "--on", f"dask://{address}"], workers


@contextlib.contextmanager
def _pool(cluster: Cluster, out: str) -> Iterator[tuple[list[str], list["subprocess.Popen[bytes]"]]]:
    """A process work pool with the deployment of a shard, and a worker on each machine."""
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]
    environment = {**cluster.machine("front"), "ROSTRUM_CORPUS": cluster.corpus, "ROSTRUM_OUT": out}
    for command in (["work-pool", "create", "workstation", "--type", "process"], ["deploy", "--name", "shard"]):
        subprocess.run([*prefect, *command], env=environment, cwd=ROOT, check=True, **QUIET)
    worker = [*prefect, "worker", "start", "--pool", "workstation", "--limit", "1"]
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(_started(worker, cluster.machine(f"pool{n}"))) for n in (1, 2)]
        yield [sys.executable, "-c", DISPATCH, cluster.corpus, out, cluster.stages, *cluster.assignments], workers


@contextlib.contextmanager
def _started(command: Sequence[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is started elsewhere than the runs are, and killed at the end."""
    process = subprocess.Popen(command, env=environment, cwd=environment["TMPDIR"], **QUIET)
    try:
        yield process
    finally:
        _kill(process)  # asked to end, a Dask worker would wait for a server


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all that it started."""
    if process.poll() is None:
        every = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for each in every:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        process.wait()


def _stored(out: str) -> list[str]:
    """The artifacts that are there."""
    time.sleep(0.2)
    return [name for name in Store(out).listing() if name.endswith(".json") and name[0] not in "._" and "/" in name]


def _wait_for(port: int, seconds: float = 60.0) -> None:
    """Return when something listens on a port of this machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1.0):
            return
        time.sleep(0.05)
    raise click.ClickException(f"no Dask scheduler listens after {seconds:.0f} s")


if __name__ == "__main__":
    main()

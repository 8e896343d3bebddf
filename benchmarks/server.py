"""What a run costs its Prefect server: processor and history per stage, for one run and for shards of it.

    PYTHONPATH=. python benchmarks/server.py [--clips 60] [--shards 1,2,4] [--killed] [--tables] [--workers 50]

The clips are 2 to 4 s of the sample speeches, twenty on a motion; they go through all stages. The server is `rostrum
server` on a PostgreSQL of its own, which both are started for this. A first run over other clips fills what they fill
once. Milliseconds are processor time of the server and of the database, without what they take when idle, which
is in the first line. Kilobytes are the growth of the tables with their indexes. `--tables` prints them one by one.

With several numbers of shards, each is a new run over the same clips, with all shards at once on this machine. With
--killed, two shards run of which one is killed, and begun again. All must leave the artifacts of the first run, and do
no stage twice; ends with 1 where they do not. Seconds are compared within the table only.

The last table is a day of a cluster with so many workers, of which each takes --seconds for a speech: 130 is what a
core needs for ten minutes with `base.en` (docs/performance.md). A speech there has as many stages as a clip here.
"""

import contextlib
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psutil
from growth import ROOT, SPEECHES

from flows.server.temporary import LOOPBACK, free_port, is_healthy
from pipeline.cli.console import print_rows
from pipeline.run.store import Store
from tests import postgres

PER_MOTION = 20
IDLE_SECONDS = 15.0
EVENTS = ("events", "event_resources")
SIZES = "select relname, pg_total_relation_size(oid) from pg_class where relkind = 'r' and relnamespace = 2200"
# Stages that ended, and those that were neither reused nor skipped.
ENDED = "select count(*) from task_run where name like '%[%' and end_time is not null"
DONE = """select name, count(*) from task_run where name like '%[%' and state_name = 'Completed'
          and start_time > '{since}' group by name"""


@click.command()
@click.option("--clips", default=60, show_default=True, help="How many clips.")
@click.option("--shards", default="1", show_default=True, help="Numbers of shards to compare.")
@click.option("--killed", is_flag=True, help="Two shards of which one is killed, too.")
@click.option("--stages", default="", help="The stages to run; empty for all.")
@click.option("--set", "assignments", multiple=True, help="Settings, as of `rostrum run`.")
@click.option("--tables", is_flag=True, help="The growth of each table.")
@click.option("--workers", default=50, show_default=True, help="Workers of the cluster.")
@click.option("--seconds", default=130.0, show_default=True, help="What a worker takes for a speech.")
def main(
    clips: int,
    shards: str,
    killed: bool,
    stages: str,
    assignments: tuple[str, ...],
    tables: bool,
    workers: int,
    seconds: float,
) -> None:
    """Print the costs."""
    if postgres.PROGRAMS is None:
        raise click.ClickException("PostgreSQL is not installed")
    # What was recognised before would make everything faster than it is.
    os.environ["ROSTRUM_TRANSCRIPTS"] = "off"
    options = ["--stages", stages] if stages else []
    options += [part for each in assignments for part in ("--set", each)]
    variants = [[f"{number}/{count}" for number in range(1, count + 1)] for count in map(int, shards.split(","))]
    with tempfile.TemporaryDirectory() as place, prefect_server(Path(place)) as server:
        write_corpus(Path(place, "corpus"), clips)
        write_corpus(Path(place, "few"), 4)
        _run(["1/1"], [Path(place, "few"), Path(place, "few run")], options)
        click.echo(server.idle(), err=True)
        table = Table(server, Path(place), options, clips, tables)
        rows = [table.row(each, killed=False) for each in variants]
        rows += [table.row(["1/2", "2/2"], killed=True)] if killed else []
    print_rows(f"{clips} clips", rows)
    print_rows(f"a day of {workers} workers", [_day(rows[0], clips, workers, seconds)])
    sys.exit(0 if all(row["same artifacts"] and not row["twice"] for row in rows) else 1)


def write_corpus(folder: Path, clips: int) -> None:
    """Clips of the sample speeches, twenty on a motion that has the arguments of the samples."""
    import soundfile

    folder.mkdir()
    sounds = [soundfile.read(path, dtype="int16") for path in SPEECHES]
    rows = []
    for number in range(clips):
        samples, rate = sounds[number % len(sounds)]
        length, start = rate * (4 + number % 5) // 2, rate * 4 * (1 + number // len(sounds)) % (len(samples) - 4 * rate)
        name = f"clip{number:03d}"
        soundfile.write(folder / f"{name}.wav", samples[start : start + length], rate)
        (folder / f"{name}.txt").write_text("Somebody says a few words.")
        stance, motion = "pro" if number % 2 else "con", f"m{number // PER_MOTION}"
        rows.append(
            {"id": name, "file": f"{name}.wav", "motion": motion, "stance": stance, "speaker": f"S{number % 7}"}
        )
    motions = list(dict.fromkeys(row["motion"] for row in rows))
    _write(folder / "speeches.csv", rows)
    _write(folder / "motions.csv", [{"id": each, "text": f"We should ban phones in {each}."} for each in motions])
    with (ROOT / "audio_samples" / "arguments.csv").open() as file:
        arguments = [row for row in csv.DictReader(file) if row["motion"] == "schools"]
    own = [row | {"id": f"{each}-{row['id']}", "motion": each, "counter": ""} for each in motions for row in arguments]
    _write(folder / "arguments.csv", own)


def _write(path: Path, rows: Sequence[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@dataclass
class Server:
    """A Prefect server and its database."""

    process: int
    database: str
    database_process: int

    def seconds(self) -> tuple[float, float]:
        """Processor seconds that the server and the database have used."""
        return _seconds(self.process), _seconds(self.database_process)

    def sizes(self) -> dict[str, int]:
        """The bytes of each table with its indexes."""
        return {name: int(size) for name, size in self.ask(SIZES)}

    def ask(self, question: str) -> list[list[str]]:
        return postgres.ask(self.database, question)

    def settle(self) -> None:
        """Return when the server has stored what it was sent."""
        before: object = None
        while before != (now := self.ask(f"{ENDED} union all select count(*) from log")):
            before = now
            time.sleep(3.0)

    def idle(self) -> str:
        """What it takes while nothing is asked of it."""
        self.settle()
        before = self.seconds()
        time.sleep(IDLE_SECONDS)
        self.idling = [(after - first) / IDLE_SECONDS for first, after in zip(before, self.seconds(), strict=True)]
        each = [f"{1000 * seconds:.0f} ms" for seconds in self.idling]
        return f"idle: the server takes {each[0]} of processor per second, the database {each[1]}"


def _seconds(process: int) -> float:
    """Processor seconds of a process, and of processes that it started."""
    top = psutil.Process(process)
    own = top.cpu_times()
    below = (child.cpu_times() for child in top.children(recursive=True))
    ended = own.children_user + own.children_system
    return own.user + own.system + ended + sum(each.user + each.system for each in below)


@contextlib.contextmanager
def prefect_server(place: Path) -> Iterator[Server]:
    """`rostrum server` on PostgreSQL, which the runs of this process and of those it starts use."""
    with postgres.running() as (database, database_process):
        port = free_port()
        # Runs of others must not wait for these, nor these for them.
        os.environ |= {"PREFECT_HOME": str(place / "prefect"), "ROSTRUM_LOCKS": str(place / "locks")}
        address = f"postgresql+asyncpg://rostrum@{database}"
        command = [sys.executable, "-m", "flows", "server", "--port", str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PREFECT_API_DATABASE_CONNECTION_URL": address}, **quiet
        )
        os.environ["PREFECT_API_URL"] = f"http://{LOOPBACK}:{port}/api"
        try:
            while not is_healthy(os.environ["PREFECT_API_URL"]):
                if process.poll() is not None:
                    raise click.ClickException("the server does not start")
                time.sleep(0.2)
            yield Server(process.pid, database, database_process)
        finally:
            process.terminate()
            process.wait()


@dataclass
class Table:
    """The rows of the table, and what they are compared with."""

    server: Server
    place: Path
    options: Sequence[str]
    clips: int
    shows_tables: bool
    expected: dict[str, str] | None = None
    first: float = 0.0

    def row(self, shards: Sequence[str], *, killed: bool) -> dict[str, Any]:
        """The costs of a new run in these shards."""
        server, out = self.server, self.place / "run"
        shutil.rmtree(out, ignore_errors=True)
        ((since,),) = server.ask("select now()")
        began, before, sizes = time.monotonic(), server.seconds(), server.sizes()
        cpu = _run(shards, [self.place / "corpus", out], self.options, killed=killed)
        seconds = time.monotonic() - began
        server.settle()
        lasted = time.monotonic() - began
        used = [
            (after - first - idle * lasted) * 1000
            for first, after, idle in zip(before, server.seconds(), server.idling, strict=True)
        ]
        grown = {name: size - sizes.get(name, 0) for name, size in server.sizes().items()}
        done = {name: int(count) for name, count in server.ask(DONE.format(since=since))}
        found, stages = digests(out), len(done)
        self.expected = self.expected or found
        self.first = self.first or seconds
        if self.shows_tables:
            tables = [
                {"table": name, "kB": size / 1024 / stages} for name, size in sorted(grown.items(), key=lambda x: -x[1])
            ]
            print_rows("growth per stage", [each for each in tables if each["kB"] > 0.005], decimals=2)
        events = sum(grown[name] for name in EVENTS)
        return {
            "run": f"{len(shards)} shards{', one killed' if killed else ''}" if len(shards) > 1 else "one run",
            "time": round(seconds / self.first, 2),
            "CPU s per speech": round(cpu / self.clips, 2),
            "stages": stages,
            "twice": sum(count > 1 for count in done.values()),
            "same artifacts": found == self.expected,
            "server ms per stage": round(used[0] / stages, 1),
            "database ms": round(used[1] / stages, 1),
            "kB": round(sum(grown.values()) / 1024 / stages, 1),
            "of it events": round(events / 1024 / stages, 1),
            "server ms per speech": round(used[0] / self.clips),
            "kB per speech": round(sum(grown.values()) / 1024 / self.clips),
        }


def digests(out: str | Path) -> dict[str, str]:
    """The digest and the fingerprint of every artifact of a run."""
    store, found = Store(out), {}
    for name in store.listing():
        scope, _, stage = name.removesuffix(".json").rpartition("/")
        if name.endswith(".json") and scope and not scope.startswith("."):
            artifact = store.artifact(scope, stage)
            assert artifact is not None
            found[name] = f"{artifact.digest} {artifact.fingerprint} {artifact.skipped}"
    return found


def _day(row: dict[str, Any], clips: int, workers: int, seconds: float) -> dict[str, Any]:
    """What a day of a cluster needs of the server, by the costs of a run."""
    speeches = workers * 86400 / seconds
    stages = speeches * row["stages"] / clips
    gigabytes = stages * (row["kB"] - row["of it events"]) * 1024 / 1e9
    return {
        "speeches": round(speeches),
        "stages per second": round(stages / 86400, 1),
        "cores of the server": round(stages / 86400 * row["server ms per stage"] / 1000, 2),
        "of the database": round(stages / 86400 * row["database ms"] / 1000, 2),
        "GB per day": round(gigabytes, 1),
        "and of events": round(stages * row["of it events"] * 1024 / 1e9, 1),
        "GB in 90 days": round(90 * gigabytes),
    }


def _run(shards: Sequence[str], places: Sequence[Path], options: Sequence[str], *, killed: bool = False) -> float:
    """Processor seconds of the runs of all shards, which begin together."""
    folder, out = places
    command = [sys.executable, "-m", "flows", "run", str(folder), "--out", str(out), "--no-report", *options]

    def start(shard: str) -> "subprocess.Popen[bytes]":
        part = ["--shard", shard] if len(shards) > 1 else []
        log = (out.parent / f"{out.name}.{shard.replace('/', '-')}.log").open("ab")
        return subprocess.Popen([*command, *part], cwd=ROOT, stdout=log, stderr=log)

    processes = [start(shard) for shard in shards]
    if killed:
        while len(list(out.glob("clip*/*.json"))) < 20:
            time.sleep(0.05)
        processes[0].send_signal(signal.SIGKILL)
        os.waitpid(processes[0].pid, 0)
        processes[0] = start(shards[0])
    cpu = 0.0
    for shard, process in zip(shards, processes, strict=True):
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            log = (out.parent / f"{out.name}.{shard.replace('/', '-')}.log").read_text()
            raise click.ClickException(f"shard {shard} failed: {log[-2000:]}")
        cpu += usage.ru_utime + usage.ru_stime
    return cpu


if __name__ == "__main__":
    main()

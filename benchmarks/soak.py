"""Disturb runs at random, again and again, and see that nothing is lost and nothing is left.

    python benchmarks/soak.py FOLDER --kills 50 --interrupts 20 --full-disks 5 --restarts 5 --pairs 5 \\
        --shards 5 --cleans 5 --edits 5 --serves 5

Runs over a copy of FOLDER are killed and interrupted, find the disk full, lose their Prefect server, and share the
work with another run, with another shard, with `rostrum clean` and with `rostrum serve --watch`; people correct a
speech and take that back. Each is gone on with until it ends by itself. Then every artifact must be that of an
undisturbed run, byte for byte, but for when it was made and how long that took. In the end there must be no process,
no held lock and no temporary file. Ends with 1 where something is wrong.
"""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import psutil

from pipeline.corpus import open_corpus
from pipeline.corpus.corrections import last_correction, save_correction, take_back
from pipeline.records import Correction, Turn, Word
from pipeline.system.lock import is_held

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

# What a run and its shards write of themselves: their times, and the stamps of their files.
RECORDS = re.compile(r"run(\.\d+-of-\d+)?\.json")
# Lines of an artifact that tell the time; its stage's settings and data are indented deeper.
TIMES = re.compile(rb'^ "(created|seconds)": .*$', re.MULTILINE)
# After so many disturbances a run is left to end. Those that let it end come last.
DISTURBANCES = 5
LAST = ("full disk", "restart", "pair", "shards", "clean", "edit", "serve")
# A full disk is one on which no file can be longer than this.
FULL_BYTES = 20_000
LONGEST_SECONDS = 600


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--kills", default=50, show_default=True, help="How many runs to kill.")
@click.option("--interrupts", default=20, show_default=True, help="How many runs to interrupt, by SIGINT or SIGTERM.")
@click.option("--full-disks", default=5, show_default=True, help="How many runs to let run on a full disk.")
@click.option("--restarts", default=5, show_default=True, help="How often to kill the Prefect server of a run.")
@click.option("--pairs", default=5, show_default=True, help="How many runs to start beside one that is killed.")
@click.option("--shards", default=5, show_default=True, help="How often to run two shards at once.")
@click.option("--cleans", default=5, show_default=True, help="How often to call `rostrum clean` beside a run.")
@click.option("--edits", default=5, show_default=True, help="How many runs during which a speech is corrected.")
@click.option("--serves", default=5, show_default=True, help="How many runs beside a `rostrum serve` that is stopped.")
@click.option("--stages", default="ingest,diarize", show_default=True, help="The stages to run; empty for all.")
@click.option(
    "--set", "assignments", multiple=True, default=["diarize.mode=vad"], help="Settings, as of `rostrum run`."
)
@click.option(
    "--on-server", default=0.4, show_default=True, help="The share of runs on a server that was there before."
)
@click.option("--seed", default=0, help="Decides the order and the moments.")
def main(
    folder: Path,
    kills: int,
    interrupts: int,
    full_disks: int,
    restarts: int,
    pairs: int,
    shards: int,
    cleans: int,
    edits: int,
    serves: int,
    stages: str,
    assignments: tuple[str, ...],
    on_server: float,
    seed: int,
) -> None:
    """Disturb runs over FOLDER, and compare what they leave."""
    options = [*(["--stages", stages] if stages else []), *(part for each in assignments for part in ("--set", each))]
    wanted = {"kill": kills, "interrupt": interrupts, "full disk": full_disks, "restart": restarts, "pair": pairs}
    wanted |= {"shards": shards, "clean": cleans, "edit": edits, "serve": serves}
    chance = random.Random(seed)
    events = [name for name, number in wanted.items() for _ in range(number)]
    chance.shuffle(events)
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(Path(place), folder, options, on_server, chance)
        try:
            for index, start in enumerate(range(0, len(events), DISTURBANCES)):
                soak.round(index, sorted(events[start : start + DISTURBANCES], key=lambda event: event in LAST))
        finally:
            soak.server.stop()
        soak.look_for_leftovers()
    click.echo(soak.summary())
    sys.exit(1 if soak.wrong else 0)


class Soak:
    """Runs that are disturbed, and what was wrong with them."""

    def __init__(self, place: Path, folder: Path, options: list[str], on_server: float, chance: random.Random) -> None:
        self.place, self.on_server, self.chance = place, on_server, chance
        self.wrong: list[str] = []
        self.counts: Counter[str] = Counter()
        self.slowest_end = 0.0
        self.began = time.monotonic()
        (place / "temporary").mkdir()
        self.environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
        self.environment |= {"PREFECT_HOME": str(place / "prefect"), "TMPDIR": str(place / "temporary")}
        self.folder = Path(shutil.copytree(folder, place / "corpus"))
        self.program = [sys.executable, "-c", "from flows.cli import main; main()"]
        self.options = options
        self.command = [*self.program, "run", str(self.folder), *options]
        self.server = Server(self.environment, place / "server.log")
        began = time.monotonic()
        if code := self.start(place / "undisturbed", on_server=False).wait():
            raise click.ClickException(f"the undisturbed run ended with {code}")
        self.seconds = time.monotonic() - began
        self.expected = artifacts(place / "undisturbed")
        click.echo(f"undisturbed: {len(self.expected)} files in {self.seconds:.1f} s")

    def start(
        self, out: Path, *, on_server: bool | None = None, full: bool = False, shard: str = "1/1"
    ) -> "subprocess.Popen[bytes]":
        """Begin a run: on the server, or with one of its own; by chance, if nothing is said."""
        on_server = self.chance.random() < self.on_server if on_server is None else on_server
        environment = self.environment | ({"PREFECT_API_URL": self.server.url} if on_server else {})
        return self._started([*self.command, "--out", str(out), "--shard", shard], environment, full=full)

    def _started(
        self, command: list[str], environment: dict[str, str], *, full: bool = False
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.place / "told.txt").open("wb"),
            cwd=Path(__file__).parents[1],
            preexec_fn=_fill_disk if full else None,
        )

    def round(self, index: int, events: list[str]) -> None:
        """Disturb one run so often, let it end, and compare."""
        out = self.place / f"run{index}"
        for event in events:
            getattr(self, f"_{event.replace(' ', '_')}")(out)
            self.counts[event] += 1
        code = self.start(out).wait(LONGEST_SECONDS)
        found = artifacts(out)
        different = [name for name in self.expected.keys() | found.keys() if self.expected.get(name) != found.get(name)]
        if code or different:
            self.wrong.append(f"run {index} after {', '.join(events)}: exit code {code}, {sorted(different)} differ")
        leases = [path for path in _files(out / ".index") if path.suffix != ".json"]
        if left := [path.name for path in (*_files(out / ".tmp"), *_files(out / ".runs"), *leases)]:
            self.wrong.append(f"run {index} after {', '.join(events)}: left behind: {', '.join(left)}")
        click.echo(f"run {index} after {', '.join(events)}: {'as undisturbed' if not different else self.wrong[-1]}")
        shutil.rmtree(out)

    def _kill(self, out: Path) -> None:
        run = self.start(out)
        self._wait(run)
        run.kill()
        run.wait()

    def _interrupt(self, out: Path) -> None:
        run = self.start(out)
        self._wait(run)
        number = self.chance.choice([signal.SIGINT, signal.SIGTERM])
        began = time.monotonic()
        run.send_signal(number)
        code = run.wait(LONGEST_SECONDS)
        self.slowest_end = max(self.slowest_end, time.monotonic() - began)
        # As a shell sees it: a process that a signal ended before it began to work, and one that had ended already. One
        # that did not end by itself within two seconds was killed by its watchdog.
        if code not in {0, -number, 128 + number, -signal.SIGKILL}:
            self.wrong.append(f"interrupted by {number.name}, a run ended with {code}")

    def _full_disk(self, out: Path) -> None:
        code = self.start(out, on_server=True, full=True).wait(LONGEST_SECONDS)
        told = (self.place / "told.txt").read_text(errors="replace")
        if code not in {0, 1, 2} or "Traceback" in told:
            self.wrong.append(f"on a full disk, a run ended with {code}: {told.strip().splitlines()[-1:]}")

    def _restart(self, out: Path) -> None:
        run = self.start(out, on_server=True)
        self._wait(run)
        self.server.kill()
        self._wait(run, most=3.0)
        self.server.start()
        code = run.wait(LONGEST_SECONDS)
        if code not in {0, 2}:  # 2: it was away when the run began
            self.wrong.append(f"with its server restarted, a run ended with {code}")

    def _pair(self, out: Path) -> None:
        first, second = self.start(out, on_server=True), self.start(out)
        if self.chance.random() < 0.5:
            self._wait(first)
            first.kill()
            first.wait()
        elif code := first.wait(LONGEST_SECONDS):
            self.wrong.append(f"beside another run, a run ended with {code}")
        if code := second.wait(LONGEST_SECONDS):
            self.wrong.append(f"beside another run, a run ended with {code}")

    def _shards(self, out: Path) -> None:
        """Two shards at once, of which one may be killed; the run after them does what is left."""
        every = [self.start(out, shard=f"{number}/2") for number in (1, 2)]
        if self.chance.random() < 0.5:
            self._wait(every[0])
            every[0].kill()
            every.pop(0).wait()
        for shard in every:
            if code := shard.wait(LONGEST_SECONDS):
                self.wrong.append(f"beside another shard, a shard ended with {code}")

    def _clean(self, out: Path) -> None:
        run = self.start(out)
        self._wait(run)
        code = self._started([*self.program, "clean", str(out), "--yes"], self.environment).wait(LONGEST_SECONDS)
        if code not in {0, 2}:  # 2: the run writes there, or there is none yet
            self.wrong.append(f"beside a run, clean ended with {code}")
        if code := run.wait(LONGEST_SECONDS):
            self.wrong.append(f"beside clean, a run ended with {code}")

    def _edit(self, out: Path) -> None:
        """Somebody names who speaks while a run goes on, and takes it back."""
        speech = self.chance.choice([entry.speech.id for entry in open_corpus(self.folder).entries])
        words = (Word(text="well", start=0.0, end=0.5, speaker="Clara"),)
        turns = (Turn(start=0.0, end=0.5, speaker="Clara"),)
        run = self.start(out)
        self._wait(run)
        save_correction(self.folder, Correction(speech=speech, words=words, sentence_ends=(1,), turns=turns))
        if self.chance.random() < 0.5:
            if code := run.wait(LONGEST_SECONDS):
                self.wrong.append(f"beside an edit, a run ended with {code}")
            if code := self.start(out).wait(LONGEST_SECONDS):
                self.wrong.append(f"after an edit, a run ended with {code}")
        take_back(self.folder, speech)
        if code := run.wait(LONGEST_SECONDS):
            self.wrong.append(f"beside an edit, a run ended with {code}")
        if last_correction(self.folder, speech) is not None:
            self.wrong.append("an edit that was taken back is there")

    def _serve(self, out: Path) -> None:
        environment = self.environment | {"PREFECT_API_URL": self.server.url}
        command = [*self.program, "serve", str(self.folder), *self.options, "--out", str(out)]
        serve = self._started([*command, "--watch", "--settle", "0"], environment)
        self._wait(serve, most=20.0)
        run = self.start(out)
        self._wait(run)
        serve.send_signal(signal.SIGTERM)
        code = serve.wait(LONGEST_SECONDS)
        if code not in {0, -signal.SIGTERM, 128 + signal.SIGTERM, 128 + signal.SIGINT}:
            self.wrong.append(f"serve ended with {code}")
        if code := run.wait(LONGEST_SECONDS):
            self.wrong.append(f"beside serve, a run ended with {code}")

    def _wait(self, run: "subprocess.Popen[bytes]", most: float | None = None) -> None:
        """Wait for a random time, or until the run has ended."""
        with suppress(subprocess.TimeoutExpired):
            run.wait(self.chance.uniform(0, most or self.seconds))

    def look_for_leftovers(self) -> None:
        """Whatever is still there when all runs have ended is wrong."""
        time.sleep(2)  # what is to end with a killed run sees so at once, and has then to end
        self.wrong += [f"process {each.pid} is left: {' '.join(each.cmdline())[:200]}" for each in self._processes()]
        self.wrong += [f"temporary file {path}" for path in _files(self.place / "temporary") if path.suffix != ".lock"]
        for path in [*self.place.rglob("*.lock")]:
            if is_held(path):
                self.wrong.append(f"lock {path} is held")

    def _processes(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.environ().get("PREFECT_HOME") == str(self.place / "prefect"):
                    yield process
            except psutil.Error:
                continue

    def summary(self) -> str:
        counts = ", ".join(f"{number} x {name}" for name, number in sorted(self.counts.items()))
        minutes = (time.monotonic() - self.began) / 60
        told = f"{counts} in {minutes:.0f} min; slowest end after an interrupt: {self.slowest_end:.2f} s\n"
        return told + ("\n".join(self.wrong) or "no artifact differs; no process, held lock or temporary file is left")


class Server:
    """A Prefect server as a user has it, which can be killed and started again."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        from flows.server.temporary import free_port

        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api"
        self.environment, self.log = environment, log
        self.start()

    def start(self) -> None:
        from flows.server.temporary import is_healthy

        self.process = subprocess.Popen(
            [sys.executable, "-m", "flows.server.lasting", str(self.port)],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=self.log.open("ab"),
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parents[1],
        )
        while not is_healthy(self.url):
            time.sleep(0.1)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def artifacts(run: Path) -> dict[str, bytes]:
    """Every file of a run's speeches and motions, without the times and without the report."""
    files = (path for path in _files(run) if not RECORDS.fullmatch(path.name))
    return {
        str(path.relative_to(run)): TIMES.sub(b"", path.read_bytes()) if path.suffix == ".json" else path.read_bytes()
        for path in files
        if path.relative_to(run).parts[0] not in (".tmp", ".index", ".runs", "_report")
    }


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _fill_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, FULL_BYTES))


if __name__ == "__main__":
    main()

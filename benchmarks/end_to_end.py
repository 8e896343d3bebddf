"""A whole run of rostrum beside the transcript alone of the `whisper` command line and of faster-whisper.

    python benchmarks/end_to_end.py [--corpus audio_samples] [--model tiny.en] [--default-model base.en] [--repeats 3]
        [--peers PYTHON] [--faster-whisper-model NAME] [--only SYSTEM]...

Each system runs in a process of its own, cold, over the same files: imports and loading count. Repeats are interleaved,
so that a slow minute of the machine affects all systems. The table has medians, their ratio to `whisper`, the CPU
seconds of the process and those it started (other programs disturb them less), the pooled word error rate, and the peak
memory of one process. PYTHON is an interpreter that has openai-whisper and faster-whisper. Without faster-whisper its
rows are left out. Run it on an idle machine.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline import models
from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.records import ErrorCounts
from pipeline.score.stage import word_errors
from pipeline.system.environment import usable_cores

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

HERE = Path(__file__).parent
WHISPER = "whisper"


class Recording(NamedTuple):
    """A file to transcribe, and what is said in it."""

    path: Path
    reference: str


@dataclass
class System:
    """What is measured: a command, and where it leaves the text of each recording."""

    name: str
    command: Callable[[Path], list[str]]
    texts: Callable[[Path], dict[str, str]]
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    errors: ErrorCounts = field(default_factory=ErrorCounts)

    def run(self, recordings: list[Recording]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            log = Path(folder, "log")
            with log.open("wb") as output:
                process = subprocess.Popen(self.command(Path(folder)), stdout=output, stderr=subprocess.STDOUT)
                _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - started)
            self.cpu_seconds.append(usage.ru_utime + usage.ru_stime)
            self.memory.append(usage.ru_maxrss / 1e6)
            if status:
                raise click.ClickException(f"{self.name} failed:\n{log.read_text(errors='replace')[-2000:]}")
            texts = self.texts(Path(folder))
        counts = [word_errors(each.reference, texts[each.path.stem], "whisper").words for each in recordings]
        self.errors = sum(counts, ErrorCounts())

    def row(self, whisper: "System | None") -> dict[str, Any]:
        median, cpu = statistics.median(self.seconds), statistics.median(self.cpu_seconds)
        return {
            "system": self.name,
            "seconds": round(median, 1),
            "from": round(min(self.seconds), 1),
            "to": round(max(self.seconds), 1),
            f"of {WHISPER}": round(median / statistics.median(whisper.seconds), 2) if whisper else None,
            "CPU s": round(cpu, 1),
            "of its CPU s": round(cpu / statistics.median(whisper.cpu_seconds), 2) if whisper else None,
            "WER %": round(100 * (self.errors.rate or 0.0), 2),
            "GB": round(max(self.memory), 2),
        }


@click.command()
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path), default="audio_samples")
@click.option("--model", default="tiny.en", show_default=True, help="The Whisper weights that all systems use.")
@click.option(
    "--default-model", default="base.en", show_default=True, help="Other weights for one more run of rostrum."
)
@click.option("--repeats", default=3, show_default=True, help="How often each system runs.")
@click.option("--peers", default=sys.executable, help="A Python with openai-whisper and faster-whisper.")
@click.option("--faster-whisper-model", help="The folder or the name of its model; by default --model.")
@click.option("--only", multiple=True, help="Only these systems.")
def main(
    corpus: Path,
    model: str,
    default_model: str,
    repeats: int,
    peers: str,
    faster_whisper_model: str | None,
    only: tuple[str, ...],
) -> None:
    """Print the table."""
    recordings = _recordings(corpus)
    systems = [
        *(_rostrum(corpus, name) for name in dict.fromkeys([model, default_model])),
        *(_transcribe(corpus, name) for name in dict.fromkeys([model, default_model])),
        _peer(WHISPER, peers, recordings, str(_checkpoint(model))),
    ]
    if subprocess.run([peers, "-c", "import faster_whisper"], capture_output=True).returncode == 0:
        named = faster_whisper_model or model
        systems += [_peer(name, peers, recordings, named) for name in ("faster-whisper", "faster-whisper batched")]
    systems = [system for system in systems if not only or system.name in only]
    for repeat in range(repeats):
        for system in systems:
            system.run(recordings)
            taken = f"{system.seconds[-1]:.1f} s, {system.cpu_seconds[-1]:.1f} CPU s"
            click.echo(f"{repeat + 1}/{repeats} {system.name}: {taken}", err=True)
    whisper = next((system for system in systems if system.name == WHISPER), None)
    print_rows(_machine(recordings), [system.row(whisper) for system in systems])


def _recordings(corpus: Path) -> list[Recording]:
    """The recordings whose reference transcript is known."""
    entries = open_corpus(corpus).with_transcripts("reference")
    return [Recording(entry.audio, entry.text("reference")) for entry in entries if entry.audio]


def _checkpoint(model: str) -> Path:
    found = models.find(model)
    return found.path / f"{found.name}.pt" if found.path.is_dir() else found.path


def _rostrum(corpus: Path, model: str) -> System:
    """The whole run."""

    def command(folder: Path) -> list[str]:
        run = [sys.executable, "-m", "flows", "run", str(corpus), "--out", str(folder / "run")]
        return [*run, "--set", f"transcribe.model={model}", "--set", "transcribe.engine=auto"]

    return System(f"rostrum run, {model}", command, _transcripts)


def _transcribe(corpus: Path, model: str) -> System:
    """The transcripts alone, as a notebook makes them."""

    def command(folder: Path) -> list[str]:
        settings = {"transcribe.model": model, "transcribe.engine": "auto"}
        call = f"rostrum.run({str(corpus)!r}, {str(folder / 'run')!r}, stages=['transcribe'], settings={settings})"
        return [sys.executable, "-c", f"import rostrum; {call}"]

    return System(f"rostrum, transcripts alone, {model}", command, _transcripts)


def _transcripts(folder: Path) -> dict[str, str]:
    found = (folder / "run").rglob("transcribe.json")
    return {
        path.parent.name: " ".join(word["text"] for word in json.loads(path.read_text())["data"]["words"])
        for path in found
    }


def _peer(name: str, python: str, recordings: list[Recording], model: str) -> System:
    files = [str(each.path) for each in recordings]
    return System(
        name,
        lambda folder: [python, str(HERE / "peers.py"), name, model, str(folder / "texts.json"), *files],
        lambda folder: dict(json.loads((folder / "texts.json").read_text())),
    )


def _machine(recordings: list[Recording]) -> str:
    import soundfile

    minutes = sum(soundfile.info(each.path).duration for each in recordings) / 60
    vnni = "with" if "vnni" in Path("/proc/cpuinfo").read_text() else "without"
    return (
        f"{len(recordings)} recordings, {minutes:.1f} minutes; {usable_cores()} cores, {platform.machine()} {vnni} "
        f"VNNI, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    main()

"""How a run grows with its corpus: time and memory per speech, a run with nothing to do, reading a long manifest.

    python benchmarks/growth.py [--speeches 10,100,1000,5000] [--rows 100000] [--hours 3 [--silent]] [--first-runs 1000]

A speech is a second of noise, so that the models' work does not hide the other costs. With --transcripts it is a given
transcript of a few words and its reference, without audio. Each step is a process of its own: the tables have its
seconds, its CPU seconds and its peak memory. `first` is `rostrum run` over up to --first-runs speeches; larger corpora
are processed by `rostrum.run`, without Prefect. `again` is the same command with nothing to do, and `show` prints the
table of the run. With --hours, a recording of that length is made of the sample speeches, ten seconds of one speaker
after ten of another; with --silent it has no sound. It goes through the --steps: stages, `speakers`, which tells its
speakers apart, and `all`, the whole of `rostrum run` with the report.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.records import SAMPLE_RATE
from pipeline.system.environment import prepare_environment

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

ROOT = Path(__file__).parents[1]
# Without the exchange, which has two speakers.
SPEECHES = sorted((ROOT / "audio_samples").glob("*_*_*.[!t]*"))
SPEECH_RATE = 24_000
STAGES = {"clips": "ingest,diarize,transcribe,score,segment,prosody", "transcripts": "transcribe,score,segment"}
VOICE_ACTIVITY, SPEAKERS = "diarize.mode=vad", "diarize.mode=full"


@click.command()
@click.option("--speeches", default="10,100,1000,5000", show_default=True, help="Sizes of the corpus.")
@click.option(
    "--first-runs", default=1000, show_default=True, help="The largest corpus that `rostrum run` begins with."
)
@click.option("--transcripts", is_flag=True, help="Speeches are given transcripts instead of clips.")
@click.option("--rows", default=100_000, show_default=True, help="Rows of the manifest to read.")
@click.option("--hours", default=0.0, show_default=True, help="Length of the long recording.")
@click.option("--silent", is_flag=True, help="The long recording is silent.")
@click.option(
    "--steps",
    default="ingest,diarize,transcribe,prosody,speakers",
    show_default=True,
    help="What the long one goes through.",
)
def main(speeches: str, first_runs: int, transcripts: bool, rows: int, hours: float, silent: bool, steps: str) -> None:
    """Print the tables."""
    kind = "transcripts" if transcripts else "clips"
    with tempfile.TemporaryDirectory() as place:
        os.environ["PREFECT_HOME"] = f"{place}/prefect"
        sizes = [int(size) for size in speeches.split(",") if size]
        if sizes:
            print_rows(kind, [_corpus(Path(place, str(size)), kind, size, size <= first_runs) for size in sizes])
        if rows:
            print_rows("manifest", [_manifest(Path(place, "rows"), rows)])
        if hours:
            print_rows(f"a recording of {hours:g} h", list(_recording(Path(place, "long"), hours, silent, steps)))


def _corpus(place: Path, kind: str, size: int, by_command: bool) -> dict[str, Any]:
    """The row of a corpus of so many speeches."""
    (write_clips if kind == "clips" else _write_transcripts)(place / "corpus", size)
    run = ["run", str(place / "corpus"), "--out", str(place / "run"), "--stages", STAGES[kind]]
    run += ["--set", VOICE_ACTIVITY] if kind == "clips" else []
    row: dict[str, Any] = {"speeches": size}
    if by_command:
        row |= _measured("first", *run, "--no-report")
        row["ms per speech"] = round(1000 * row["first s"] / size)
    else:
        _run_without_prefect(place, STAGES[kind].split(","))
    _measured("checked", *run, "--no-report")  # results of another process are checked once
    row |= _measured("again", *run, "--no-report") | _measured("show", "show", str(place / "run"))
    click.echo(row, err=True)
    return row


def write_clips(folder: Path, count: int) -> None:
    """A second of noise for each speech, and what is said in it."""
    import soundfile

    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    for number in range(count):
        noise = random.normal(0, 0.01, SAMPLE_RATE)
        soundfile.write(folder / f"speech{number:05d}.wav", noise, SAMPLE_RATE)
        (folder / f"speech{number:05d}.txt").write_text("Nobody says a word.")


def _write_transcripts(folder: Path, count: int) -> None:
    """A recogniser's words for each speech, and what was said."""
    folder.mkdir(parents=True)
    rows = ["id,file,transcript,reference"]
    for number in range(count):
        name = f"speech{number:05d}"
        words = ["nobody", "says", "a", "word", f"{number}"]
        lines = [f"{name} 1 {0.5 * place} 0.4 {word}" for place, word in enumerate(words)]
        (folder / f"{name}.ctm").write_text("\n".join(lines))
        (folder / f"{name}.txt").write_text("Nobody said a word.")
        rows.append(f"{name},,{name}.ctm,{name}.txt")
    (folder / "speeches.csv").write_text("\n".join(rows))


def _run_without_prefect(place: Path, stages: list[str]) -> None:
    """In another process: those that are measured would begin with the memory of this one."""
    settings = dict([VOICE_ACTIVITY.split("=")]) if "diarize" in stages else {}
    run = f"rostrum.run({str(place / 'corpus')!r}, {str(place / 'run')!r}, stages={stages!r}, settings={settings!r})"
    subprocess.run([sys.executable, "-c", f"import rostrum; {run}"], cwd=ROOT, check=True)


def _measured(what: str, *arguments: str) -> dict[str, Any]:
    """Seconds, CPU seconds and megabytes of the command with these arguments."""
    began = time.perf_counter()
    code = "from flows.cli import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise click.ClickException(f"rostrum {' '.join(arguments)} failed")
    seconds = time.perf_counter() - began
    cpu = usage.ru_utime + usage.ru_stime
    return {f"{what} s": round(seconds, 1), f"{what} CPU s": round(cpu, 1), f"{what} MB": usage.ru_maxrss // 1024}


def _manifest(folder: Path, rows: int) -> dict[str, Any]:
    """The row of a manifest that describes so many speeches by their transcripts."""
    folder.mkdir()
    (folder / "talk.ctm").write_text("talk 1 0.0 0.4 nobody\ntalk 1 0.5 0.4 speaks\n")
    (folder / "motions.csv").write_text("id,text\n" + "".join(f"m{n},We should do {n}.\n" for n in range(1000)))
    lines = (f"speech{n},m{n % 1000},{'pro' if n % 2 else 'con'},Speaker {n % 500},talk.ctm\n" for n in range(rows))
    (folder / "speeches.csv").write_text("id,motion,stance,speaker,transcript\n" + "".join(lines))
    return {"rows": rows} | _measured("check", "check", str(folder))


def _recording(folder: Path, hours: float, silent: bool, steps: str) -> Iterator[dict[str, Any]]:
    """The rows of one long recording."""
    folder.mkdir()
    (_write_silence if silent else write_recording)(folder / "long.flac", hours)
    run = ["run", str(folder / "long.flac"), "--out", f"{folder}/run"]
    for step in steps.split(","):
        stage, mode = ("diarize", SPEAKERS) if step == "speakers" else (step, VOICE_ACTIVITY)
        options = [] if step == "all" else ["--no-report", "--set", mode, "--stages", stage]
        row = {"step": step, **_measured("run", *run, *options)}
        click.echo(row, err=True)
        yield row


def _write_silence(path: Path, hours: float) -> None:
    import soundfile

    with soundfile.SoundFile(path, "w", SAMPLE_RATE, 1) as file:
        for _ in range(round(hours * 360)):
            file.write(np.zeros(10 * SAMPLE_RATE, np.int16))


def write_recording(path: Path, hours: float) -> None:
    """The speakers of the samples, ten seconds of one after ten of another, until so many hours are full."""
    import soundfile

    voices = [soundfile.read(each, dtype="int16")[0] for each in SPEECHES]
    turn = 10 * SPEECH_RATE
    with soundfile.SoundFile(path, "w", SPEECH_RATE, 1) as file:
        for number in range(round(hours * 360)):
            lap, speaker = divmod(number, len(voices))
            start = turn * (lap % (len(voices[speaker]) // turn))
            file.write(voices[speaker][start : start + turn])


if __name__ == "__main__":
    prepare_environment()
    main()

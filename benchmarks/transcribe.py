"""How long `rostrum transcribe` takes from cold, and what of it is the model.

python benchmarks/transcribe.py [RECORDING] [--seconds 60] [--times 3]

Each time in a new process, with an empty cache of transcripts. Phases are measured in one more process: the import of
libraries, decoding the audio, finding speech, loading the model, recognising, cutting sentences. Each time is given as
[seconds by the clock, seconds of the processor]: the second one stays the same where other programs run, too.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-c", "from flows.cli import main; main()", "transcribe"]
# In a process of its own, because a library is imported once. Each phase's imports come before it.
PHASES = """
import json, sys, time
from pathlib import Path
clocks = time.perf_counter, time.process_time
began, told = [clock() for clock in clocks], {}

def phase(name):
    global began
    now = [clock() for clock in clocks]
    told[name], began = [round(after - before, 2) for before, after in zip(began, now)], now

from pipeline.system.environment import prepare_environment
prepare_environment()
from pipeline import configuration
from pipeline.transcribe.recogniser import engine
from pipeline.run.transcription import refuse_missing_models
from pipeline.run.transcription import for_one_recording
from pipeline.records import AudioFile, Speech
from pipeline.stage import stage_named
from pipeline.system.environment import import_torchaudio
settings = for_one_recording(configuration.load(environment={}), speakers=False)
refuse_missing_models(settings)
phase("start")
import nltk.tokenize.punkt, pyloudnorm, torch, whisper.timing
import_torchaudio()
import silero_vad
phase("imports")
recording = stage_named("ingest")(AudioFile(path=Path(sys.argv[1])), settings=settings.ingest)
phase("decoding")
turns = stage_named("diarize")(None, recording, None, settings=settings.diarize)
phase("finding speech")
engine(settings.transcribe).load(settings.transcribe)
phase("loading the model")
transcript = stage_named("transcribe")(recording, turns, None, None, settings=settings.transcribe)
phase("recognising")
stage_named("segment")(transcript, settings=settings.segment)
phase("sentences")
recording.audio.discard()
print(json.dumps({"recogniser": transcript.recogniser, "seconds": told}))
"""


@click.command()
@click.argument("recording", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--seconds", default=60.0, show_default=True, help="Take so much of the recording.")
@click.option("--times", default=3, show_default=True, help="How often to call the command.")
def main(recording: Path | None, seconds: float, times: int) -> None:
    """Measure, and print one JSON object."""
    with tempfile.TemporaryDirectory() as folder:
        clip = _clip(recording or ROOT / "audio_samples" / "schools_con_ruth.ogg", seconds, Path(folder, "clip.wav"))
        cold = [_timed(clip, Path(folder, f"cache{each}")) for each in range(times)]
        again = _timed(clip, Path(folder, "cache0"))
        found = subprocess.run([sys.executable, "-c", PHASES, str(clip)], stdout=subprocess.PIPE, check=True, cwd=ROOT)
    phases = json.loads(found.stdout)
    click.echo(json.dumps({"cold": cold, "from the cache": again, **phases}))


def _clip(recording: Path, seconds: float, path: Path) -> Path:
    import soundfile

    samples, rate = soundfile.read(recording, dtype="float32")
    soundfile.write(path, samples[: round(seconds * rate)], rate)
    return path


def _timed(clip: Path, cache: Path) -> tuple[float, float]:
    """Seconds that the command takes with this cache of transcripts: by the clock, and of the processor."""
    environment = {**os.environ, "ROSTRUM_TRANSCRIPTS": str(cache)}
    began, used = time.perf_counter(), _used()
    subprocess.run([*COMMAND, str(clip)], check=True, capture_output=True, cwd=ROOT, env=environment)
    return round(time.perf_counter() - began, 2), round(_used() - used, 2)


def _used() -> float:
    """Seconds of the processor that the processes took which this one has started, and which have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()

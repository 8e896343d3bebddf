"""Prosody of a four-minute speech: seconds of one core for each of its parts, and how many times faster than speech.

    OMP_NUM_THREADS=1 PYTHONPATH=. python benchmarks/prosody.py [--repeats 5]

The speech is the samples' recordings, one after another, with the words of their texts spread evenly over them.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.ingest.decode import Resampler, open_audio
from pipeline.prosody.contours import contours
from pipeline.prosody.prosody import Sound, group_measures, sentence_measures, speaker_norms
from pipeline.prosody.voice import cycles, harmonicity, track_pitch
from pipeline.records import SAMPLE_RATE, Sentence, Word
from pipeline.transcribe.stage import Transcript

SAMPLES = Path(__file__).parents[1] / "audio_samples"
SECONDS = 240
_NAMES = ("schools_pro_anna.ogg", "transport_pro_oliver.flac", "schools_con_ruth.ogg", "transport_con_tom.ogg")
_SETTINGS = {"floor": 50.0, "ceiling": 500.0, "threshold": 0.5}


def four_minutes() -> tuple[np.ndarray, Transcript, list[Sentence]]:
    """(samples, transcript, sentences) of the first four minutes of the samples."""
    sound, words, sentences = [np.zeros(0, dtype=np.float32)], [], []
    for name in _NAMES:
        source = open_audio(SAMPLES / name)
        resampler = Resampler(source.rate)
        part = np.concatenate([resampler.push(block.mean(axis=1)) for block in source.blocks] + [resampler.finish()])
        begin = sum(map(len, sound)) / SAMPLE_RATE
        sound.append(part)
        lines = (SAMPLES / name).with_suffix(".txt").read_text("utf-8").split("\n")
        said = [line.split() for line in lines if line]
        each = len(part) / SAMPLE_RATE / sum(map(len, said))
        for line in said:
            first = len(words)
            for text in line:
                words.append(Word(text=text, start=begin, end=begin + each))
                begin += each
            sentences.append(
                Sentence(text=" ".join(line), start=words[first].start, end=begin, first=first, last=len(words))
            )
    kept = [each for each in sentences if each.end <= SECONDS]
    transcript = Transcript(
        words=tuple(words[: kept[-1].last]), language="en", recogniser="text", device="none", punctuated=True
    )
    return np.concatenate(sound)[: SECONDS * SAMPLE_RATE], transcript, kept


@click.command()
@click.option("--repeats", default=5, show_default=True, help="Runs of each part; the median is printed.")
def main(repeats: int) -> None:
    """Print the median seconds of each part."""
    samples, transcript, sentences = four_minutes()

    def read(start: float, end: float) -> np.ndarray:
        return samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]

    def everything() -> None:
        sound = Sound.from_transcript(*contours(read, SECONDS, **_SETTINGS), transcript, None, 0.2)
        speaker_norms(sentence_measures(sound, sentences))
        group_measures(sound, sentences)

    pitch = track_pitch(samples).hertz
    found = contours(read, SECONDS, **_SETTINGS)
    sound = Sound.from_transcript(*found, transcript, None, 0.2)
    parts: dict[str, Callable[[], object]] = {
        "pitch": lambda: track_pitch(samples),
        "harmonicity": lambda: harmonicity(samples, pitch),
        "cycles": lambda: cycles(samples, pitch),
        "all contours": lambda: contours(read, SECONDS, **_SETTINGS),
        "pauses and emphasis": lambda: Sound.from_transcript(*found, transcript, None, 0.2),
        "sentences": lambda: sentence_measures(sound, sentences),
        "word groups": lambda: group_measures(sound, sentences),
        "everything": everything,
    }
    rows = []
    for name, part in parts.items():
        seconds = statistics.median(_seconds(part) for _ in range(repeats))
        rows.append({"part": name, "seconds": seconds, "times realtime": SECONDS / seconds})
    print_rows(f"prosody of {SECONDS} s, one core", rows)


def _seconds(part: Callable[[], object]) -> float:
    """Seconds of processor time: what an idle core would need."""
    started = time.process_time()
    part()
    return time.process_time() - started


if __name__ == "__main__":
    main()

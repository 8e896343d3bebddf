"""Word error rates of rostrum beside those of the `whisper` command line, with the same weights on the same samples.

    python benchmarks/asr.py --data DIR [--model tiny.en]

DIR holds `transcripts.tsv` (utterance id, tab, what was said) and an audio file of that name for each, in any folder.
Three tables: the utterances one by one; all of them in one file, with ten seconds of silence or noise between them; and
a minute each of sounds that are not speech.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from pipeline import models
from pipeline.arrays import Samples
from pipeline.cli.console import print_rows
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.diarize.stage import DiarizeSettings
from pipeline.ingest.stage import IngestSettings
from pipeline.records import SAMPLE_RATE, AudioFile, ErrorCounts
from pipeline.score.stage import word_errors
from pipeline.system.environment import import_torchaudio, prepare_environment
from pipeline.transcribe.stage import TranscribeSettings

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

GAP_SECONDS = 10.0
SOUND_SECONDS = 60.0
NOISE_LEVEL = 0.02
# A word counts as one in a gap when its middle lies there, at least so many seconds from speech: word times are not
# exact.
MARGIN = 0.5


class Heard(NamedTuple):
    """A word and the middle of its time."""

    text: str
    middle: float


Method = Callable[[Samples], list[Heard]]


class Utterance(NamedTuple):
    name: str
    text: str
    samples: Samples


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The data.")
@click.option("--model", default="tiny.en", help="The Whisper weights that both use.")
@click.option("--set", "part", type=click.Choice(["utterances", "gaps", "sounds"]), multiple=True, help="Only these.")
def main(data: Path, model: str, part: tuple[str, ...]) -> None:
    """Print the tables."""
    utterances = list(_utterances(data))
    methods = {f"rostrum, {engine}": _rostrum(model, engine) for engine in ("openai", "ctranslate2")}
    methods["whisper"] = _whisper(model)
    if not part or "utterances" in part:
        print_rows("utterances", [_score_utterances(name, hear, utterances) for name, hear in methods.items()])
    methods["whisper --word_timestamps True"] = _whisper(model, word_timestamps=True)
    if not part or "gaps" in part:
        print_rows("one file with gaps", [_score_gaps(name, hear, utterances) for name, hear in methods.items()])
    if not part or "sounds" in part:
        print_rows("words heard in a minute of", [_score_sounds(name, hear) for name, hear in methods.items()])


def _utterances(data: Path) -> Iterator[Utterance]:
    import soundfile

    files = {path.stem: path for path in data.rglob("*") if path.suffix in AUDIO_SUFFIXES}
    for line in (data / "transcripts.tsv").read_text(encoding="utf-8").splitlines():
        name, text = line.split("\t")
        samples, rate = soundfile.read(files[name], dtype="float32")
        assert rate == SAMPLE_RATE, f"{files[name]}: {rate} Hz; the command line would resample it in its own way"
        yield Utterance(name, text, samples)


def _rostrum(model: str, engine: str) -> Method:
    """The stages as a run does them."""
    from pipeline.diarize.stage import diarize
    from pipeline.ingest.stage import ingest
    from pipeline.transcribe.stage import transcribe

    settings = TranscribeSettings(model=model, engine=engine)

    def hear(samples: Samples) -> list[Heard]:
        import soundfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "audio.wav")
            soundfile.write(path, samples, SAMPLE_RATE)
            recording = ingest(AudioFile(path=path), settings=IngestSettings())
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        transcript = transcribe(recording, turns, None, None, settings=settings)
        recording.audio.path.unlink()
        return [Heard(word.text, word.middle) for word in transcript.words]

    return hear


def _whisper(model: str, word_timestamps: bool = False) -> Method:
    """`whisper.transcribe` with the arguments that the command line gives it."""
    import whisper

    weights = whisper.load_model(model, download_root=str(models.find(model).path))

    def hear(samples: Samples) -> list[Heard]:
        result = whisper.transcribe(
            weights,
            samples,
            temperature=tuple(np.arange(0, 1.0 + 1e-6, 0.2)),
            best_of=5,
            beam_size=5,
            word_timestamps=word_timestamps,
            fp16=weights.device.type == "cuda",
        )
        return list(_heard(result["segments"]))

    return hear


def _heard(segments: Sequence[dict[str, Any]]) -> Iterator[Heard]:
    """Words with times. Without word times, a segment's words are spread over it."""
    for segment in segments:
        if "words" in segment:
            yield from (Heard(word["word"], (word["start"] + word["end"]) / 2) for word in segment["words"])
        else:
            words = segment["text"].split()
            step = (segment["end"] - segment["start"]) / max(1, len(words))
            yield from (Heard(word, segment["start"] + (i + 0.5) * step) for i, word in enumerate(words))


def _text(heard: Sequence[Heard]) -> str:
    return " ".join(word.text.strip() for word in heard)


def _score_utterances(name: str, hear: Method, utterances: Sequence[Utterance]) -> dict[str, Any]:
    started = time.perf_counter()
    counts = [word_errors(each.text, _text(hear(each.samples)), "whisper").words for each in utterances]
    total = sum(counts, ErrorCounts())
    return _row(name, total, sum(len(each.samples) for each in utterances), started)


def _score_gaps(name: str, hear: Method, utterances: Sequence[Utterance]) -> dict[str, Any]:
    samples, gaps = _with_gaps(utterances)
    started = time.perf_counter()
    heard = hear(samples)
    in_gaps = [word for word in heard if any(start + MARGIN < word.middle < end - MARGIN for start, end in gaps)]
    counts = word_errors(" ".join(each.text for each in utterances), _text(heard), "whisper").words
    return _row(name, counts, len(samples), started) | {"words in gaps": len(in_gaps)}


def _with_gaps(utterances: Sequence[Utterance]) -> tuple[Samples, list[tuple[float, float]]]:
    """All utterances in one signal, and where the gaps are: silence and noise in turn."""
    random = np.random.default_rng(0)
    parts, gaps, length = [], [], 0
    for index, utterance in enumerate(utterances):
        gap = np.zeros(round(GAP_SECONDS * SAMPLE_RATE), dtype=np.float32)
        if index % 2:
            gap = random.normal(0, NOISE_LEVEL, len(gap)).astype(np.float32)
        length += len(utterance.samples)
        gaps.append((length / SAMPLE_RATE, length / SAMPLE_RATE + GAP_SECONDS))
        parts += [utterance.samples, gap]
        length += len(gap)
    return np.concatenate(parts), gaps


def _row(name: str, counts: ErrorCounts, samples: int, started: float) -> dict[str, Any]:
    seconds = time.perf_counter() - started
    return {
        "system": name,
        "WER %": round(100 * (counts.rate or 0.0), 2),
        "S/D/I": f"{counts.substitutions}/{counts.deletions}/{counts.insertions}",
        "words": counts.length,
        "x realtime": round(samples / SAMPLE_RATE / seconds, 1),
    }


def _score_sounds(name: str, hear: Method) -> dict[str, Any]:
    return {"system": name, **{sound: len(hear(samples)) for sound, samples in sounds().items()}}


def sounds() -> dict[str, Samples]:
    """A minute each of sounds that are not speech."""
    random = np.random.default_rng(0)
    clock = np.arange(round(SOUND_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    signals = {
        "silence": np.zeros(len(clock)),
        "noise": random.normal(0, 0.1, len(clock)),
        "tone": 0.3 * np.sin(2 * np.pi * 440 * clock),
        "music": _music(clock),
    }
    return {name: signal.astype(np.float32) for name, signal in signals.items()}


def _music(clock: NDArray[np.float64]) -> NDArray[np.float64]:
    """Plucked chords, two a second, of four notes with eight harmonics each."""
    beat = np.floor(clock * 2).astype(int)
    envelope = np.exp(-4 * (clock * 2 - beat))
    chords = 2.0 ** (np.array([[0, 4, 7, 12], [9, 12, 16, 21], [5, 9, 12, 17], [7, 11, 14, 19]]) / 12)
    notes = 220 * chords[beat // 4 % 4]
    return (
        0.03
        * envelope
        * sum(
            np.sin(2 * np.pi * harmonic * notes[:, note] * clock) / harmonic
            for note in range(4)
            for harmonic in range(1, 9)
        )
    )


if __name__ == "__main__":
    prepare_environment()
    import_torchaudio()
    main()

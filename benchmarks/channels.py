"""Two people, each with a microphone that also hears the other: word errors of each person (cpWER).

    python benchmarks/channels.py --data DIR [--model base.en] [--crosstalk -20]

DIR holds `transcripts.tsv` (utterance id, tab, what was said) and an audio file of that name for each, as LibriSpeech
has them. Of every two neighbouring speakers an interview is made, in which each turn begins a second before the other's
ends. cpWER is by meeteval, over all interviews together.
"""

import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from pipeline.arrays import Samples
from pipeline.cli.console import print_rows
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.diarize.stage import DiarizeSettings, diarize
from pipeline.ingest.stage import ingest
from pipeline.records import SAMPLE_RATE, AudioFile
from pipeline.score import normaliser
from pipeline.transcribe.stage import TranscribeSettings, transcribe

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

OVERLAP = SAMPLE_RATE
NOISE_DB = -60.0


class Interview(NamedTuple):
    """What both people say (samples, 2), each alone, and their words by speaker."""

    name: str
    alone: Samples
    said: dict[str, str]


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The data.")
@click.option("--model", default="base.en", show_default=True, help="The Whisper weights.")
@click.option("--crosstalk", default=-20.0, show_default=True, help="How loud each is in the other's channel, in dB.")
def main(data: Path, model: str, crosstalk: float) -> None:
    """Print the table."""
    interviews = list(_interviews(data))
    leak = 10 ** (crosstalk / 20)
    bleeding = np.array([[1.0, leak], [leak, 1.0]], dtype=np.float32)
    cases: list[tuple[str, Any, DiarizeSettings]] = [
        ("clean channels", np.eye(2, dtype=np.float32), DiarizeSettings(channels="auto")),
        ("crosstalk, auto", bleeding, DiarizeSettings(channels="auto")),
        ("crosstalk, mix", bleeding, DiarizeSettings(channels="mix")),
    ]
    rows = [_row(name, [(each, each.alone @ mixing) for each in interviews], how, model) for name, mixing, how in cases]
    print_rows(f"{len(interviews)} interviews, {model}", rows)


def _interviews(data: Path) -> Iterator[Interview]:
    import soundfile

    files = {path.stem: path for path in sorted(data.rglob("*")) if path.suffix in AUDIO_SUFFIXES}
    by_speaker: dict[str, list[tuple[str, Samples]]] = {}
    for line in (data / "transcripts.tsv").read_text(encoding="utf-8").splitlines():
        name, text = line.split("\t")
        by_speaker.setdefault(name.split("-")[0], []).append((text, soundfile.read(files[name], dtype="float32")[0]))
    speakers = list(by_speaker)
    for one, other in pairwise([*speakers, speakers[0]]):
        turns = [
            (side, *turn)
            for both in zip(by_speaker[one], by_speaker[other], strict=False)
            for side, turn in enumerate(both)
        ]
        yield Interview(
            f"{one}-{other}",
            _placed(turns),
            {name: " ".join(text for text, _ in by_speaker[name]) for name in (one, other)},
        )


def _placed(turns: list[tuple[int, str, Samples]]) -> Samples:
    """The turns one after the other, each in the channel of its speaker, with a little noise in both."""
    length = sum(len(samples) for _, _, samples in turns)
    noise = np.random.default_rng(0).normal(0, 10 ** (NOISE_DB / 20), (length, 2))
    placed = noise.astype(np.float32)
    start = 0
    for side, _, samples in turns:
        placed[start : start + len(samples), side] += samples
        start += len(samples) - OVERLAP
    return placed


def _row(name: str, recordings: list[tuple[Interview, Samples]], how: DiarizeSettings, model: str) -> dict[str, Any]:
    import meeteval

    normalise = normaliser("whisper", "en")
    total, by_channel = None, 0
    for interview, samples in recordings:
        heard, channels = _heard(samples, how, model)
        errors = meeteval.wer.cp_word_error_rate(
            {speaker: normalise(text) for speaker, text in interview.said.items()},
            {speaker: normalise(text) for speaker, text in heard.items()},
        )
        total = errors if total is None else total + errors
        by_channel += channels
    assert total is not None
    counts = {"S": total.substitutions, "D": total.deletions, "I": total.insertions}
    return {"channels": name, "by channel": f"{by_channel} of {len(recordings)}", "cpWER": total.error_rate, **counts}


def _heard(samples: Samples, how: DiarizeSettings, model: str) -> tuple[dict[str, str], bool]:
    """What each voice says by the stages of a run, and whether its channel was recognised by itself."""
    import soundfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "interview.wav")
        soundfile.write(path, samples, SAMPLE_RATE)
        recording = ingest(AudioFile(path=path))
        turns = diarize(None, recording, None, settings=how)
        transcript = transcribe(recording, turns, None, None, settings=TranscribeSettings(model=model))
        for attachment in recording.attachments():
            attachment.discard()
    heard: dict[str, list[str]] = {}
    for word in transcript.words:
        heard.setdefault(word.speaker or "nobody", []).append(word.text)
    return {speaker: " ".join(words) for speaker, words in heard.items()}, bool(turns.channels)


if __name__ == "__main__":
    main()

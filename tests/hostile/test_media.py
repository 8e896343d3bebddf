"""Recordings of all kinds, whole and damaged: the run never crashes, each bad file is one line, all others are done."""

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest

import rostrum
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary
from tests.hostile.test_corpora import PYTHON
from tests.sounds import encode, sine, write, write_speech

# (suffix, codec) as FFmpeg makes them, with rates and channels in all combinations that it accepts.
KINDS = [
    *[
        ("wav", codec)
        for codec in ("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_f64le", "pcm_mulaw", "adpcm_ms")
    ],
    *[("mkv", codec) for codec in ("pcm_s16be", "flac", "libvorbis", "ac3", "eac3", "mp2", "alac", "wavpack", "tta")],
    *[("mov", codec) for codec in ("pcm_s16be", "pcm_s24be", "alac", "aac", "pcm_alaw")],
    *[("mp4", codec) for codec in ("aac", "libopus", "ac3", "alac", "libmp3lame")],
    *[("ogg", "libvorbis"), ("opus", "libopus"), ("webm", "libopus"), ("webm", "libvorbis"), ("oga", "flac")],
    *[
        ("flac", "flac"),
        ("mp3", "libmp3lame"),
        ("aac", "aac"),
        ("ac3", "ac3"),
        ("aiff", "pcm_s16be"),
        ("au", "pcm_s16be"),
    ],
    *[
        ("avi", "pcm_s16le"),
        ("flv", "aac"),
        ("ts", "mp2"),
        ("caf", "pcm_s16le"),
        ("w64", "pcm_s16le"),
        ("amr", "amr_nb"),
    ],
    *[("wma", "wmav2"), ("mka", "opus"), ("mpg", "mp2"), ("3gp", "aac"), ("m4a", "alac"), ("wv", "wavpack")],
]
RATES, CHANNELS = (48_000, 8_000, 44_100, 11_025, 96_000, 192_000, 1_000), (1, 2, 8, 6, 3, 16)
# What stands where a number, a size or a name is trusted.
POISON = (
    b"\xff" * 8,
    b"\0" * 16,
    b"\x7f\xff\xff\xff",
    b"RIFF",
    b"OggS",
    b"fLaC",
    b"moov",
    b"ftyp",
    b"\x1aE\xdf\xa3",
    b"ID3\x04",
)
Mutation = Callable[[bytes, random.Random], bytes]


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def cut_in_the_header(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(200)]


def other_header(content: bytes, chance: random.Random) -> bytes:
    poison = chance.choice(POISON)
    return poison + content[len(poison) :]


def poisoned(content: bytes, chance: random.Random) -> bytes:
    at, poison = chance.randrange(min(len(content), 400) + 1), chance.choice(POISON)
    return content[:at] + poison + content[at + len(poison) :]


def flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(20):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def flipped_in_the_header(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(4):
        changed[chance.randrange(min(len(changed), 100))] = chance.randrange(256)
    return bytes(changed)


def without_its_beginning(content: bytes, chance: random.Random) -> bytes:
    return content[chance.randrange(min(len(content), 2_000)) :]


def twice(content: bytes, chance: random.Random) -> bytes:
    return content + content[chance.randrange(len(content)) :]


MUTATIONS: tuple[Mutation, ...] = (
    cut,
    cut_in_the_header,
    other_header,
    poisoned,
    flipped,
    flipped_in_the_header,
    without_its_beginning,
    twice,
)


def made_by_ffmpeg(folder: Path) -> Iterator[Path]:
    """Recordings of a quarter of a second in every container and codec, with rates and channels in turn."""
    combinations = list(product(RATES, CHANNELS))
    kinds = [(suffix, codec) for suffix, codec in KINDS if f".{suffix}" in AUDIO_SUFFIXES]
    for number, (suffix, codec) in enumerate(kinds * 3):
        rate, channels = combinations[number * 5 % len(combinations)]
        path = folder / f"{number:03d}-{codec}-{rate}-{channels}.{suffix}"
        tone = ["-f", "lavfi", "-i", f"sine=frequency=300:duration=0.25:sample_rate={rate}"]
        command = [
            "ffmpeg",
            "-nostdin",
            "-v",
            "quiet",
            "-y",
            *tone,
            "-ac",
            str(channels),
            "-c:a",
            codec,
            "-strict",
            "-2",
        ]
        subprocess.run([*command, str(path)], check=False, timeout=60)
        if path.exists() and path.stat().st_size:
            yield path
        else:
            path.unlink(missing_ok=True)  # the codec takes no such rate or number of channels


def made_here(folder: Path) -> Iterator[Path]:
    """A few recordings by the libraries of rostrum itself."""
    wide = np.stack([sine(0.25, 48_000)] * 8, axis=1)
    yield write(folder / "a.wav", sine(0.25))
    yield write(folder / "b.flac", sine(0.25))
    yield write(folder / "c.ogg", sine(0.25))
    yield encode(folder / "d.mp4", sine(0.25, 48_000), 48_000, "aac")
    yield encode(folder / "e.mp3", sine(0.25, 48_000), 48_000, "libmp3lame")
    yield encode(folder / "f.mov", wide, 48_000, "pcm_s16le", "7.1")
    yield encode(folder / "g.webm", wide, 48_000, "libopus", "7.1")


def damaged(whole: list[Path], seed: int) -> Iterator[Path]:
    """Damaged copies, without end: each whole recording with each mutation in turn."""
    chance = random.Random(seed)
    while True:
        for number, mutate in enumerate(MUTATIONS * 7):
            source = whole[chance.randrange(len(whole))]
            path = source.with_name(f"{mutate.__name__}{number}-{chance.randrange(10**6)}{source.suffix}")
            path.write_bytes(mutate(source.read_bytes(), chance))
            yield path


def check(corpus: Path, run: Path, files: list[Path]) -> RunSummary:
    """Run over these files and good ones. All end, and what is told is for people."""
    for name in ("0-first", "m-middle", "z-last"):
        write_speech(corpus / f"{name}.wav", seconds=0.5)
    summary = rostrum.run(corpus, run, ["ingest"])
    ended = {item.id: item.outcomes[0] for item in summary.items}
    assert len(ended) == len({path.stem for path in corpus.iterdir()})
    for path in files:
        outcome = ended[path.stem]
        assert outcome.state in ("run", "failed"), path.name
        if outcome.state == "run":
            assert Store(run).artifact(outcome.scope, "ingest") is not None
        else:
            assert path.name in outcome.reason, outcome.reason
            assert re.fullmatch(r"[^\n]{20,600}", outcome.reason), outcome.reason
            assert "mistake in rostrum" not in outcome.reason, outcome.reason
            assert not PYTHON.search(outcome.reason), outcome.reason
    for name in ("0-first", "m-middle", "z-last"):
        assert ended[name].state == "run"
    return summary


def test_some_media_whole_and_damaged(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    whole = list(made_here(tmp_path / "corpus"))
    files = [*whole, *islice(damaged(whole, seed=1), 24)]
    summary = check(tmp_path / "corpus", tmp_path / "run", files)
    good = {item.id for item in summary.items if item.outcomes[0].state == "run"}
    assert good >= {path.stem for path in whole}


@pytest.mark.slow
def test_three_hundred_media_whole_and_damaged(tmp_path: Path) -> None:
    """Those of FFmpeg's program, if it is installed; else all are made from a few by damaging them."""
    (tmp_path / "corpus").mkdir()
    makers = made_by_ffmpeg if shutil.which("ffmpeg") else made_here
    whole = list(makers(tmp_path / "corpus"))
    files = [*whole, *islice(damaged(whole, seed=2), 300 - len(whole))]
    assert len(files) == 300
    check(tmp_path / "corpus", tmp_path / "run", files)

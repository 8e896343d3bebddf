import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Samples
from pipeline.diarize.speech_activity import find_speech, speech_probabilities
from pipeline.ingest.decode import Resampler, open_audio
from tests.voices import RATE, coloured, noise, silence, voice

SAMPLES = Path(__file__).parents[3] / "audio_samples"
SECONDS = 8.0
_TIME = np.arange(round(SECONDS * RATE)) / RATE


@pytest.fixture(scope="module")
def speech() -> Samples:
    """Eight seconds of a woman's voice, from 0.3 s on."""
    source = open_audio(SAMPLES / "schools_pro_anna.ogg")
    resampler = Resampler(source.rate)
    blocks = [resampler.push(block.mean(axis=1, dtype=np.float32)) for block in source.blocks]
    return np.concatenate(blocks)[: round(SECONDS * RATE)]


def melody(chords: bool) -> Samples:
    """Plucked notes of a scale, one or three at a time."""
    random = np.random.default_rng(0)
    scale = 261.6 * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12]) / 12)
    time = np.arange(RATE // 2) / RATE
    sound = []
    for _ in range(int(SECONDS * 2)):
        notes = random.choice(scale, 3 if chords else 1, replace=False)
        partials = sum(np.sin(2 * np.pi * note * k * time) / k**1.5 for note in notes for k in range(1, 8))
        sound.append(0.15 * partials * np.exp(-3 * time))
    return np.concatenate(sound).astype(np.float32)


NOT_SPEECH = {
    "nothing": silence(0),
    "a moment": silence(0.005),
    "silence": silence(SECONDS),
    "hiss": noise(SECONDS, 0.3),
    "faint hiss": noise(SECONDS, 1e-4),
    "pink noise": coloured(SECONDS, -3),
    "brown noise": coloured(SECONDS, -6),
    "hum": voice(50.0, SECONDS),
    "a pure tone": (0.3 * np.sin(2 * np.pi * 440 * _TIME)).astype(np.float32),
    "a low tone": (0.3 * np.sin(2 * np.pi * 100 * _TIME)).astype(np.float32),
    "a siren": (0.3 * np.sin(2 * np.pi * (200 * _TIME + 50 * _TIME**2))).astype(np.float32),
    "a melody": melody(chords=False),
    "chords": melody(chords=True),
    "clicks": np.where(np.arange(len(_TIME)) % 8000 == 0, 0.9, 0).astype(np.float32),
}


@pytest.mark.parametrize("sound", NOT_SPEECH.values(), ids=NOT_SPEECH)
def test_what_is_not_speech_gives_none(sound: Samples) -> None:
    assert find_speech(sound) == []


def test_speech_is_found_where_it_is(speech: Samples) -> None:
    found = find_speech(np.concatenate([silence(3), speech, silence(3)]))
    assert found[0][0] == pytest.approx(3.3, abs=0.2)
    assert found[-1][1] <= 3 + SECONDS + 0.2
    assert sum(end - start for start, end in found) > 0.7 * SECONDS
    assert all(before[1] <= after[0] for before, after in zip(found, found[1:], strict=False))


def test_blocks_are_as_the_whole(speech: Samples) -> None:
    blocks = [speech[start : start + 512 * 40] for start in range(0, len(speech), 512 * 40)]
    whole, length = speech_probabilities([speech])
    parts, parts_length = speech_probabilities(blocks)
    assert length == parts_length == len(speech)
    assert np.allclose(whole, parts, atol=1e-4)
    assert find_speech(blocks) == find_speech(speech)


def test_padding_and_silence_are_settings(speech: Samples) -> None:
    sound = np.concatenate([silence(1), speech[: 2 * RATE], silence(0.6), speech[: 2 * RATE], silence(1)])
    apart = find_speech(sound, min_silence=0.3, padding=0.0)
    wider = find_speech(sound, min_silence=0.3, padding=0.1)
    assert len(find_speech(sound, min_silence=2.0)) == 1 < len(apart)
    assert wider[0][0] == pytest.approx(apart[0][0] - 0.1)


def test_torch_keeps_its_threads() -> None:
    """In a process of its own, because importing the model's package is what changes them."""
    code = (
        "import numpy, torch; torch.set_num_threads(2); from pipeline.diarize.speech_activity import find_speech;"
        "find_speech(numpy.zeros(16000, numpy.float32)); print(torch.get_num_threads())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "2"

"""Recordings are decoded in other processes: whatever happens there, it costs one recording."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import rostrum
from pipeline.errors import RostrumError
from pipeline.ingest import decoders
from pipeline.ingest.decode import open_audio, stated_duration
from tests.sounds import Samples, encode, sine, write, write_speech

RATE = 48_000
# A decoder that crashes on some recordings: at once, or after the first line of its answer.
CRASHES = """
import os, pipeline.ingest.decoder as decoder
answer, send = decoder._answer, decoder._send
def crash(path, asked):
    if path.endswith("bad.wav"):
        os.abort()
    if path.endswith("later.wav") and asked == "samples":
        send({"rate": 16000, "channels": 1})
        os.abort()
    answer(path, asked)
decoder._answer = crash
decoder.main()
"""


def decoded(path: Path) -> Samples:
    audio = open_audio(path)
    samples = np.concatenate(list(audio.blocks))
    assert samples.shape[1] == audio.channels
    return samples


@pytest.mark.parametrize(
    ("name", "codec", "layout", "channels"),
    [
        ("a.mov", "pcm_s16le", "7.1", 8),
        ("a.mkv", "flac", "7.1", 8),
        ("a.mp4", "aac", "7.1", 8),
        ("a.webm", "libopus", "7.1", 8),
        ("a.mov", "pcm_s16le", "hexadecagonal", 16),
        ("a.mkv", "pcm_s16le", "24 channels", 24),
        ("a.wav", "pcm_s16le", "64 channels", 64),
    ],
)
def test_many_channels_are_decoded_each_as_it_is(
    tmp_path: Path, name: str, codec: str, layout: str, channels: int
) -> None:
    """Their tones are 200 Hz apart. An encoder may order channels anew, so that the set of tones is looked at."""
    tones = [200 * (channel + 1) for channel in range(channels)]
    if codec == "aac" or codec == "libopus":
        tones[3] = 60  # one channel is for low tones only
    samples = np.stack([sine(1.0, RATE, tone, peak=0.3) for tone in tones], axis=1)
    result = decoded(encode(tmp_path / name, samples, RATE, codec, layout))
    assert len(result) == pytest.approx(RATE, abs=2_500), "an encoder pads its first and last frames"
    middle = result[RATE // 4 : RATE * 3 // 4]
    strongest = np.abs(np.fft.rfft(middle * np.hanning(len(middle))[:, None], axis=0)).argmax(axis=0) * 2
    assert sorted(strongest) == sorted(tones)


def test_recordings_with_many_channels_are_decoded_and_all_others_of_the_run(tmp_path: Path) -> None:
    for number in range(3):
        write_speech(tmp_path / "corpus" / f"good{number}.wav")
        wide = np.stack([sine(1.0, RATE)] * 8, axis=1)
        encode(tmp_path / "corpus" / f"wide{number}.mov", wide, RATE, "pcm_s16le", "7.1")
    assert rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures == []


def test_a_recording_whose_channels_change_in_the_middle(tmp_path: Path) -> None:
    """As broadcasts do. It has the rate and channels with which it begins."""
    mono = encode(tmp_path / "mono.mp2", sine(1.0, RATE), RATE, "mp2").read_bytes()
    both = np.stack([sine(1.0, RATE)] * 2, axis=1)
    stereo = encode(tmp_path / "stereo.mp2", both, RATE, "mp2", "stereo").read_bytes()
    slow = encode(tmp_path / "slow.mp2", sine(1.0, 32_000), 32_000, "mp2").read_bytes()
    (tmp_path / "all.mp2").write_bytes(mono + stereo + slow + mono)
    samples = decoded(tmp_path / "all.mp2")
    assert samples.shape == (pytest.approx(4 * RATE, abs=8_000), 1)
    for second in range(4):
        assert np.abs(samples[round((second + 0.3) * RATE) : round((second + 0.8) * RATE)]).max() > 0.3


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoders, "_PROGRAM", [sys.executable, "-P", "-c", CRASHES])
    monkeypatch.setattr(decoders, "_idle", [])


@pytest.mark.usefixtures("crashing")
@pytest.mark.parametrize("name", ["bad.wav", "later.wav"])
def test_a_crash_costs_one_recording(tmp_path: Path, name: str) -> None:
    for file in ("a.wav", "b.wav", name, "z.wav"):
        write_speech(tmp_path / "corpus" / file)
    failures = rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures
    assert len(failures) == 1
    assert f"{name}: the decoder crashed on it; convert it to WAV with another program" in failures[0]


@pytest.mark.usefixtures("crashing")
def test_a_recording_that_crashes_states_no_duration(tmp_path: Path) -> None:
    assert stated_duration(write_speech(tmp_path / "bad.wav")) is None


def test_a_decoder_that_was_killed_while_it_waited_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", sine(1.0))
    first = decoded(path)
    for decoder in decoders._idle:
        os.kill(decoder.process.pid, signal.SIGKILL)
    assert (decoded(path) == first).all()


def test_a_decoder_that_was_killed_at_work_says_that_memory_may_be_short(tmp_path: Path) -> None:
    decoding = decoders.Decoding(write(tmp_path / "a.wav", sine(100.0, RATE), RATE))
    blocks = decoding.blocks(RATE)
    next(blocks)
    os.kill(decoding._decoder.process.pid, signal.SIGKILL)
    with pytest.raises(RostrumError, match=r"a.wav: its decoder was ended by the system, probably for lack of memory"):
        list(blocks)


def test_one_process_decodes_many_recordings_and_none_is_left_of_what_was_given_up(tmp_path: Path) -> None:
    short, long = write(tmp_path / "a.wav", sine(1.0)), write(tmp_path / "b.wav", sine(100.0))
    decoded(short)
    before = [decoder.process.pid for decoder in decoders._idle]
    for _ in range(3):
        decoded(short)
    assert [decoder.process.pid for decoder in decoders._idle] == before
    decoding = decoders.Decoding(long)
    blocks = decoding.blocks(1_000)
    next(blocks)
    blocks.close()  # type: ignore[attr-defined]
    assert decoding._decoder not in decoders._idle
    assert decoding._decoder.process.poll() is not None


def test_the_decoder_imports_nothing_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus may have a file of the name of a module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(decoders, "_idle", [])
    for name in ("av", "soundfile", "numpy", "json", "pipeline"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')")
    decoded(encode(tmp_path / "a.mp4", sine(1.0), 16_000, "aac"))
    assert not (tmp_path / "imported").exists()

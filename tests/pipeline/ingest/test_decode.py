import os
import resource
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rostrum
from pipeline.arrays import Samples
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.errors import RostrumError, StorageError
from pipeline.ingest import decode
from pipeline.ingest.decode import FILTER_WIDTH, KAISER_BETA, ROLLOFF, Resampler, open_audio, stated_duration
from pipeline.ingest.stage import IngestSettings, Recording, ingest
from pipeline.records import SAMPLE_RATE, AudioFile
from pipeline.system.environment import import_torchaudio
from tests.sounds import encode, noise, sine, write, write_speech


def whole(samples: Samples, rate: int) -> Samples:
    """torchaudio's resampling of all of it at once."""
    import torch

    resample = import_torchaudio().transforms.Resample(
        rate,
        SAMPLE_RATE,
        resampling_method="sinc_interp_kaiser",
        lowpass_filter_width=FILTER_WIDTH,
        rolloff=ROLLOFF,
        beta=KAISER_BETA,
    )
    return np.asarray(resample(torch.from_numpy(samples)).numpy())


def streamed(samples: Samples, rate: int, cuts: list[int]) -> Samples:
    resampler = Resampler(rate)
    parts = [resampler.push(part) for part in np.split(samples, sorted(cuts))]
    return np.concatenate([*parts, resampler.finish()])


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])
@settings(max_examples=15, deadline=None)
@given(length=st.integers(1, 30_000), cuts=st.lists(st.integers(0, 30_000), max_size=4))
def test_blocks_are_resampled_as_the_whole(rate: int, length: int, cuts: list[int]) -> None:
    samples = noise(1, length)[:length]
    expected = whole(samples, rate)
    found = streamed(samples, rate, [cut for cut in cuts if cut <= length])
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=2e-6)


@pytest.mark.parametrize("rate", [5_512, 8_012, 11_127, 16_001, 22_254, 44_056, 44_101, 767_999])
def test_odd_rates_take_little_memory_and_keep_time(rate: int) -> None:
    resampler = Resampler(rate)
    assert resampler.step_in * resampler.step_out < 2e8
    assert resampler.step_in / resampler.step_out == pytest.approx(rate / SAMPLE_RATE, rel=7e-5)


@pytest.mark.parametrize("lacking", [100, 20_000])
def test_a_disk_without_room_for_the_samples(tmp_path: Path, lacking: int) -> None:
    """Also where only the end is missing, which libsndfile writes when it closes the file, and says nothing of."""
    path = write(tmp_path / "noise.wav", noise(2, SAMPLE_RATE), SAMPLE_RATE)
    whole = ingest(AudioFile(path=path), settings=IngestSettings()).audio.path
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (whole.stat().st_size - lacking, before[1]))
        with pytest.raises(StorageError, match="cannot be written; make room there, or set TMPDIR") as error:
            ingest(AudioFile(path=path), settings=IngestSettings())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        whole.unlink()
    assert not Path(str(error.value).partition(": ")[0]).exists()


def test_a_recording_that_is_another_than_was_planned_with(tmp_path: Path) -> None:
    """It was copied anew meanwhile, or a worker on another machine has another file there."""
    audio = AudioFile(path=write(tmp_path / "tone.wav", sine(1, 16_000), 16_000))
    audio.digest()
    write(audio.path, noise(1, 16_000), 16_000)
    with pytest.raises(StorageError, match="tone.wav: is another file than when the run began; run again"):
        ingest(audio, settings=IngestSettings())


def test_a_tone_keeps_its_pitch_and_level_at_an_odd_rate() -> None:
    found = streamed(sine(2, 11_127), 11_127, [5_000])
    assert len(found) == pytest.approx(2 * SAMPLE_RATE, abs=2)
    np.testing.assert_allclose(found[2_000:-2_000], sine(2)[: len(found)][2_000:-2_000], atol=2e-2)


def test_what_is_above_half_the_rate_is_gone() -> None:
    assert np.abs(streamed(sine(1, 48_000, frequency=9_000), 48_000, [])[1_000:-1_000]).max() < 1e-3


def ingested(path: Path, limit: float = 24.0) -> Recording:
    recording = ingest(AudioFile(path=path), settings=IngestSettings(max_hours=limit))
    assert recording.duration == pytest.approx(len(recording.samples()) / SAMPLE_RATE)
    return recording


def close(recording: Recording) -> None:
    recording.audio.path.unlink()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.wav", {"subtype": "PCM_U8"}),
        ("a.wav", {"subtype": "PCM_16"}),
        ("a.wav", {"subtype": "PCM_24"}),
        ("a.wav", {"subtype": "FLOAT"}),
        ("a.wav", {"subtype": "ULAW"}),
        ("a.wav", {"subtype": "GSM610", "samplerate": 8_000}),
        ("a.w64", {}),
        ("a.aiff", {}),
        ("a.caf", {}),
        ("a.flac", {}),
        ("a.ogg", {"subtype": "VORBIS"}),
        ("a.opus", {"format": "OGG", "subtype": "OPUS", "samplerate": 48_000}),
        ("a.mp3", {}),
    ],
    ids=str,
)
def test_every_format_that_libsndfile_writes(tmp_path: Path, name: str, options: dict[str, object]) -> None:
    rate = options.pop("samplerate", 16_000)
    assert isinstance(rate, int)
    recording = ingested(write(tmp_path / name, sine(2, rate), rate, **options))
    assert_is_that_tone(recording, rate)


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [
        ("a.m4a", "aac", 44_100),
        ("a.mp4", "aac", 48_000),
        ("a.aac", "aac", 44_100),
        ("a.webm", "libopus", 48_000),
        ("a.mkv", "aac", 44_100),
        ("a.mov", "pcm_s16le", 16_000),
        ("a.mp3", "libmp3lame", 44_100),
        ("a.avi", "libmp3lame", 44_100),
        ("a.wmv", "libmp3lame", 44_100),
        ("a.flv", "aac", 44_100),
        ("a.mpg", "mp2", 44_100),
        ("a.m4v", "aac", 44_100),
        ("a.3gp", "aac", 16_000),
    ],
)
def test_every_format_that_ffmpeg_writes(tmp_path: Path, name: str, codec: str, rate: int) -> None:
    assert Path(name).suffix in AUDIO_SUFFIXES
    path = encode(tmp_path / name, sine(2, rate), rate, codec)
    stated = stated_duration(path)
    recording = ingested(path)
    assert stated == pytest.approx(recording.duration, abs=0.15) or name == "a.aac", "an .aac has no header"
    assert_is_that_tone(recording, rate)


def test_the_stated_duration_is_that_of_what_is_decoded(tmp_path: Path) -> None:
    for name in ("a.wav", "a.flac", "a.ogg"):
        assert stated_duration(write(tmp_path / name, sine(3, 24_000), 24_000)) == pytest.approx(3.0, abs=0.01)
    (tmp_path / "b.wav").write_text("no sound")
    assert stated_duration(tmp_path / "b.wav") is None
    assert stated_duration(tmp_path / "missing.wav") is None


def test_decoding_says_how_far_it_is(tmp_path: Path) -> None:
    told: list[float] = []
    audio = AudioFile(path=write(tmp_path / "a.wav", sine(70, 8_000), 8_000))
    close(ingest(audio, settings=IngestSettings(), progress=lambda share, _: told.append(share)))
    assert told == [pytest.approx(share, abs=0.01) for share in (30 / 70, 60 / 70, 1.0)]


def assert_is_that_tone(recording: Recording, rate: int) -> None:
    """Two seconds of 440 Hz with a peak of one half, but for what a codec does to it."""
    assert (recording.source_rate, recording.source_channels) == (rate, 1)
    assert recording.duration == pytest.approx(2.0, abs=0.1)
    middle = recording.samples(0.5, 1.5)
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert spectrum.argmax() == 440
    assert np.sqrt(2 * np.mean(middle**2)) == pytest.approx(0.5, rel=0.06)
    assert recording.clipped_share < 0.001, "a codec may overshoot where the tone sets in"
    close(recording)


def test_eight_bits_at_8_khz(tmp_path: Path) -> None:
    recording = ingested(write(tmp_path / "a.wav", sine(1, 8_000), 8_000, subtype="PCM_U8"))
    assert (recording.source_rate, recording.duration) == (8_000, 1.0)
    close(recording)


def test_six_channels_at_96_khz_are_mixed(tmp_path: Path) -> None:
    channels = np.stack([sine(1, 96_000, peak=peak) for peak in (0.6, 0, 0, 0.3, 0.3, 0)], axis=1)
    recording = ingested(write(tmp_path / "a.wav", channels, 96_000, subtype="PCM_24"))
    assert (recording.source_rate, recording.source_channels) == (96_000, 6)
    assert np.abs(recording.samples(0.2, 0.8)).max() == pytest.approx(0.2, abs=0.005)
    assert recording.channels is not None
    recording.channels.discard()
    close(recording)


def test_channels_that_differ_are_kept_beside_their_mean(tmp_path: Path) -> None:
    channels = np.stack([sine(1, 48_000, 300), sine(1, 48_000, 500), sine(1, 48_000, 700)], axis=1)
    recording = ingested(write(tmp_path / "a.wav", channels, 48_000))
    kept = recording.channel_samples(0.25, 0.75)
    expected = np.stack([sine(1, 16_000, hertz)[4_000:12_000] for hertz in (300, 500, 700)], axis=1)
    np.testing.assert_allclose(kept, expected, atol=2e-3)
    np.testing.assert_allclose(kept.mean(axis=1), recording.samples(0.25, 0.75), atol=1e-4)
    assert recording.channels is not None
    recording.channels.discard()
    close(recording)


@pytest.mark.parametrize("count", [1, 2])
def test_channels_that_are_the_same_are_not_kept(tmp_path: Path, count: int) -> None:
    recording = ingested(write(tmp_path / "a.wav", np.stack([noise(1)] * count, axis=1)))
    assert recording.channels is None
    assert recording.channel_samples(0.5).shape == (8_000, 1)
    close(recording)


@pytest.mark.parametrize("name", ["two words.mp3", "日本語.mp3", "new\nline.mp3", "12:30.mp3", "http:x.mp3", "-i.mp3"])
def test_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    recording = ingested(write(Path(name), sine(1), format="MP3"))
    assert recording.duration == pytest.approx(1.0, abs=0.1)
    close(recording)


def test_clipping_is_measured(tmp_path: Path) -> None:
    samples = np.clip(sine(1, peak=2.0), -1, 1)
    recording = ingested(write(tmp_path / "a.wav", samples, subtype="FLOAT"))
    assert recording.clipped_share == pytest.approx(2 / 3, abs=0.01), "a sine is above half its peak 2/3 of the time"
    close(recording)


def test_above_full_scale_is_cut_and_not_wrapped(tmp_path: Path) -> None:
    recording = ingested(write(tmp_path / "a.wav", sine(1, peak=3.0), subtype="FLOAT"))
    assert recording.samples().max() == pytest.approx(1.0, abs=1e-4)
    close(recording)


def test_a_part_of_it_is_read(tmp_path: Path) -> None:
    samples = noise(2)
    recording = ingested(write(tmp_path / "a.wav", samples))
    np.testing.assert_allclose(recording.samples(0.5, 1.25), samples[8_000:20_000], atol=1e-4)
    assert len(recording.samples(1.5, 9)) == 8_000
    close(recording)


def broken(tmp_path: Path, kind: str) -> Path:
    path = tmp_path / "a.wav"
    if kind == "empty":
        path.touch()
    elif kind == "text":
        path.write_text("This is no audio.\n" * 100)
    elif kind == "random":
        path.write_bytes(np.random.default_rng(0).bytes(10_000))
    elif kind == "no samples":
        write(path, sine(0))
    elif kind == "not numbers":
        write(path, np.where(np.arange(16_000) == 99, np.nan, sine(1)), subtype="FLOAT")
    elif kind == "absurd rate":
        write(path, sine(1))
        content = bytearray(path.read_bytes())
        content[24:28] = (2**31 - 1).to_bytes(4, "little")
        path.write_bytes(content)
    elif kind == "header of mp3":
        path = write(tmp_path / "a.mp3", sine(1))
        path.write_bytes(path.read_bytes()[:100])
    elif kind == "playlist":
        write(tmp_path / "secret.ts", sine(1), format="WAV")
        path.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nsecret.ts\n#EXT-X-ENDLIST\n")
    elif kind == "list":
        write(tmp_path / "secret.wav", sine(1))
        path.write_text("ffconcat version 1.0\nfile secret.wav\n")
    elif kind == "no audio track":
        path = _video(tmp_path / "a.mp4")
    return path


def _video(path: Path) -> Path:
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=5)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("empty", r"is empty \(0 bytes\); copy the recording again"),
        ("text", "cannot be decoded as audio"),
        ("random", "cannot be decoded as audio|breaks off"),
        ("no samples", "holds no samples"),
        ("not numbers", "holds samples that are no numbers"),
        ("absurd rate", "2147483647 samples per second|cannot be decoded as audio"),
        ("header of mp3", "cannot be decoded as audio|holds no samples|breaks off"),
        ("playlist", "cannot be decoded as audio"),
        ("list", "cannot be decoded as audio"),
        ("no audio track", "has no audio track"),
    ],
)
def test_bad_audio_is_one_line_with_the_file_s_name(tmp_path: Path, kind: str, message: str) -> None:
    path = broken(tmp_path, kind)
    before = set(Path(os.environ.get("TMPDIR", "/tmp")).glob("rostrum-*.flac"))
    with pytest.raises(RostrumError, match=message) as caught:
        ingested(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert set(Path(os.environ.get("TMPDIR", "/tmp")).glob("rostrum-*.flac")) <= before, "no temporary file stays"


@pytest.mark.parametrize("suffix", ["mp3", "flac", "ogg", "wav"])
def test_a_truncated_file_gives_what_it_has_or_one_line(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a.{suffix}", noise(5))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    try:
        recording = ingested(path)
    except RostrumError as error:
        found = str(error)
    else:
        found = "breaks off while being decoded" if 1.0 < recording.duration < 4.0 else f"{recording.duration} s"
        close(recording)
    assert "breaks off while being decoded" in found


def test_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="longer than 0.001 h; raise ingest.max_hours"):
        ingested(write(tmp_path / "a.wav", sine(5)), limit=0.001)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", sine(1))
    path.chmod(0)
    with pytest.raises(RostrumError, match="Permission denied"):
        AudioFile(path=path).digest()


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="cannot be read: No such file"):
        AudioFile(path=tmp_path / "gone.wav").digest()


def test_a_long_file_is_read_in_blocks(tmp_path: Path) -> None:
    audio = open_audio(write(tmp_path / "a.wav", sine(70, 8_000), 8_000))
    assert [len(block) for block in audio.blocks] == [240_000, 240_000, 80_000]


RATE = 48_000
# A decoder that crashes on some recordings: at once, or after the first line of its answer.
CRASHES = """
import os, pipeline.ingest.decoder_process as decoder
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
    monkeypatch.setattr(decode, "_PROGRAM", [sys.executable, "-P", "-c", CRASHES])
    monkeypatch.setattr(decode, "_idle", [])


@pytest.mark.slow
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
    for decoder in decode._idle:
        os.kill(decoder.process.pid, signal.SIGKILL)
    assert (decoded(path) == first).all()


def test_a_decoder_that_was_killed_at_work_says_that_memory_may_be_short(tmp_path: Path) -> None:
    decoding = decode.Decoding(write(tmp_path / "a.wav", sine(100.0, RATE), RATE))
    blocks = decoding.blocks(RATE)
    next(blocks)
    os.kill(decoding._decoder.process.pid, signal.SIGKILL)
    with pytest.raises(RostrumError, match=r"a.wav: its decoder was ended by the system, probably for lack of memory"):
        list(blocks)


def test_one_process_decodes_many_recordings_and_none_is_left_of_what_was_given_up(tmp_path: Path) -> None:
    short, long = write(tmp_path / "a.wav", sine(1.0)), write(tmp_path / "b.wav", sine(100.0))
    decoded(short)
    before = [decoder.process.pid for decoder in decode._idle]
    for _ in range(3):
        decoded(short)
    assert [decoder.process.pid for decoder in decode._idle] == before
    decoding = decode.Decoding(long)
    blocks = decoding.blocks(1_000)
    next(blocks)
    blocks.close()  # type: ignore[attr-defined]
    assert decoding._decoder not in decode._idle
    assert decoding._decoder.process.poll() is not None


def test_the_decoder_imports_nothing_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus may have a file of the name of a module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(decode, "_idle", [])
    for name in ("av", "soundfile", "numpy", "json", "pipeline"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')")
    decoded(encode(tmp_path / "a.mp4", sine(1.0), 16_000, "aac"))
    assert not (tmp_path / "imported").exists()

"""Clustering in bounded memory, voices carried over between windows, and files that are loaded without running them."""

import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from pipeline import models
from pipeline.diarize.stage import DiarizeSettings
from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors
from pipeline.transcribe.stage import TranscribeSettings
from tests.models import needs

DIMENSION = 192
PARAMETERS = {"method": "centroid", "threshold": 0.7, "min_cluster_size": 12}
Voices = NDArray[np.float64]


@pytest.fixture(autouse=True)
def few_voices(monkeypatch: pytest.MonkeyPatch) -> int:
    from pipeline.diarize.diarization import import_pyannote

    import_pyannote()
    from pipeline.diarize import pyannote_pipeline

    monkeypatch.setattr(pyannote_pipeline, "MOST_VOICES", 600)
    return 600


def bounded() -> Any:
    from pipeline.diarize.pyannote_pipeline import BoundedClustering

    return BoundedClustering().instantiate(PARAMETERS)


def voices(shares: tuple[float, ...], count: int) -> tuple[Voices, NDArray[np.int64]]:
    """Voices of as many speakers as there are shares, and whose each is."""
    random = np.random.default_rng(0)
    speakers = random.choice(len(shares), count, p=shares)
    centres = random.normal(size=(len(shares), DIMENSION))
    return centres[speakers] + random.normal(scale=0.4, size=(count, DIMENSION)), speakers


def test_few_voices_are_clustered_as_pyannote_does(few_voices: int) -> None:
    from pyannote.audio.pipelines.clustering import AgglomerativeClustering

    given, _ = voices((0.5, 0.3, 0.2), few_voices)
    theirs = AgglomerativeClustering().instantiate(PARAMETERS)
    for bounds in ({}, {"num_clusters": 2}):
        limits = {"min_clusters": 1, "max_clusters": len(given)} | bounds
        assert np.array_equal(bounded().cluster(given.copy(), **limits), theirs.cluster(given.copy(), **limits))


def test_many_voices_have_their_speakers(few_voices: int) -> None:
    """Also those who speak seldom; a noise that is no voice of anybody's is no speaker of its own."""
    given, speakers = voices((0.4, 0.3, 0.15, 0.1, 0.03, 0.02), 10 * few_voices)
    noises = np.random.default_rng(1).choice(len(given), 20, replace=False)
    given[noises] = np.random.default_rng(2).normal(size=(20, DIMENSION))
    found = bounded().cluster(given, min_clusters=1, max_clusters=len(given))
    clean = np.delete(np.arange(len(given)), noises)
    assert adjusted_rand_score(speakers[clean], found[clean]) == 1.0
    assert len(set(found)) == 6


def test_the_number_of_speakers_of_many_voices_can_be_told(few_voices: int) -> None:
    given, _ = voices((0.4, 0.3, 0.2, 0.1), 3 * few_voices)
    assert len(set(bounded().cluster(given, min_clusters=2, max_clusters=2, num_clusters=2))) == 2


def test_memory_grows_no_faster_than_the_voices(few_voices: int) -> None:
    given, _ = voices((0.5, 0.5), 30 * few_voices)
    tracemalloc.start()
    bounded().cluster(given, min_clusters=1, max_clusters=len(given))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < given.nbytes  # all distances between them would take 47 times as much


FRAMES, STEP, SPEAKERS = 100, 0.1, 3


def voice_sources(active: np.ndarray, step: float, every: int) -> np.ndarray:
    from pipeline.diarize.pyannote_pipeline import voice_sources

    return voice_sources(active, step, every)


def windows(*turns: tuple[int, int], seconds: int = 20, orders: list[list[int]] | None = None) -> np.ndarray:
    """Windows of ten seconds, a second apart, over speakers who speak from start to end; in any order of speakers."""
    spoken = np.zeros((seconds * FRAMES // 10, SPEAKERS))
    for speaker, (start, end) in enumerate(turns):
        spoken[start * FRAMES // 10 : end * FRAMES // 10, speaker] = 1
    count = seconds - 10 + 1
    found = [spoken[i * FRAMES // 10 : i * FRAMES // 10 + FRAMES] for i in range(count)]
    return np.stack([window[:, orders[i]] if orders else window for i, window in enumerate(found)])


def test_a_voice_that_goes_on_is_taken_from_the_nearest_known_window() -> None:
    sources = voice_sources(windows((0, 20)), STEP, every=5)
    assert sources[:, 0, 0].tolist() == [0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]


def test_a_voice_is_found_again_where_the_window_numbers_its_speakers_in_another_order() -> None:
    orders = [[0, 1, 2] if i % 2 else [1, 0, 2] for i in range(11)]
    active = windows((0, 8), (8, 20), orders=orders)
    sources = voice_sources(active, STEP, every=5)
    for window, speaker in [(2, 1), (3, 0), (4, 1)]:
        source, theirs = sources[window, speaker]
        assert orders[source][theirs] == orders[window][speaker]


def test_who_is_heard_in_no_known_window_has_a_voice_of_their_own() -> None:
    """The second speaks from 11 to 12 s only in windows 2 to 4 (up to 14 s); the known ones are 0 and 20, 10 s away."""
    active = windows((0, 40), (11, 12), seconds=40)
    sources = voice_sources(active, STEP, every=20)
    assert sources[4, 1].tolist() == [4, 1]


@given(
    arrays(np.float32, (9, FRAMES, SPEAKERS), elements=st.sampled_from([0.0, 1.0])),
    st.integers(1, 9),
)
def test_a_source_is_its_own_source_and_no_two_speakers_of_a_window_share_one(active: np.ndarray, every: int) -> None:
    sources = voice_sources(active, STEP, every)
    again = sources[sources[..., 0], sources[..., 1]]
    assert np.array_equal(again, sources)
    for window in sources:
        assert len({tuple(each) for each in window.tolist()}) == SPEAKERS


def test_looking_at_every_window_carries_nothing() -> None:
    active = windows((0, 20), (3, 5))
    sources = voice_sources(active, STEP, every=1)
    assert np.array_equal(sources[..., 0], np.repeat(np.arange(11)[:, None], SPEAKERS, axis=1))


class Touches:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A file of weights that runs code when it is unpickled."""
    path = tmp_path / "pytorch_model.bin"
    torch.save({"state_dict": {}, "dims": {}, "pyannote.audio": Touches(tmp_path / "executed")}, path)
    return path


def test_what_runs_code_is_refused_with_what_to_do(trap: Path) -> None:
    with pytest.raises(RostrumError, match=r"pytorch_model.bin: not loaded.*run code.*docs/models.md"):
        load_tensors(trap)
    assert not (trap.parent / "executed").exists()


def test_what_is_no_file_of_weights_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "notes.bin").write_text("not weights")
    with pytest.raises(RostrumError, match="notes.bin: cannot be read as weights"):
        load_tensors(tmp_path / "notes.bin")


@pytest.mark.parametrize("setting", ["segmentation", "embedding"])
@needs("segmentation-3.0")
def test_a_setting_of_diarize_runs_no_code(trap: Path, setting: str) -> None:
    from pipeline.diarize.diarization import load_pipeline

    for path in (trap, trap.parent):
        with pytest.raises(RostrumError, match="not loaded"):
            load_pipeline(DiarizeSettings(**{setting: str(path)}))  # type: ignore[arg-type]
    assert not (trap.parent / "executed").exists()


def test_a_whisper_checkpoint_runs_no_code(trap: Path) -> None:
    from pipeline.transcribe.engines.openai import load

    with pytest.raises(RostrumError, match="not loaded"):
        load(TranscribeSettings(model=str(trap)))
    assert not (trap.parent / "executed").exists()


@pytest.mark.parametrize("name", ["subprocess.Popen", "os.mkdir", "pyannote.audio.pipelines.VoiceActivityDetection"])
def test_a_configuration_makes_no_object_of_another_class(tmp_path: Path, name: str) -> None:
    from pipeline.diarize.diarization import load_pipeline

    text = f"pipeline:\n  name: {name}\n  params:\n    args: [mkdir, {tmp_path}/executed]\n"
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(RostrumError, match="only pyannote's SpeakerDiarization"):
        load_pipeline(DiarizeSettings(pipeline=str(tmp_path / "config.yaml")))
    assert not (tmp_path / "executed").exists()


def test_a_network_of_another_package_is_refused(tmp_path: Path) -> None:
    from pipeline.diarize.pyannote_pipeline import load_model

    about = {"architecture": {"module": "subprocess", "class": "Popen"}}
    torch.save({"pyannote.audio": about, "hyper_parameters": {}, "state_dict": {}}, tmp_path / "w.bin")
    with pytest.raises(RostrumError, match="not a checkpoint of a network that pyannote.audio has"):
        load_model(tmp_path / "w.bin")


@pytest.mark.slow
@needs("segmentation-3.0")
def test_a_network_is_the_one_that_pyannote_loads() -> None:
    from pyannote.audio import Model

    from pipeline.diarize.pyannote_pipeline import load_model

    path = models.find("segmentation-3.0").path
    ours, theirs = load_model(path).eval(), Model.from_pretrained(path).eval()
    assert ours.specifications == theirs.specifications
    noise = torch.randn(1, 1, 160_000, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        assert torch.equal(ours(noise), theirs(noise))


@needs("segmentation-3.0", "campplus")
def test_a_pipeline_from_its_configuration(tmp_path: Path) -> None:
    from pipeline.diarize.diarization import load_pipeline

    (tmp_path / "segmentation").symlink_to(models.find("segmentation-3.0").path.parent)
    (tmp_path / "config.yaml").write_text(
        "pipeline:\n"
        "  name: pyannote.audio.pipelines.SpeakerDiarization\n"
        "  params: {segmentation: $model/segmentation, embedding: $model/segmentation,\n"
        "           clustering: AgglomerativeClustering}\n"
        "params:\n"
        "  segmentation: {min_duration_off: 0.25}\n"
        "  clustering: {method: centroid, threshold: 0.7, min_cluster_size: 5}\n"
    )
    made = load_pipeline(DiarizeSettings(pipeline=str(tmp_path)))
    assert made.parameters(instantiated=True)["segmentation"]["min_duration_off"] == 0.25


def directions(*groups: tuple[int, int]) -> np.ndarray:
    """So many voices near each of these axes."""
    noise = np.random.default_rng(0).normal(0, 0.05, (sum(count for _, count in groups), 8))
    return noise + np.concatenate([np.tile(np.eye(8)[axis], (count, 1)) for axis, count in groups])


@pytest.mark.parametrize(("heard", "expected"), [(2, 2), (3, 3), (6, 3)])
def test_who_says_little_and_is_like_nobody_is_a_speaker(heard: int, expected: int) -> None:
    """Frequent voices 0 and 1; voice 2 was given to voice 1, as it is heard in few windows."""
    from pipeline.diarize.pyannote_pipeline import with_rare_speakers

    voices = directions((0, 40), (1, 60), (2, heard))
    speakers = with_rare_speakers(voices, np.repeat([0, 1, 1], [40, 60, heard]), 0.7, most=5)
    assert speakers.max() + 1 == expected
    assert list(speakers[:100]) == [0] * 40 + [1] * 60
    assert len(set(speakers[100:])) == 1


def test_no_more_speakers_than_there_may_be() -> None:
    from pipeline.diarize.pyannote_pipeline import with_rare_speakers

    voices = directions((0, 40), (2, 5), (3, 6))
    given = np.zeros(51, dtype=int)
    assert with_rare_speakers(voices, given, 0.7, most=0).max() == 0
    one_more = with_rare_speakers(voices, given, 0.7, most=1)
    assert list(one_more) == [0] * 45 + [1] * 6, "who says more comes first"


def test_a_hoarse_voice_is_no_speaker_of_its_own() -> None:
    """It is half like the frequent one."""
    hoarse = directions((0, 5)) + directions((1, 5))
    from pipeline.diarize.pyannote_pipeline import with_rare_speakers

    voices = np.concatenate([directions((0, 40)), hoarse])
    assert with_rare_speakers(voices, np.zeros(45, dtype=int), 0.7, most=5).max() == 0

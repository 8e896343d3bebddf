"""pyannote's files, loaded without running what is in them."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline import models
from pipeline.diarize.diarization import import_pyannote
from pipeline.diarize.stage import DiarizeSettings
from pipeline.errors import RostrumError
from pipeline.models.digests import load_tensors
from pipeline.transcribe.stage import TranscribeSettings
from tests.models import needs

import_pyannote()


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
    from pipeline.diarize.pyannote_parts import load_model

    about = {"architecture": {"module": "subprocess", "class": "Popen"}}
    torch.save({"pyannote.audio": about, "hyper_parameters": {}, "state_dict": {}}, tmp_path / "w.bin")
    with pytest.raises(RostrumError, match="not a checkpoint of a network that pyannote.audio has"):
        load_model(tmp_path / "w.bin")


@pytest.mark.slow
@needs("segmentation-3.0")
def test_a_network_is_the_one_that_pyannote_loads() -> None:
    from pyannote.audio import Model

    from pipeline.diarize.pyannote_parts import load_model

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

"""pyannote's own files, loaded without running anything that is in them.

pyannote itself unpickles a checkpoint, and makes an object of any class that a pipeline's configuration names.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from pyannote.audio import Model
from pyannote.audio.core.task import Problem, Resolution, Specifications
from torch.torch_version import TorchVersion

from pipeline.errors import RostrumError
from pipeline.models.tensors import load_tensors

_CHECKPOINT, _CONFIGURATION = "pytorch_model.bin", "config.yaml"
_PIPELINES = (
    "pyannote.audio.pipelines.SpeakerDiarization",
    "pyannote.audio.pipelines.speaker_diarization.SpeakerDiarization",
)


def load_model(path: Path) -> Model:
    """The network of a checkpoint, or of a folder with one in it."""
    path = path / _CHECKPOINT if path.is_dir() else path
    checkpoint = load_tensors(path, allowed=[Problem, Resolution, Specifications, TorchVersion])
    try:
        architecture = checkpoint["pyannote.audio"]["architecture"]
        kind = _network(architecture["module"], architecture["class"])
        accepted = inspect.signature(kind).parameters
        settings = {name: value for name, value in checkpoint["hyper_parameters"].items() if name in accepted}
        model = kind(**settings)
        model.on_load_checkpoint(checkpoint)
        # What was used in training only.
        weights = {name: value for name, value in checkpoint["state_dict"].items() if not name.startswith("loss_func")}
        model.load_state_dict(weights)
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, ImportError) as error:
        raise RostrumError(f"{path}: not a checkpoint of a network that pyannote.audio has") from error
    return model


def _network(module: str, name: str) -> type[Model]:
    if not module.startswith("pyannote.audio.models."):
        raise ValueError(module)
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and issubclass(kind, Model)):
        raise TypeError(name)
    return kind


def configuration_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a diarization pipeline is made of, and the values of its parameters; from a file, or its folder."""
    path = path / _CONFIGURATION if path.is_dir() else path
    try:
        configuration = yaml.safe_load(path.read_text("utf-8"))
        named = configuration["pipeline"]["name"]
        parameters = configuration["pipeline"].get("params") or {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise RostrumError(f"{path}: not the configuration of a pyannote pipeline") from error
    if named not in _PIPELINES or configuration.get("preprocessors") or not isinstance(parameters, dict):
        raise RostrumError(f"{path}: only pyannote's SpeakerDiarization without preprocessors can be used")
    return parameters, configuration.get("params") or {}

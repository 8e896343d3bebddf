"""Downloads Whisper checkpoints from the addresses that openai-whisper contains, and checks them."""

import fcntl
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import IO

from pipeline.errors import RostrumError
from pipeline.models.archives import DownloadProgress
from pipeline.models.catalogue import WHISPER_ALIASES, WHISPER_SHA256
from pipeline.models.digests import sha256_of

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
            _continue_download(_address(name), file, lambda done, total: progress(f"Whisper {name}", done, total))
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


def _address(name: str) -> str:
    return str(import_module("whisper")._MODELS[name])


def _continue_download(address: str, file: IO[bytes], progress: Callable[[int, int], None]) -> None:
    """Download the rest of an unfinished file; all of it if the server cannot send a part."""
    done = os.fstat(file.fileno()).st_size
    request = urllib.request.Request(address, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:  # nosec B310: openai-whisper's own
            done = done if response.status == 206 else 0
            file.truncate(done)
            total = done + int(response.headers.get("Content-Length", 0))
            while chunk := response.read(_CHUNK):
                if done + len(chunk) > _LARGEST:
                    raise OSError(f"the server sends more than {_LARGEST} bytes")
                done += file.write(chunk)
                progress(done, total)
            if done < total:
                raise OSError(f"the connection ended after {done} of {total} bytes; fetch again to continue")
    except urllib.error.HTTPError as error:
        if error.code != _NOTHING_LEFT or not done:
            raise


# Fetches models into the model cache: complete and checked, or not at all.

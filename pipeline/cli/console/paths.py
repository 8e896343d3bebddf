"""Paths that a user types. A URL is an error that says so, instead of a missing file."""

import re
import sys
from pathlib import Path
from typing import Any

import click

from pipeline.errors import RostrumError
from pipeline.printable import printable

# The name and password, or the keys, of an address.
_KEYS = re.compile(r"://[^@]*@")


class LocalPath(click.Path):
    """A path on this machine. A URL is an error that says how to download it; rostrum itself never does."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **options)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        refuse_url(str(value))
        return super().convert(value, param, ctx)


class NewFolder(click.Path):
    """A folder to write to. A URL is an error, instead of a folder that is called so."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in str(value):
            option = param.opts[0] if param else "the path"
            raise RostrumError(f"{option} {_without_keys(str(value))}: a URL; name a folder of this machine")
        return super().convert(value, param, ctx)


# Paths that a command reads, and a folder that it writes.
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = NewFolder()


def refuse_url(text: str) -> None:
    """Raise an error if the text is a URL."""
    if "://" in text:
        raise RostrumError(
            f"{_without_keys(text)}: a URL, and rostrum fetches nothing; get the recording first (`curl -LO URL`, or "
            "`yt-dlp -x URL` for the page of a video), then give the file"
        )


def _without_keys(url: str) -> str:
    return _KEYS.sub("://...@", url)


def shown(path: Path) -> str:
    """A path for stdout: unchanged for another program, with control characters spelled out for a terminal."""
    return printable(path) if sys.stdout.isatty() else str(path)

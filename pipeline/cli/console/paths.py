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
_FETCH_FIRST = (
    ", and rostrum fetches nothing; get the recording first (`curl -LO URL`, or `yt-dlp -x URL` for the page of a "
    "video), then give the file"
)
_FOLDER_HERE = "; name a folder of this machine"


class LocalPath(click.Path):
    """A path on this machine. A URL is an error with this advice; rostrum itself fetches nothing."""

    def __init__(self, *, advice: str = _FETCH_FIRST, **options: Any) -> None:
        super().__init__(path_type=Path, **options)
        self._advice = advice

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        option = f"{param.opts[0]} " if isinstance(param, click.Option) else ""
        refuse_url(str(value), option, self._advice)
        return super().convert(value, param, ctx)


# Paths that a command reads, and a folder that it writes.
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = LocalPath(advice=_FOLDER_HERE, file_okay=False)


def refuse_url(text: str, option: str = "", advice: str = _FETCH_FIRST) -> None:
    """Raise an error if the text is a URL."""
    if "://" in text:
        without_keys = _KEYS.sub("://...@", text)
        raise RostrumError(f"{option}{without_keys}: a URL{advice}")


def shown(path: Path) -> str:
    """A path for stdout: unchanged for another program, with control characters spelled out for a terminal."""
    return printable(path) if sys.stdout.isatty() else str(path)

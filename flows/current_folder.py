"""Refuses files in the current folder by which Prefect can be made to run code. Somebody else may have made them."""

import contextlib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.system.files import LARGEST_TEXT, read_file


def refuse_settings_of_prefect(folder: Path) -> None:
    """Raise an error if Prefect would read settings from a file in the folder.

    A setting can name Python objects for logging, a database, or the server to which everything is sent.
    """
    for name, sets_something in _FILES.items():
        try:
            found = sets_something(read_file(folder / name, LARGEST_TEXT))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):  # Prefect may be able to read it
            found = True
        if found:
            raise RostrumError(
                f"{folder / name}: has settings for Prefect, which can make it run a program; go to another folder, "
                "and keep your own settings in the environment or with `prefect config set`"
            )


_SERVED_FROM = "ROSTRUM_SERVED_FROM"


@contextlib.contextmanager
def away() -> Iterator[None]:
    """Change to Prefect's own folder while this context is open. Processes of runs import from the current folder."""
    from flows.server.temporary import prefect_home

    home = prefect_home()
    home.mkdir(parents=True, exist_ok=True)
    os.environ[_SERVED_FROM] = os.getcwd()
    try:
        with contextlib.chdir(home):
            yield
    finally:
        del os.environ[_SERVED_FROM]


def back() -> None:
    """Change back to the folder before `away`. Paths in the settings are relative to it."""
    if folder := os.environ.pop(_SERVED_FROM, None):
        os.chdir(folder)


def _of_env(content: bytes) -> bool:
    return bool(re.search(rb"prefect_", content, re.IGNORECASE))


def _of_pyproject(content: bytes) -> bool:
    tool = tomllib.loads(content.decode()).get("tool", {})
    return isinstance(tool, Mapping) and "prefect" in tool


_FILES: Mapping[str, Callable[[bytes], bool]] = {
    ".env": _of_env,
    "prefect.toml": bool,
    "pyproject.toml": _of_pyproject,
}

"""Files of the current folder that can have Prefect run code: whoever made the folder would decide which."""

import contextlib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.system.files import LARGEST_TEXT, read_file


def refuse_settings_of_prefect(folder: Path) -> None:
    """Raise an error if there is a file in the folder that Prefect takes settings from, whatever they are.

    A setting can name a file of Python objects to log with, a database, or the server that everything is sent to.
    """
    for name, sets_something in _FILES.items():
        try:
            found = sets_something(read_file(folder / name, LARGEST_TEXT))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):  # what cannot be read here, Prefect may read otherwise
            found = True
        if found:
            raise RostrumError(
                f"{folder / name}: has settings for Prefect, by which it can be made to run a program; go to another "
                "folder, and keep settings of your own in the environment or with `prefect config set`"
            )


_SERVED_FROM = "ROSTRUM_SERVED_FROM"


@contextlib.contextmanager
def away() -> Iterator[None]:
    """Be in Prefect's own folder: it puts the current one first in what the processes of runs import from."""
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
    """Go back to the folder that was current before `away`, to which paths in the settings are relative."""
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

"""The HTML report of a run: a folder that opens from disk, without a server and without a network."""

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import RostrumError

if TYPE_CHECKING:
    from pipeline.run.store import Store

# The default port of the report's server.
REPORT_PORT = 8420


def default_folder(store: "Store") -> Path:
    """The folder `_report` in the run's folder. No speech can have a folder of that name."""
    if not store.is_local:
        raise RostrumError(f"{store.root}: not a folder of this machine; name a folder for the report with --to")
    folder = Path(store.root, "_report")
    if folder.is_symlink():
        raise RostrumError(f"{folder}: a link, which rostrum never makes; remove it, or name another folder with --to")
    return folder

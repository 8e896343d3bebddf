"""The HTML report of a run: a folder that opens from disk, without a server and without a network."""

from pathlib import Path

from pipeline.engine.store import Store
from pipeline.errors import RostrumError
from pipeline.output.report.build import write_pages, write_report

__all__ = ["default_folder", "write_pages", "write_report"]


def default_folder(store: Store) -> Path:
    """`_report` in the run's folder: no speech's artifacts are ever in a folder of that name."""
    if not store.is_local:
        raise RostrumError(f"{store.root}: not a folder of this machine; say where the report goes with --to")
    folder = Path(store.root, "_report")
    if folder.is_symlink():
        raise RostrumError(f"{folder}: is a link, which rostrum never makes; remove it, or say where with --to")
    return folder

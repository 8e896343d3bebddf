"""Finds and removes the leftover files of a run: those that rostrum wrote and the run no longer uses."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.engine.scopes import is_scope
from pipeline.engine.store import Store, attachment_name
from pipeline.engine.summary import load_known
from pipeline.errors import RostrumError, StorageError
from pipeline.records.base import file_digest
from pipeline.stages import stage_named, stage_names

# An artifact or an attachment: its folder, its stage, and the first letters of an attachment's sha256.
_OWN = re.compile(r"(?P<scope>.+)/(?P<stage>\w+)\.(json|(?P<sha256>[0-9a-f]{12})\.[a-z0-9]+)")


class Leftover(NamedTuple):
    """A file that can be deleted, named relative to the run, and its size in bytes."""

    name: str
    size: int


def orphaned_files(store: Store) -> list[Leftover]:
    """Artifacts of speeches that are no longer in the corpus, and attachments of results that were replaced.

    A file is listed only if both its name and its content show that rostrum wrote it.
    """
    summary = load_known(store)
    used = {name for item in summary.items for stage in stage_names() for name in _used(store, item.scope, stage)}
    listing = store.listing()
    unused = [name for name in sorted(listing) if name not in used]
    return [Leftover(name, listing[name][0]) for name in unused if _is_own(store, name, used)]


def _used(store: Store, scope: str, stage: str) -> Iterator[str]:
    """The files of an artifact. If it cannot be read, a pattern for all files that may belong to it."""
    yield f"{scope}/{stage}.json"
    try:
        artifact = store.artifact(scope, stage)
        if artifact and artifact.data is not None:
            record = stage_named(stage).output.model_validate(artifact.data)
            yield from (f"{scope}/{attachment_name(stage, each)}" for each in record.attachments())
    except StorageError:
        raise
    except (RostrumError, ValueError):
        yield f"{scope}/{stage}.*"


def _is_own(store: Store, name: str, used: set[str]) -> bool:
    """Whether rostrum wrote the file: it is an artifact, or an attachment whose name contains its content's digest."""
    found = _OWN.fullmatch(name)
    if found is None or not is_scope(found["scope"]) or found["stage"] not in stage_names():
        return False
    if f"{found['scope']}/{found['stage']}.*" in used:
        return False
    if found["sha256"] is None:
        try:
            return store.artifact(found["scope"], found["stage"]) is not None
        except StorageError:
            raise
        except RostrumError:
            return False
    return not store.is_local or file_digest(store.local(name)).startswith(found["sha256"])


def remove(store: Store, leftovers: list[Leftover]) -> None:
    """Remove these files, folders that become empty, and temporary files of runs that were killed."""
    for leftover in leftovers:
        store.remove(leftover.name)
    store.clear_stale()

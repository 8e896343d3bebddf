"""Finds and removes the leftover files of a run: those that rostrum wrote and the run no longer uses."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.errors import RostrumError, StorageError
from pipeline.records import file_digest
from pipeline.run.index import load_head, no_run, read_records
from pipeline.run.scopes import is_scope
from pipeline.run.store import Store, attachment_name
from pipeline.stage import STAGES, stage_named

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
    if load_head(store) is None:
        raise no_run(store)
    items = read_records(store, strict=True).values()
    if not items:
        raise RostrumError(f"{store.root}: its index is missing; run again first: `rostrum run` writes it")
    used = {name for item in items for stage in STAGES for name in _used(store, item.scope, stage)}
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
    if found is None or not is_scope(found["scope"]) or found["stage"] not in STAGES:
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

"""What lies in a run's folder that the run does not refer to."""

from collections.abc import Iterator

from pipeline.engine.store import Artifact, Store, attachment_name
from pipeline.engine.summary import FILE, load
from pipeline.errors import RostrumError
from pipeline.stages import stage_named, stage_names

# The report is a part of the run that is written anew, not an artifact.
OTHERS = ("_report", ".prefect")


def unreferred(store: Store) -> list[str]:
    """Paths, relative to the run, of artifacts of speeches that left the corpus, of attachments of results that were
    replaced, and of what killed runs left half-written."""
    summary = load(store)
    if summary is None:
        raise RostrumError(f"{store.root}: no {FILE} in it, so nothing says what may go; run the corpus once")
    kept = {FILE}
    for item in summary.items:
        for name in stage_names():
            if artifact := store.artifact(item.scope, name):
                kept |= {f"{item.scope}/{file}" for file in _files(artifact)}
    return [path for path in store.files() if path not in kept and path.partition("/")[0] not in OTHERS]


def _files(artifact: Artifact) -> Iterator[str]:
    yield f"{artifact.stage}.json"
    if artifact.data is not None:
        record = stage_named(artifact.stage).output.model_validate(artifact.data)
        yield from (attachment_name(artifact.stage, each) for each in record.attachments())


def remove(store: Store, paths: list[str]) -> None:
    """Remove these files, and the folders that are empty then."""
    for path in paths:
        store.remove(path)

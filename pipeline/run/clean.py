"""Leftover files of a run, and its figures for Prometheus."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipeline.errors import RostrumError, StorageError
from pipeline.measures import word_error_rates
from pipeline.records import file_digest
from pipeline.run.scopes import is_scope
from pipeline.run.store import Store, attachment_name
from pipeline.run.summary import RunSummary, error_counts, load_known
from pipeline.stage import STAGES, stage_named

# Finds and removes the leftover files of a run: those that rostrum wrote and the run no longer uses.

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
    used = {name for item in summary.items for stage in STAGES for name in _used(store, item.scope, stage)}
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


# A run's figures as Prometheus text, for a node exporter's textfile collector or any scraper.


def prometheus(summary: RunSummary) -> str:
    """The figures of the last run: failures, how stages ended, seconds, audio, word error rate."""
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: RunSummary) -> Iterator[str]:
    corpus = summary.corpus.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    outcomes = [outcome for item in summary.items for outcome in item.outcomes]
    yield from _metric("rostrum_failures", "What went wrong in the last run.", {"": len(summary.failures)}, corpus)
    states = Counter((outcome.stage, outcome.state) for outcome in outcomes)
    labelled = {f'stage="{stage}",state="{state}"': number for (stage, state), number in states.items()}
    yield from _metric("rostrum_stages", "Stages of the last run, by how they ended.", labelled, corpus)
    seconds: defaultdict[str, float] = defaultdict(float)
    for outcome in outcomes:
        seconds[f'stage="{outcome.stage}"'] += outcome.seconds
    yield from _metric("rostrum_stage_seconds", "Seconds that each stage took.", seconds, corpus)
    yield from _metric("rostrum_run_seconds", "Seconds that the last run took.", {"": summary.seconds}, corpus)
    audio = sum(item.figures.get("duration", 0.0) for item in summary.items)
    yield from _metric("rostrum_audio_seconds", "Seconds of audio in the corpus.", {"": audio}, corpus)
    rates = word_error_rates(error_counts(summary))
    if rates["wer"] is not None:
        yield from _metric("rostrum_word_error_rate", "Pooled word error rate.", {"": rates["wer"]}, corpus)


def _metric(name: str, text: str, values: Mapping[str, float], corpus: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} gauge"
    for labels, value in values.items():
        yield f'{name}{{corpus="{corpus}"{"," + labels if labels else ""}}} {value}'
